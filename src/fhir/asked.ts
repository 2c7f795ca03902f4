import type { OpenContext } from '~/server/operation'
import type { Fhir, Site } from './resource'

export type FhirResponse = {
  status: number
  body?: Fhir
  headers?: Record<string, string>
  /** A file, in place of a body. */
  stream?: ReadableStream
}

/** One request as its handlers see it: of HTTP, or an entry of a batch. */
export type FhirRequest = {
  method: string
  /** Below the root: `Patient`, `<id>`. */
  path: readonly string[]
  parameters: [string, string][]
  /** The body as JSON; undefined if there is none. */
  body?: unknown
  headers: Headers
}

export type Answering = { ctx: OpenContext; site: Site }

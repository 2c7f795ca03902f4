import type { Context } from '~/server/operation'
import type { Language, MessageKey } from '~/shared/language'
import type { Fhir, Site } from './resource'

export type SummarySection = {
  /** LOINC of the section and its name, as the Composition of the summary has them. */
  code: string
  display: string
  title: MessageKey
  type: string
  query: readonly (readonly [string, string])[]
  keeps?: (resource: Fhir) => boolean
  /** The sentence of an empty section that is required; another one is left out. */
  empty?: MessageKey
  /** The newest of each code alone. */
  latest?: true
  /** Reads what no search finds. */
  fill?: (ctx: Context, section: SummarySection, patientId: string, site: Site) => Promise<Filled>
  /** What a reader sees of an entry. */
  line: (resource: Fhir, language: Language) => readonly (string | undefined)[]
}

export type Filled = {
  section: SummarySection
  resources: Fhir[]
  isPartHidden: boolean
  /** In place of those of the section. */
  lines?: string[]
  empty?: MessageKey
}

/** The `_count` of a search for a section. */
export const MOST_FOUND = '1000'

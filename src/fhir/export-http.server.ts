import { asObject } from '~/shared/object'
import type { FhirResponse, Answering, FhirRequest } from './asked'
import { FhirError } from './outcome'
import {
  fhirExport,
  fhirExportDelete,
  fhirExportFile,
  fhirExportStatus,
  buildExportManifest,
  statusAddress,
} from './export.server'

/** Bulk Data Access 2 over HTTP: the request, its status, its files (https://hl7.org/fhir/uv/bulkdata/export.html). */
type ExportAsked = Pick<FhirRequest, 'method' | 'path' | 'parameters' | 'body'>

/** The answer to a request about exports; undefined to any other. */
export async function exportAnswer(
  asked: ExportAsked,
  answering: Answering,
): Promise<FhirResponse | undefined> {
  const { path } = asked
  const [first, second, third] = path
  if (first === '$export-status' && path.length === 2)
    return answerExportStatus(second!, asked, answering)
  if (first === '$export-file' && path.length === 3)
    return answerExportFile(second!, third!, asked, answering)
  if (path.at(-1) !== '$export') return undefined
  if (path.length === 1) return started('system', null, asked, answering)
  if (path.length === 2 && first === 'Patient') return started('patient', null, asked, answering)
  if (first === 'Group' && path.length === 2)
    throw new FhirError(400, 'required', 'Name the group: Group/<id>/$export.')
  if (first === 'Group' && path.length === 3) return started('group', second!, asked, answering)
  return undefined
}

async function started(
  scope: 'system' | 'patient' | 'group',
  clinicId: string | null,
  { method, path, parameters: ofAddress, body }: ExportAsked,
  { ctx, site }: Answering,
): Promise<FhirResponse> {
  if (method !== 'GET' && method !== 'POST')
    throw new FhirError(405, 'not-supported', 'Begin an export with GET or POST.', [], {
      allow: 'GET, POST',
    })
  const parameters = [...ofAddress, ...(method === 'POST' ? parametersIn(body) : [])]
  const query = new URLSearchParams(parameters).toString()
  const request = `${site.base}/${path.join('/')}${query && `?${query}`}`
  const { id } = await fhirExport(ctx, { scope, clinicId, parameters, request, base: site.base })
  return { status: 202, headers: { 'content-location': statusAddress(site, id) } }
}

/** What a POST says in a Parameters resource. Without a body, it says nothing. */
function parametersIn(body: unknown): [string, string][] {
  if (body === undefined) return []
  const { resourceType, parameter = [] } = asObject(body)
  if (resourceType !== 'Parameters' || !Array.isArray(parameter))
    throw new FhirError(400, 'structure', 'Send the parameters as a resource Parameters.')
  return parameter.map((each: unknown) => {
    const { name, ...values } = asObject(each)
    const [value, ...more] = Object.entries(values).flatMap(([key, one]) =>
      key.startsWith('value') ? [one] : [],
    )
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0)
      throw new FhirError(400, 'structure', 'Each parameter has a name and one value.')
    return [name, value]
  })
}

async function answerExportStatus(
  id: string,
  { method }: ExportAsked,
  { ctx, site }: Answering,
): Promise<FhirResponse> {
  if (method === 'DELETE') {
    await fhirExportDelete(ctx, { id })
    return { status: 202 }
  }
  const found = await fhirExportStatus(ctx, { id })
  if (found.status === 'failed')
    throw new FhirError(
      500,
      'exception',
      'The export failed. Its reason is in the log of the server.',
    )
  if (found.status !== 'done')
    return {
      status: 202,
      headers: { 'x-progress': found.progress || found.status, 'retry-after': '5' },
    }
  const expires = new Date(found.created_at.getTime() + 24 * 3_600_000).toUTCString()
  return {
    status: 200,
    body: buildExportManifest(found, site),
    headers: { expires, 'content-type': 'application/json' },
  }
}

async function answerExportFile(
  id: string,
  name: string,
  _asked: ExportAsked,
  { ctx }: Answering,
): Promise<FhirResponse> {
  const [, number] = /^(\d{1,6})\.ndjson$/.exec(name) ?? []
  if (number === undefined) throw new FhirError(404, 'not-found', 'There is no such file.')
  const { body } = await fhirExportFile(ctx, { id, number: Number(number) })
  return { status: 200, stream: body, headers: { 'content-type': 'application/fhir+ndjson' } }
}

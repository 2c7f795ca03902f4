import { sql } from 'kysely'
import * as z from 'zod'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { exportHistory } from '~/policy/rules'
import type { TableRow as Stored } from '~/policy/on.server'
import { audit } from '~/server/audit'
import { askFor } from '~/server/jobs.server'
import { type Context, mutation, query } from '~/server/operation'
import { isAdmin } from '~/shared/actor'
import { newId, isId } from '~/shared/id'
import { exportFile } from './export-files.server'
import { exportable } from './export-run.server'
import { requireScope, hasFhirScope } from './scope'
import { FhirError } from './outcome'
import type { Fhir, Site } from './resource'
import { badValue, parseDateSpan } from './values'

/**
 * Bulk Data Access 2 (https://hl7.org/fhir/uv/bulkdata/): a request is a row that a job of the database takes up; the
 * answer is a manifest of files, for a day.
 */
const WAITING_AT_MOST = 5
const FORMATS = ['application/fhir+ndjson', 'application/ndjson', 'ndjson']
const DAY_MS = 24 * 3_600_000

const ExportInput = z.object({
  scope: z.enum(['system', 'patient', 'group']),
  clinicId: z.string().nullable(),
  parameters: z.array(z.tuple([z.string(), z.string()])),
  request: z.string(),
  base: z.string(),
})
type ExportInput = z.output<typeof ExportInput>

/** Takes a request. Returns the id of the export. */
export const fhirExport = mutation('fhir.export', {
  input: ExportInput,
  allow: ({ actor }, { scope }) =>
    scope === 'system' ? isAdmin(actor) : permitsSomewhere(exportHistory, actor),
  async run(ctx, input) {
    const { scope, clinicId, parameters, request, base } = input
    const asked = read(input, parameters)
    requireExportScopes(ctx, scope, asked.types)
    if (scope === 'group') await requireClinic(ctx, clinicId)
    const { waiting } = await ctx.db
      .selectFrom('fhir_exports')
      .select(({ fn }) => fn.countAll<string>().as('waiting'))
      .where('status', 'in', ['waiting', 'running'])
      .executeTakeFirstOrThrow()
    if (Number(waiting) >= WAITING_AT_MOST)
      throw new FhirError(429, 'throttled', 'Five exports wait already.', [], {
        'retry-after': '60',
      })
    const id = newId()
    await ctx.db
      .insertInto('fhir_exports')
      .values({
        id,
        user_id: ctx.actor.userId,
        client_id: ctx.actor.client?.id ?? null,
        scopes: ctx.actor.client?.scopes ?? null,
        scope,
        clinic_id: scope === 'group' ? clinicId : null,
        request,
        base,
        ...asked,
      })
      .execute()
    const changes = { export: [null, { scope, clinicId, types: asked.types, since: asked.since }] }
    await audit(ctx, { action: 'fhir.export', table: 'fhir_exports', changes })
    await askFor(ctx.db, 'fhir_exports')
    return { id }
  },
  shows: () => [],
})

function read({ scope }: ExportInput, parameters: readonly (readonly [string, string])[]) {
  let types: string[] = []
  let since: Date | null = null
  for (const [name, value] of parameters) {
    if (name === '_type') types = [...types, ...value.split(',').filter(Boolean)]
    else if (name === '_since') since = parseSince(value)
    else if (name === '_outputFormat') {
      if (!FORMATS.includes(value))
        throw badValue(value, `_outputFormat is one of ${FORMATS.join(', ')}`)
    } else if (name !== '_format' && name !== '_pretty')
      throw new FhirError(
        400,
        'not-supported',
        `$export has no parameter "${name.slice(0, 100)}". It has: _type, _since, _outputFormat.`,
      )
  }
  const known = exportable(scope).map(({ type }) => type)
  const unknown = types.find((type) => !known.includes(type))
  if (unknown !== undefined) throw badValue(unknown, `_type names some of ${known.join(', ')}`)
  return { types, since }
}

function parseSince(value: string): Date {
  const span = parseDateSpan(value.replace(/ (?=\d\d:\d\d$)/, '+'))
  if (!span || !value.includes('T'))
    throw badValue(value, '_since is a date with a time and a zone')
  return new Date(span.low)
}

/** The types that a program names must be in its scopes; without names, an export holds those that are. */
function requireExportScopes({ actor }: Context, scope: string, types: readonly string[]) {
  for (const type of types) for (const one of ['r', 's'] as const) requireScope(actor, type, one)
  const holds = ({ type }: { type: string }) =>
    hasFhirScope(actor, type, 'r') && hasFhirScope(actor, type, 's')
  if (!exportable(scope).some(holds)) requireScope(actor, 'Patient', 'r')
}

/** A group is a clinic, of which the user may export. */
async function requireClinic({ db, actor }: Context, id: string | null) {
  const clinic =
    id !== null &&
    isId(id) &&
    permitsIn(exportHistory.permissions, actor, id) &&
    (await db
      .selectFrom('clinics')
      .select('id')
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .executeTakeFirst())
  if (!clinic) throw new FhirError(404, 'not-found', 'There is no such group.')
}

type Export = Stored<'fhir_exports'>

/** Its own user's, and an administrator's, alone; of a program its own. */
async function ownExport({ db, actor }: Context, id: string): Promise<Export> {
  const found = isId(id)
    ? await db
        .selectFrom('fhir_exports')
        .selectAll()
        .where('id', '=', id)
        .where('created_at', '>', new Date(Date.now() - DAY_MS))
        .where(sql<boolean>`has_happened(created_at)`)
        .executeTakeFirst()
    : undefined
  const isOwn = actor.client
    ? found?.client_id === actor.client.id
    : found?.user_id === actor.userId || isAdmin(actor)
  if (!found || !isOwn) throw new FhirError(404, 'not-found', 'There is no such export.')
  return found
}

const mayExport = ({ actor }: Context) => permitsSomewhere(exportHistory, actor)
const ExportId = z.object({ id: z.string() })

export const fhirExportStatus = query('fhir.exportStatus', {
  input: ExportId,
  allow: mayExport,
  run: (ctx, { id }) => ownExport(ctx, id),
})

export const fhirExportFile = query('fhir.exportFile', {
  input: ExportId.extend({ number: z.number() }),
  allow: mayExport,
  async run(ctx, { id, number }) {
    await ownExport(ctx, id)
    const body = await exportFile(id, number)
    if (!body) throw new FhirError(404, 'not-found', 'There is no such file.')
    return { body }
  },
  // the entries of the export name them
  shows: () => [],
})

/** Deletes an export: its writer stops, and the job removes the files. */
export const fhirExportDelete = mutation('fhir.exportDelete', {
  input: ExportId,
  allow: mayExport,
  async run(ctx, { id }) {
    await ownExport(ctx, id)
    await ctx.db.deleteFrom('fhir_exports').where('id', '=', id).execute()
    await askFor(ctx.db, 'fhir_exports')
    return { id }
  },
  shows: () => [],
})

export const statusAddress = (site: Site, id: string) => `${site.base}/$export-status/${id}`

/** The manifest of an export that is done. */
export function buildExportManifest(
  { id, request, transaction_time, files }: Export,
  site: Site,
): Fhir {
  const all = files.map(({ type, lines, isDeleted = false }, number) => ({
    isDeleted,
    item: { type, url: `${site.base}/$export-file/${id}/${number}.ndjson`, count: lines },
  }))
  const manifestItems = (isDeleted: boolean) =>
    all.filter((each) => each.isDeleted === isDeleted).map(({ item }) => item)
  return {
    transactionTime: transaction_time?.toISOString(),
    request,
    requiresAccessToken: true,
    output: manifestItems(false),
    deleted: manifestItems(true),
    error: [],
  } as unknown as Fhir // a manifest is no resource, and is answered as one
}

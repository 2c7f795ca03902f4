import { sql } from 'kysely'
import { withAllMedicines } from '~/features/reports/runs/medicines.server'
import { audit } from '~/server/audit'
import { mutation, NoInput, query } from '~/server/operation'
import { byName } from '~/server/scope'
import { type Actor, isAdmin } from '~/shared/actor'
import { invalid, type Message, notFound } from '~/shared/errors'
import { OfDefinition, SaveClinicCodes, SaveCodes } from './exchange'

const keepsCodes = ({ actor }: { actor: Actor }) => isAdmin(actor)

/** The codes of a report, its rows, columns and cells. */
export const listCodes = query('externalCodes.list', {
  reads: ['external_codes', 'report_definitions'],
  looksUp: ['clinic_inventory', 'drug_catalogue', 'stock_shortfalls'],
  input: OfDefinition,
  allow: keepsCodes,
  async run({ db }, { definitionId }) {
    const definition = await db
      .selectFrom('report_definitions')
      .select('body')
      .where('id', '=', definitionId)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!definition) throw notFound('reportDefinitions.notFound')
    const codes = await db
      .selectFrom('external_codes')
      .select(['section', 'row_id', 'column_id', 'code', 'option_code', 'sends_zero', 'adx'])
      .where('definition_id', '=', definitionId)
      .orderBy(sql`section nulls first, row_id nulls first, column_id nulls first`)
      .execute()
    return { definition: await withAllMedicines(db, definition.body), codes }
  },
})
export type ListedCodes = Awaited<ReturnType<typeof listCodes>>

/** Replaces all codes of a report. */
export const saveCodes = mutation('externalCodes.save', {
  input: SaveCodes,
  allow: keepsCodes,
  async run(ctx, { definitionId, codes }) {
    const { db } = ctx
    const definition = await db
      .selectFrom('report_definitions')
      .select('id')
      .where('id', '=', definitionId)
      .where('is_deleted', '=', false)
      .forUpdate()
      .executeTakeFirst()
    if (!definition) throw notFound('reportDefinitions.notFound')
    const places = new Map<string, number>()
    const twice: Record<string, Message> = {}
    for (const [at, { section, row_id, column_id }] of codes.entries()) {
      const place = JSON.stringify([section, row_id, column_id])
      if (places.has(place)) twice[`codes.${at}.code`] = { key: 'externalCodes.twice' }
      places.set(place, at)
    }
    if (Object.keys(twice).length > 0) throw invalid(twice)
    const { numDeletedRows } = await db
      .deleteFrom('external_codes')
      .where('definition_id', '=', definitionId)
      .executeTakeFirstOrThrow()
    for (let at = 0; at < codes.length; at += 1000)
      await db
        .insertInto('external_codes')
        .values(
          codes.slice(at, at + 1000).map((code) => ({ ...code, definition_id: definitionId })),
        )
        .execute()
    await audit(ctx, {
      action: 'externalCodes.save',
      table: 'report_definitions',
      recordId: definitionId,
      changes: { codes: [Number(numDeletedRows), codes.length] },
    })
    return { total: codes.length }
  },
})

/** Every clinic with the code of its org unit, or null. */
export const listClinicCodes = query('externalCodes.clinics', {
  reads: ['external_codes', 'clinics'],
  input: NoInput,
  allow: keepsCodes,
  run: ({ db }) =>
    db
      .selectFrom('clinics')
      .leftJoin('external_codes', 'external_codes.clinic_id', 'clinics.id')
      .select(['clinics.id', 'clinics.name', 'external_codes.code'])
      .where('clinics.is_deleted', '=', false)
      .orderBy(byName('clinics.name'))
      .orderBy('clinics.id')
      .execute(),
})

/** Changes the codes of the clinics that are named; null removes one. */
export const saveClinicCodes = mutation('externalCodes.saveClinics', {
  input: SaveClinicCodes,
  allow: keepsCodes,
  async run(ctx, { codes }) {
    const { db } = ctx
    const changed: Record<string, [string | null, string | null]> = {}
    for (const [at, { clinic_id, code }] of codes.entries()) {
      const clinic = await db
        .selectFrom('clinics')
        .select('id')
        .where('id', '=', clinic_id)
        .where('is_deleted', '=', false)
        .executeTakeFirst()
      if (!clinic) throw invalid({ [`codes.${at}.clinic_id`]: { key: 'clinics.notFound' } })
      const before = await db
        .deleteFrom('external_codes')
        .where('clinic_id', '=', clinic_id)
        .returning('code')
        .executeTakeFirst()
      if (code !== null) await db.insertInto('external_codes').values({ clinic_id, code }).execute()
      if ((before?.code ?? null) !== code) changed[clinic_id] = [before?.code ?? null, code]
    }
    if (Object.keys(changed).length > 0)
      await audit(ctx, {
        action: 'externalCodes.saveClinics',
        table: 'clinics',
        changes: { external_codes: [null, changed] },
      })
    return { total: codes.length }
  },
})

import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { readBirthPrecision } from '~/features/people/patients/patient'
import { somewhere } from '~/policy/facts'
import { namedPatient } from '~/policy/on.server'
import { dispenseTo, knowPatient, seeAccesses } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { flushAccesses } from '~/server/access-log'
import type { ListSheet } from '~/server/list-file.server'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { isAdmin } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { LOST_ACCESSES } from '~/shared/lost-accesses'
import { sentence } from '~/shared/sentence'
import { addDays, clinicTimeZone, startOfDay, wallTime } from '~/shared/zone'
import { accessWords, phoneWords } from './access-words'
import { operationsOfKind } from './access-kinds'
import { withoutIds } from './audit-words'
import {
  type AccessFilter,
  ExportAccesses,
  ListAccesses,
  ListPatientAccesses,
  Print,
} from './accesses'
import { exportTrail, inBatches, withinAuditDays } from './trail.server'

/** Largest number of patients of one entry that a list names; it also shows how many there are. */
const NAMED = 5

type Entries<O> = SelectQueryBuilder<DB, 'access_log', O>

/** An entry that says how many accesses were lost: of which users and patients is not known. */
const isOfLost = sql<boolean>`access_log.operation = ${sql.lit(LOST_ACCESSES)}`

/**
 * Where accesses of these days were lost after the last of them, the time of the entry that says so: it is written when
 * the disk has space again.
 */
async function lostAfter(db: Kysely<DB>, { to }: AccessFilter): Promise<Date | undefined> {
  if (!to) return undefined
  const next = await db
    .selectFrom('access_log')
    .select('at')
    .where(isOfLost)
    .where('at', '>=', sql<Date>`${startOfDay(addDays(to, 1))}`)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()
  return next?.at
}

/**
 * The entries of a filter, and those of lost accesses: any of these may have matched it. `lost`: the time of such an
 * entry after the last day.
 */
const matching = (db: Kysely<DB>, filter: AccessFilter, lost?: Date) => {
  const { userId, kind, patientId, clinicId, outcome } = filter
  const days = withinAuditDays(filter)
  const wanted = [
    ...(userId ? [sql<boolean>`access_log.user_id = ${userId}`] : []),
    ...(kind ? [sql<boolean>`operation = any(${operationsOfKind(kind)}::text[])`] : []),
    ...(patientId ? [sql<boolean>`patient_ids @> array[${patientId}]::uuid[]`] : []),
    ...(clinicId ? [sql<boolean>`access_log.clinic_id = ${clinicId}`] : []),
    ...(outcome ? [sql<boolean>`outcome = ${outcome}`] : []),
  ]
  return (
    db
      .selectFrom('access_log')
      .$if(wanted.length > 0, (q) => q.where((eb) => eb.or([eb.and(wanted), isOfLost])))
      // the index of refusals
      .$if(!!outcome && outcome !== 'shown', (q) => q.where(sql<boolean>`outcome <> 'shown'`))
      .where(lost ? sql<boolean>`(${days} or (${isOfLost} and at = ${lost}))` : days)
  )
}

/** What tells the phones of an access apart. */
const PHONE = ['app_password_id', 'hub_phone_id', 'chain_id'] as const

/** As the screen of phones shows it. */
const hubKey = sql<string | null>`encode(hub_phones.public_key, 'hex')`

const withNames = <O>(entries: Entries<O>) =>
  entries
    .leftJoin('users', 'users.id', 'access_log.user_id')
    .leftJoin('clinics', 'clinics.id', 'access_log.clinic_id')
    .leftJoin('app_passwords', 'app_passwords.id', 'access_log.app_password_id')
    .leftJoin('hub_phones', 'hub_phones.id', 'access_log.hub_phone_id')
    .leftJoin('sync_chains', 'sync_chains.id', 'access_log.chain_id')
    .select(['access_log.id', 'at', 'via', 'operation', 'outcome', 'count'])
    .select(['users.name as user', 'clinics.name as clinic', 'app_passwords.name as phone'])
    .select([hubKey.as('hubKey'), 'sync_chains.number as phoneNumber'])
    .select([
      sql<string[]>`patient_ids[1:${sql.lit(NAMED)}]`.as('patientIds'),
      sql<number>`cardinality(patient_ids)`.as('patients'),
    ])
    .orderBy('at', 'desc')
    .orderBy('access_log.id', 'desc')

/** Users who were shown patients or were refused, newest first. An entry names five of its patients. */
export const listAccesses = query('audit.accesses', {
  access: 'trail',
  input: ListAccesses,
  allow: ({ actor }) => isAdmin(actor),
  async run({ db }, { page, ...filter }) {
    await flushAccesses(db)
    const entries = matching(db, filter, await lostAfter(db, filter))
    const { rows, pagination } = await loadListPage(withNames(entries), entries, page)
    const ids = [...rows.flatMap(({ patientIds }) => patientIds), filter.patientId ?? []].flat()
    return {
      rows: rows.map(({ via, outcome, ...row }) => ({
        ...row,
        via,
        outcome,
      })),
      names: await loadPatientNames(db, ids),
      pagination,
    }
  },
  shows: ({ names }) => Object.keys(names),
})
export type ListedAccess = Awaited<ReturnType<typeof listAccesses>>['rows'][number]

/** By id, deleted patients included. */
async function loadPatientNames(
  db: Kysely<DB>,
  ids: readonly string[],
): Promise<Record<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, concat_ws(' ', given_name, surname) as name from patients
    where id = any(${[...new Set(ids)]}::uuid[])`.execute(db)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

/**
 * Who saw the record of a patient: one row for what a user did within ten minutes, newest first, and one for each time
 * at which accesses were lost. For administrators and for administrators of clinics that care for the patient.
 */
export const listPatientAccesses = query('patients.accesses', {
  access: 'trail',
  on: namedPatient(seeAccesses),
  input: ListPatientAccesses,
  async run(
    { db },
    { page, ...filter },
    { patient: { given_name, surname, date_of_birth, metadata } },
  ) {
    await flushAccesses(db)
    const visits = matching(db, filter, await lostAfter(db, filter))
      .select(['access_log.user_id', 'via', 'outcome', ...PHONE])
      .select(({ fn }) => [
        fn.min('at').as('since'),
        fn.max('at').as('until'),
        fn.sum<number>('count').as('count'),
        sql<string[]>`array_agg(distinct operation order by operation)`.as('operations'),
      ])
      .groupBy(['access_log.user_id', 'via', 'outcome', ...PHONE])
      .groupBy(sql`date_bin('10 minutes', at, timestamptz '2000-01-01')`)
    const { rows, pagination } = await loadListPage(
      db
        .selectFrom(visits.as('visit'))
        .leftJoin('users', 'users.id', 'visit.user_id')
        .leftJoin('app_passwords', 'app_passwords.id', 'visit.app_password_id')
        .leftJoin('hub_phones', 'hub_phones.id', 'visit.hub_phone_id')
        .leftJoin('sync_chains', 'sync_chains.id', 'visit.chain_id')
        .selectAll('visit')
        .select(['users.name as user', 'app_passwords.name as phone'])
        .select([hubKey.as('hubKey'), 'sync_chains.number as phoneNumber'])
        .orderBy('until', 'desc')
        .orderBy('visit.user_id')
        .orderBy('via')
        .orderBy('outcome')
        .orderBy('app_password_id')
        .orderBy('hub_phone_id')
        .orderBy('chain_id'),
      db.selectFrom(visits.as('counted')),
      page,
    )
    const users = await db
      .selectFrom('users')
      .select(['id', 'name'])
      .where(
        'id',
        'in',
        matching(db, { patientId: filter.patientId }).select(
          sql<string>`access_log.user_id`.as('user_id'),
        ),
      )
      .orderBy('name')
      .orderBy('id')
      .execute()
    return {
      patient: {
        given_name,
        surname,
        date_of_birth,
        birth_precision: readBirthPrecision(metadata),
      },
      users,
      rows: rows.map(({ via, outcome, ...row }) => ({
        ...row,
        via,
        outcome,
      })),
      pagination,
    }
  },
})
export type PatientAccess = Awaited<ReturnType<typeof listPatientAccesses>>['rows'][number]

/** The patients whose pages the actor may print. */
const PRINTED = [knowPatient, dispenseTo]

/** Before a page is printed: records the patients on it. Only patients that the actor may see are logged. */
export const recordPrint = mutation('prints.record', {
  access: 'print',
  input: Print,
  allow: somewhere(...PRINTED),
  async run({ db, actor }, { patientIds }) {
    const known = await db
      .selectFrom('patients')
      .select('id')
      .where('id', '=', sql<string>`any(${patientIds}::uuid[])`)
      .where(patientsWhere(PRINTED, actor))
      .execute()
    return { patientIds: known.map(({ id }) => id) }
  },
  shows: ({ patientIds }) => patientIds,
})

/** Returns how many entries the file would hold, and writes the export into both trails. */
export const exportAccesses = mutation('audit.exportAccesses', {
  access: 'export',
  input: ExportAccesses,
  allow: ({ actor }) => isAdmin(actor),
  run: async (ctx, input) => {
    const { format: _, language: __, ...filter } = input
    return exportTrail(ctx, matching(ctx.db, filter, await lostAfter(ctx.db, filter)), {
      action: 'audit.exportAccesses',
      table: 'access_log',
      input,
    })
  },
  async shows(_, { ctx: { db }, input }) {
    const { format: _format, language: _language, ...filter } = input
    const named = await matching(db, filter)
      .select(sql<string>`unnest(patient_ids[1:${sql.lit(NAMED)}])`.as('id'))
      .distinct()
      .execute()
    return named.map(({ id }) => id)
  },
})

/** A line for each entry, newest first; patients by name, the first five of an entry. */
export const accessSheet = (
  { db }: Context,
  { format: _, language, ...filter }: { format: unknown; language: Language } & AccessFilter,
): ListSheet => {
  const say = (key: Parameters<typeof sentence>[1]['key']) => sentence(language, { key })
  async function* rows() {
    const lost = await lostAfter(db, filter)
    const read = (last: { at: Date; id: string } | undefined, most: number) => {
      const after = last && sql<boolean>`(at, access_log.id) < (${last.at}, ${last.id}::uuid)`
      return withNames(matching(db, filter, lost).$if(!!after, (q) => q.where(after!)))
        .limit(most)
        .execute()
    }
    for await (const entries of inBatches(read)) {
      const names = await loadPatientNames(
        db,
        entries.flatMap(({ patientIds }) => patientIds),
      )
      for (const entry of entries) {
        const words = accessWords(entry.operation)
        yield [
          entry.id,
          wallTime(entry.at, clinicTimeZone()).replace('T', ' '),
          entry.user ?? '',
          words ? say(words) : entry.operation,
          say(`accesses.outcome_${entry.outcome}`),
          withoutIds(entry.patientIds.join('; '), names),
          String(entry.patients),
          entry.clinic ?? '',
          say(`audit.via_${entry.via}`),
          phoneWords(entry, (message) => sentence(language, message)) ?? '',
          String(entry.count),
        ]
      }
    }
  }
  const headings = [
    'ID',
    say('audit.when'),
    say('audit.who'),
    say('audit.action'),
    say('accesses.outcome'),
    say('patients.title'),
    say('accesses.patients'),
    say('clinics.one'),
    say('audit.how'),
    say('audit.via_phone'),
    say('accesses.count'),
  ]
  return { title: say('accesses.title'), headings, rows: rows() }
}

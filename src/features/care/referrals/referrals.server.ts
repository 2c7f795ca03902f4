import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { identifiersColumn } from '~/features/people/patients/card/identifiers.server'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import { loadPatientEntries } from '~/policy/entries.server'
import { somewhere } from '~/policy/facts'
import { historyRead, historyRow, historySave, namedPatient } from '~/policy/on.server'
import { deleteHistory, readHistory } from '~/policy/rules'
import { historyWhere, rowsWhere } from '~/policy/sql.server'
import { contactColumns } from '~/records/clinic'
import { qualified } from '~/records/qualified'
import { typedBy } from '~/records/record'
import { referralRecord } from '~/records/referral'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { patientsOfRows } from '~/server/shown'
import { ask, askIfTwice, type EarlierDayQuestion } from '~/shared/earlier-day'
import { invalid, notFound } from '~/shared/errors'
import { impossibleDay, unusualDay } from '~/shared/planned-days'
import { RecordId } from '~/shared/record'
import { clinicToday } from '~/shared/zone'
import { ListReferrals, SaveReferral } from './referral'
import { newReferralNumber, readReferralNumber } from './referral-number'

const OPEN = ['sent', 'seen'] as const

/** A referral without an answer, and one whose answer should have come. */
const withState = <Row extends { status: string; due_on: string | null }>(row: Row) => {
  const isOpen = OPEN.some((status) => status === row.status)
  const today = clinicToday()
  return { ...row, isOpen, isOverdue: isOpen && row.due_on !== null && row.due_on < today }
}

/** The referrals of a patient, newest first. */
export const referralsOfPatient = query('referrals.ofPatient', {
  access: 'referrals',
  reads: ['referrals'],
  looksUp: ['patients', 'users'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }) {
    const rows = await loadPatientEntries(ctx, referralRecord, patientId, {
      where: rowsWhere(ctx.actor, 'entry'),
      order: sql`entry.sent_at desc`,
    })
    return rows.map(({ is_open: _isOpen, from_document: _document, ...row }) =>
      withState(typedBy(referralRecord, row)),
    )
  },
})
export type Referral = Awaited<ReturnType<typeof referralsOfPatient>>[number]

const live = (db: Kysely<DB>) =>
  db.selectFrom('referrals').where('referrals.is_deleted', '=', false)

/** Open or overdue referrals of the user's clinics, those due first; or the one with a number. */
export const listReferrals = query('referrals.list', {
  access: 'list',
  reads: ['referrals'],
  looksUp: ['clinics', 'patients', 'users'],
  allow: somewhere(readHistory),
  input: ListReferrals,
  async run({ db, actor }, { state, number, clinicId, page }) {
    let found = live(db).where(historyWhere(actor, 'referrals'))
    if (number) found = found.where('number', '=', readReferralNumber(number) ?? '')
    else {
      if (state !== 'all') found = found.where('status', 'in', OPEN)
      if (state === 'overdue') found = found.where('due_on', '<', clinicToday())
      if (clinicId) found = found.where('referrals.recorded_clinic_id', '=', clinicId)
    }
    const { rows, pagination } = await loadListPage(
      found
        .innerJoin('patients', 'patients.id', 'referrals.patient_id')
        .leftJoin('clinics', 'clinics.id', 'referrals.recorded_clinic_id')
        .leftJoin('users', 'users.id', 'referrals.recorded_by_user_id')
        .select(
          qualified('referrals', [...referralRecord.names, 'id', 'last_modified', 'created_at']),
        )
        .select(['given_name', 'surname', 'clinics.name as clinic', 'users.name as recorded_by'])
        .select(identifiersColumn('patients').as('identifiers'))
        .orderBy('due_on', (order) => order.asc().nullsLast())
        .orderBy('sent_at')
        .orderBy('referrals.id'),
      found,
      page,
    )
    return {
      rows: rows.map(({ given_name, surname, ...row }) => ({
        ...withState(typedBy(referralRecord, row)),
        patient: patientName({ given_name, surname }),
      })),
      pagination,
    }
  },
  shows: patientsOfRows,
})
export type ListedReferral = Awaited<ReturnType<typeof listReferrals>>['rows'][number]

/** One referral, with the clinic that refers: for its letter. */
export const getReferral = query('referrals.get', {
  access: 'referrals',
  on: historyRead('referrals'),
  input: RecordId,
  async run({ db }, { id }, { isReadable }) {
    const row = await live(db)
      .leftJoin('users', 'users.id', 'referrals.recorded_by_user_id')
      .leftJoin('clinics', 'clinics.id', 'referrals.recorded_clinic_id')
      .select(qualified('referrals', [...referralRecord.names, 'id', 'last_modified']))
      .select(['users.name as recorded_by', 'users.role as recorded_by_role'])
      .select(['clinics.name as clinic', ...contactColumns('clinics')])
      .where('referrals.id', '=', id)
      .where(isReadable)
      .executeTakeFirst()
    if (!row) throw notFound('referrals.notFound')
    return withState(typedBy(referralRecord, row))
  },
})
export type WholeReferral = Awaited<ReturnType<typeof getReferral>>

/** Refers a patient, changes the referral or records the reply. A reply answers a referral that was open. */
export const saveReferral = mutation('referrals.save', {
  on: historySave('referrals'),
  input: SaveReferral,
  async run(ctx, { reply, confirmed, ...referral }, { patient, existing }) {
    const { due_on } = referral
    const isOpen = OPEN.some((status) => status === referral.status)
    if (isOpen && reply === null && due_on && due_on !== existing?.due_on)
      askAboutReply(due_on, confirmed)
    if (!existing && isOpen) await askAboutAnother(ctx, referral, confirmed)
    if (!existing) requireLivingOn(patient, clinicToday(), 'patient_id')
    const isAnswered = reply !== null && isOpen
    return saveRecord(ctx, 'referrals', {
      ...referral,
      status: isAnswered ? 'replied' : referral.status,
      reply,
      replied_at: reply === null ? null : (existing?.replied_at ?? new Date()),
      ...(!existing && {
        number: await storedOrNewNumber(ctx.db, referral.id),
        recorded_by_user_id: ctx.actor.userId,
      }),
    })
  },
})

/** Another one to the same place that is still open: mostly a colleague's, to be changed or printed again. */
async function askAboutAnother(
  { db, actor }: Context,
  { id, patient_id, to_name }: { id: string; patient_id: string; to_name: string },
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record')) return
  const open = await db
    .selectFrom('referrals')
    .select('id')
    .where('id', '<>', id)
    .where('patient_id', '=', patient_id)
    .where('is_deleted', '=', false)
    .where('status', 'in', OPEN)
    .where(sql<boolean>`lower(to_name) = lower(${to_name})`)
    .where(rowsWhere(actor, 'referrals'))
    .executeTakeFirst()
  if (open) throw askIfTwice('to_name', to_name)
}

/** A day for the reply that is over or more than a year ahead is mostly another year's; late paper can mean it. */
function askAboutReply(dueOn: string, confirmed: readonly EarlierDayQuestion[] | undefined) {
  const today = clinicToday()
  const impossible = impossibleDay('reply', dueOn, today)
  if (impossible) throw invalid({ due_on: { key: impossible } })
  if (!confirmed || confirmed.includes('unlikely_date')) return
  const doubt = unusualDay('reply', dueOn, today)
  if (doubt) throw ask('unlikely_date', 'due_on', { key: doubt })
}

/** A repeated request keeps the number that the first one made. */
async function storedOrNewNumber(db: Kysely<DB>, id: string) {
  const stored = await db
    .selectFrom('referrals')
    .select('number')
    .where('id', '=', id)
    .executeTakeFirst()
  return stored?.number ?? newReferralNumber()
}

/** For a referral that was made by mistake. */
export const deleteReferral = mutation('referrals.delete', {
  on: historyRow('referrals', deleteHistory),
  input: RecordId,
  run: (ctx, { id }, { existing, patient }) =>
    deleteRecord(ctx, 'referrals', id, `${patientName(patient)}, ${existing.to_name}`),
})

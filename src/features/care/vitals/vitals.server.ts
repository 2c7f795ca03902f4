import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { parseSex } from '~/fields/sex'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import {
  patientBirth,
  isBeforeBirth,
  patientName,
  PatientIdInput,
} from '~/features/people/patients/patient'
import { pregnanciesColumn } from '~/features/care/pregnancies/pregnancies.server'
import { type PregnancyAnswer, pregnancyOn } from '~/features/care/pregnancies/pregnancy'
import { historyRow, historySave, namedPatient } from '~/policy/on.server'
import { deleteHistory, readHistory } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { qualified } from '~/records/qualified'
import { mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { enteredLater, isOnAnotherDay } from '~/shared/earlier-day'
import { AppError, invalid, type Message } from '~/shared/errors'
import type { FromDocument } from '~/shared/from-document'
import { RecordId } from '~/shared/record'
import type { Actor } from '~/shared/actor'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { sentBy } from '~/server/scope'
import { implausibleIn, type VitalValues } from './plausible'
import { ageSpanAt, correctedAt, markVitals } from './marks'
import { computeNews2 } from './early-warning/early-warning'
import { weightDoubt } from './usable-weight'
import { confirmedWeight, toWeighed } from './weighed.server'
import {
  computeBmi,
  type Confirmable,
  CONFIRMABLE,
  type Entered,
  ENTERED,
  isWithUnits,
  ListVitals,
  VITAL_MEASURES,
  type Measure,
  SaveVital,
  toMetric,
  type Unit,
} from './vital'

export type Whose = {
  id: string
  date_of_birth: string | null
  metadata: unknown
  sex: string | null
  weeks_at_birth?: number | null
}

/** What was typed, where that was in another unit: `metadata.entered`. */
export type AsEntered = Partial<Record<Entered, { unit: Unit; value: number }>>
/** Values that a user was asked about and called right; another value of the row is not confirmed by it. */
type Confirmed = Partial<Record<Confirmable, number>>
export type VitalMetadata = {
  entered?: AsEntered
  confirmed?: Confirmed
  height_position?: 'lying' | 'standing'
} & Record<string, unknown>

const live = (db: Kysely<DB>) =>
  db.selectFrom('patient_vitals').where('patient_vitals.is_deleted', '=', false)
const recorded = (db: Kysely<DB>, patientId: string) =>
  live(db)
    .leftJoin('users', 'users.id', 'patient_vitals.recorded_by_user_id')
    .select(
      qualified('patient_vitals', [
        'id',
        'patient_id',
        'visit_id',
        'form_event_id',
        'last_modified',
      ]),
    )
    .select(
      qualified('patient_vitals', ['timestamp', 'bp_position', ...VITAL_MEASURES, 'metadata']),
    )
    .select('patient_vitals.created_at')
    .select(['users.name as recorded_by', sentBy('patient_vitals', 'recorded_by_user_id')])
    .select(sql<string | null>`patient_vitals.metadata -> 'import' ->> 'file'`.as('imported_from'))
    .select(sql<FromDocument | null>`patient_vitals.metadata -> 'document'`.as('from_document'))
    .select(pregnanciesColumn(db, patientId))

type Vitals<O> = SelectQueryBuilder<DB, 'patient_vitals', O>
const within = <O>(
  vitals: Vitals<O>,
  actor: Actor,
  patientId: string,
  from?: Date,
  to?: Date,
): Vitals<O> =>
  vitals
    .where('patient_vitals.patient_id', '=', patientId)
    .where(rowsWhere(actor, 'patient_vitals'))
    .$if(!!from, (q) => q.where('timestamp', '>=', from!))
    .$if(!!to, (q) => q.where('timestamp', '<', to!)) as Vitals<O>

type Row = Record<Measure, number | null> & {
  timestamp: Date
  created_at: Date
  metadata: unknown
  pregnancies: readonly PregnancyAnswer[]
}

/** With what is out of the ordinary for a patient of that age and sex, pregnant at that moment or not. */
const withMarks =
  (whose: Whose) =>
  <R extends Row>(row: R) => {
    const { metadata, pregnancies, created_at, ...vital } = row
    const typedOn = dayIn(created_at, clinicTimeZone())
    const { entered = {}, height_position = null } = (metadata ?? {}) as VitalMetadata
    const birth = patientBirth(whose)
    const age = ageSpanAt(birth, row.timestamp, clinicTimeZone())
    const corrected = correctedAt(birth, row.timestamp, clinicTimeZone())
    const { state, isAfterBirth } = pregnancyOn(pregnancies, dayIn(row.timestamp, clinicTimeZone()))
    const isPregnant = state === 'pregnant' || isAfterBirth
    return {
      ...vital,
      entered,
      height_position,
      /** The day of typing, if it is later than the measurement. */
      entered_on: dayIn(row.timestamp, clinicTimeZone()) < typedOn ? typedOn : null,
      marks: markVitals(
        row,
        { age, corrected, sex: parseSex(whose.sex), isPregnant },
        height_position,
      ),
      news2: computeNews2(row, { youngestMonths: age?.[0].months ?? null, isPregnant }),
    }
  }

/** Newest first; `from` and `to` bound the time of measurement. */
export const listVitals = query('vitals.list', {
  access: 'vitals',
  reads: ['events', 'patient_pregnancies', 'patient_vitals', 'program_enrollments'],
  looksUp: ['patients', 'report_bindings', 'users', 'visits'],
  on: namedPatient(readHistory),
  input: ListVitals,
  async run(ctx, { patientId, from, to, page, id }, { patient }) {
    const { rows, pagination } = await loadListPage(
      within(recorded(ctx.db, patientId), ctx.actor, patientId, from, to)
        .$if(id !== undefined, (q) => q.where('patient_vitals.id', '=', id!))
        .orderBy('timestamp', 'desc')
        .orderBy('patient_vitals.id', 'desc'),
      within(live(ctx.db), ctx.actor, patientId, from, to).$if(id !== undefined, (q) =>
        q.where('patient_vitals.id', '=', id!),
      ),
      page,
      { ofPatient: true },
    )
    return { rows: rows.map(withMarks(patient)), pagination }
  },
})

/** A value older than this is not shown as the last one. */
const LOOK_BACK = 100

/**
 * The most recent measurement, and of each vital sign its last value with the one before, out of
 * the last 100 measurements.
 */
export const latestVital = query('vitals.latest', {
  access: 'vitals',
  reads: ['events', 'patient_pregnancies', 'patient_vitals', 'program_enrollments'],
  looksUp: ['patients', 'report_bindings', 'users', 'visits'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }, { patient }) {
    const rows = await within(recorded(ctx.db, patientId), ctx.actor, patientId)
      .modifyFront(asPrepared())
      .orderBy('timestamp', 'desc')
      .orderBy('patient_vitals.id', 'desc')
      .limit(LOOK_BACK)
      .execute()
    const shown = VITAL_MEASURES.flatMap((measure) => {
      const [last, before] = rows.filter((row) => row[measure] !== null)
      return last ? [{ measure, last, before }] : []
    })
    const used = new Set([...rows.slice(0, 1), ...shown.map(({ last }) => last)])
    const marked = new Map([...used].map((row) => [row, withMarks(patient)(row)]))
    const latest = shown.map(({ measure, last, before }) => {
      const { timestamp, entered_on, recorded_by, marks } = marked.get(last)!
      return {
        measure,
        value: last[measure]!,
        timestamp,
        entered_on,
        recorded_by,
        mark: marks[measure] ?? null,
        previous: before ? { value: before[measure]!, timestamp: before.timestamp } : null,
      }
    })
    return { vital: rows[0] ? marked.get(rows[0])! : null, latest }
  },
})

/** A chart with more points than pixels shows nothing more. */
const CHART_POINTS = 400

/** The values of the last 400 measurements, oldest first, for charts. */
export const vitalTrend = query('vitals.trend', {
  access: 'vitals',
  reads: ['events', 'patient_pregnancies', 'patient_vitals', 'program_enrollments'],
  looksUp: ['patients', 'report_bindings', 'users', 'visits'],
  on: namedPatient(readHistory),
  input: ListVitals.omit({ page: true }),
  async run(ctx, { patientId, from, to }, { patient }) {
    const rows = await within(recorded(ctx.db, patientId), ctx.actor, patientId, from, to)
      .orderBy('timestamp', 'desc')
      .orderBy('patient_vitals.id', 'desc')
      .limit(CHART_POINTS)
      .execute()
    return rows.map(withMarks(patient)).toReversed()
  },
})

/**
 * Records a measurement or corrects one. Refuses what is impossible; what is only unusual is marked
 * when it is read.
 */
export const saveVital = mutation('vitals.save', {
  on: historySave('patient_vitals'),
  input: SaveVital,
  async run(ctx, vital, { patient, existing }) {
    const { id, last_modified, patient_id, visit_id, timestamp, units, asked: _, ...typed } = vital
    const { check_plausible, bp_position, height_position } = vital
    if (isBeforeBirth(patient, dayIn(timestamp, clinicTimeZone())))
      throw invalid({ timestamp: { key: 'vitals.beforeBirth' } })
    if (existing) requireOwnRow(existing)
    // the recorder and the day of typing are in the row
    if (isOnAnotherDay(existing?.timestamp, timestamp)) {
      requireLivingOn(patient, dayIn(timestamp, clinicTimeZone()), 'timestamp')
      enteredLater(timestamp, ctx.actor.userId, 'timestamp', vital.asked)
    }
    const entered: AsEntered = {}
    const values = {} as Record<Entered, number | null>
    for (const measure of ENTERED) {
      const value = typed[measure]
      const unit = isWithUnits(measure) ? units[measure] : undefined
      values[measure] = value !== null && unit ? toMetric(value, unit) : value
      if (value !== null && unit && values[measure] !== value) entered[measure] = { unit, value }
    }
    const confirmed = mergeConfirmed(values, vital.confirmed, existing?.metadata)
    if (check_plausible) {
      const measured = { ...values, position: height_position, timestamp, id }
      const doubts = await findVitalDoubts(ctx.db, measured, patient, confirmed)
      if (Object.keys(doubts).length > 0) throw invalid(doubts)
    }
    const {
      entered: _entered,
      confirmed: _confirmed,
      height_position: _position,
      ...others
    } = (existing?.metadata ?? {}) as VitalMetadata
    const metadata: VitalMetadata = {
      ...others,
      ...(Object.keys(entered).length > 0 && { entered }),
      ...(Object.keys(confirmed).length > 0 && { confirmed }),
    }
    if (height_position && values.height_cm !== null) metadata.height_position = height_position
    const isPressure = values.systolic_bp !== null || values.diastolic_bp !== null
    return saveRecord(ctx, 'patient_vitals', {
      id,
      last_modified,
      patient_id,
      visit_id,
      timestamp,
      ...values,
      bmi: computeBmi(values.weight_kg, values.height_cm),
      bp_position: isPressure ? bp_position : null,
      metadata,
      // a correction does not change who measured
      ...(!existing && { recorded_by_user_id: ctx.actor.userId }),
    })
  },
})

/** The values that are confirmed now: those of this save, and those confirmed before that have not changed. */
export function mergeConfirmed(
  values: Readonly<Record<Confirmable, number | null>>,
  now: readonly Confirmable[],
  stored: unknown,
): Confirmed {
  const before = ((stored ?? {}) as VitalMetadata).confirmed
  return Object.fromEntries(
    CONFIRMABLE.flatMap((measure) => {
      const value = values[measure]
      const isConfirmed = now.includes(measure) || before?.[measure] === value
      return value !== null && isConfirmed ? [[measure, value]] : []
    }),
  )
}

type MeasuredNow = VitalValues & {
  id: string
  position: 'lying' | 'standing' | null
  timestamp: Date
}

/** Enough to find the last one that is no mistake. */
const EARLIER_WEIGHTS = 12

/** Why a value is hardly possible, by its field; what a user has confirmed is not doubted again. */
export async function findVitalDoubts(
  db: Kysely<DB>,
  { id, position, timestamp, ...values }: MeasuredNow,
  whose: Whose,
  confirmed: Confirmed,
) {
  const doubts: Record<string, Message> = {}
  const [birth, sex] = [patientBirth(whose), parseSex(whose.sex)]
  const span = ageSpanAt(birth, timestamp, clinicTimeZone()) ?? []
  const days = [...span, ...correctedAt(birth, timestamp, clinicTimeZone())].map((age) => age.days)
  const hardly = implausibleIn(values, { days, sex, position })
  for (const measure of CONFIRMABLE) {
    const why = hardly[measure]
    if (why && confirmed[measure] !== values[measure])
      doubts[measure] = { key: why.isOfAge ? 'vitals.doubtful' : 'vitals.doubtfulSign' }
  }
  const { weight_kg } = values
  if (weight_kg === null || confirmed.weight_kg === weight_kg) return doubts
  const earlier = await live(db)
    .select(['weight_kg', 'timestamp as at', confirmedWeight.as('confirmed')])
    .where('patient_vitals.patient_id', '=', whose.id)
    .where('patient_vitals.id', '!=', id)
    .where('weight_kg', 'is not', null)
    .where('timestamp', '<=', timestamp)
    .orderBy('timestamp', 'desc')
    .limit(EARLIER_WEIGHTS)
    .execute()
  const doubt = weightDoubt(
    { kg: weight_kg, at: timestamp, isConfirmed: false },
    earlier.map(({ weight_kg: weightKg, at, confirmed: isConfirmed }) =>
      toWeighed(weightKg!, at, isConfirmed),
    ),
    { birth, sex },
  )
  if (doubt?.before !== undefined)
    doubts['weight_kg'] = {
      key: 'vitals.doubtfulChange',
      values: { before: doubt.before, now: weight_kg },
    }
  return doubts
}

export const deleteVital = mutation('vitals.delete', {
  on: historyRow('patient_vitals', deleteHistory),
  input: RecordId,
  run(ctx, { id }, { existing, patient }) {
    requireOwnRow(existing)
    const day = dayIn(existing.timestamp, clinicTimeZone())
    return deleteRecord(ctx, 'patient_vitals', id, `${patientName(patient)}, ${day}`)
  },
})

/** A row that a form recorded is corrected and deleted in the form, so that both agree. */
function requireOwnRow({ form_event_id }: { form_event_id: string | null }) {
  if (form_event_id !== null) throw new AppError('conflict', { key: 'vitals.ofForm' })
}

/** Of visits that the caller may see, oldest first. */
export const vitalsOfVisits = async (db: Kysely<DB>, visitIds: string[], whose: Whose) =>
  vitalsWhere(
    recorded(db, whose.id).where('patient_vitals.visit_id', 'in', visitIds),
    visitIds,
    whose,
  )

/** By their ids, of a patient whose history the caller may read. */
export const loadVitals = async (db: Kysely<DB>, ids: string[], whose: Whose) =>
  vitalsWhere(recorded(db, whose.id).where('patient_vitals.id', 'in', ids), ids, whose)

/** One page names 50 records; a visit in which more than ten measurements were taken is a stay in hospital. */
const MANY = 500
async function vitalsWhere(vitals: ReturnType<typeof recorded>, ids: string[], whose: Whose) {
  if (ids.length === 0) return []
  const rows = await vitals.orderBy('timestamp').orderBy('patient_vitals.id').limit(MANY).execute()
  return rows.map(withMarks(whose))
}

export type Vital = Awaited<ReturnType<typeof loadVitals>>[number]
export type LatestVital = Awaited<ReturnType<typeof latestVital>>['latest'][number]

import { sql } from 'kysely'
import * as z from 'zod'
import { trail } from '~/db/roles.server'
import {
  type ChecksProgress,
  checksProgress,
} from '~/features/medicines/prescriptions/check/progress.server'
import { openMovedIn } from '~/features/exchange/imports/moved-in/moved-in.server'
import { openEmergencies, reviewable } from '~/features/medicines/safety/overrides.server'
import { diskState, isDiskFull, isLow } from '~/server/disk.server'
import { mutation, NoInput, query } from '~/server/operation'
import { inPermittedClinics } from '~/server/scope'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { type Actor, isSuperAdmin } from '~/shared/actor'
import { SEEN_FROM } from '~/records/seen'
import {
  CHECKLIST,
  FIRST_STEP_NAMES,
  type FirstStep,
  looksAfterAll,
  seesNumbers,
  OF_SUPER_ADMIN,
  seesTrends,
  TREND_DAYS,
} from './summary'

export type TrendDay = { day: string; registered: number; visits: number }

/**
 * Registrations and visits on each of the last days of the clinic's calendar, the days without any
 * included.
 */
export const summaryTrends = query('summary.trends', {
  reads: [],
  looksUp: ['patients', 'visits', ...SEEN_FROM],
  input: NoInput,
  allow: ({ actor }) => seesTrends(actor),
  async run({ db }): Promise<TrendDay[]> {
    const zone = clinicTimeZone()
    const today = dayIn(new Date(), zone)
    const localDaySql = (column: string) => sql`(${sql.ref(column)} at time zone ${zone})::date`
    const first = sql`((${today}::date - ${TREND_DAYS - 1}::integer)::timestamp at time zone ${zone})`
    const { rows } = await sql<TrendDay>`
      select day::date::text as day, coalesce(registered, 0) as registered, coalesce(visits, 0) as visits
      from generate_series(${today}::date - ${TREND_DAYS - 1}::integer, ${today}::date, '1 day') day
      left join (select ${localDaySql('created_at')} as day, count(*) as registered from patients
        where not is_deleted and created_at >= ${first} group by 1) r using (day)
      left join (select ${localDaySql('check_in_timestamp')} as day, count(*) as visits from visits
        where not is_deleted and check_in_timestamp >= ${first}
          and not visit_only_waits(id, closed_at, closed_as)
        group by 1) v using (day)
      order by day`.execute(db)
    return rows
  },
})

export type CareFacts = {
  /** Null unless the user may see backups. */
  backups: {
    lastBackupAt: Date | null
    lastFailureAt: Date | null
    /** State of the second folder; null if none is set. `madeAt`: time of the backup with the newest good copy. */
    copies: { madeAt: Date | null; chosenAt: Date | null; days: number } | null
  } | null
  /**
   * From phones: rows that could not be applied, and values that another user changed meanwhile.
   */
  refusedRows: number
  lostValues: number
  /** After a move from another system: entries that the user can look at and nobody has. */
  movedIn: number
  /** Users with three or more emergency accesses in twelve hours, until all of these are reviewed. */
  frequentEmergencies: { userId: string; user: string; count: number }[]
  /**
   * Warnings and questions about allergies that an emergency left for later, in clinics where the user closes them, and
   * how many of these are patients whose allergies were not asked about.
   */
  askedLater: { count: number; unasked: number }
  /** Bytes that are free on the server's disk, if that is too few. Null unless the user looks after all clinics. */
  disk: { free: number | null; isFull: boolean } | null
  /** Arrived medicines whose safety check takes long. Null unless the user looks after all clinics. */
  checks: ChecksProgress | null
  /** The application's database user could rewrite the audit trail. False unless the user looks after all clinics. */
  isTrailUnprotected: boolean
}

/**
 * Problems to fix: backups, for administrators; what phones sent and could not be applied, for
 * users who may resolve it and for the user who sent it.
 */
export const summaryCare = query('summary.care', {
  reads: [
    'backups',
    'backup_copies',
    'emergency_accesses',
    'medicine_checks',
    'moved_in_reviews',
    'safety_overrides',
    'sync_conflicts',
    'sync_quarantine',
  ],
  looksUp: ['patients', 'users'],
  input: NoInput,
  allow: ({ actor }) => seesNumbers(actor),
  async run({ db, actor }): Promise<CareFacts> {
    const open = (table: string) =>
      sql`(select count(*) from ${sql.table(table)} waiting where settled_at is null
        and (waiting.user_id = ${actor.userId}
          or ${inPermittedClinics(actor, 'waiting.clinic_id', 'is_clinic_admin')}))`
    const { rows } = await sql<
      Pick<
        CareFacts,
        'refusedRows' | 'lostValues' | 'movedIn' | 'frequentEmergencies' | 'askedLater' | 'checks'
      > & {
        lastBackupAt: Date | null
        lastFailureAt: Date | null
        madeAt: Date | null
        chosenAt: Date | null
        days: number | null
      }
    >`select
      (select max(finished_at) from backups where status = 'finished') as "lastBackupAt",
      (select max(created_at) from backups where status = 'failed') as "lastFailureAt",
      copies.made_at as "madeAt", copies.chosen_at as "chosenAt", copies.old_after_days as days,
      ${open('sync_quarantine')} as "refusedRows",
      ${open('sync_conflicts')} as "lostValues",
      ${openMovedIn(actor)} as "movedIn",
      ${askedLater(actor)} as "askedLater",
      ${looksAfterAll(actor) ? emergenciesOfAShift : sql`null`} as "frequentEmergencies",
      ${looksAfterAll(actor) ? checksProgress : sql`null`} as checks
      from (values (true)) one left join backup_copies copies on copies.folder is not null`.execute(
      db,
    )
    const {
      refusedRows,
      lostValues,
      movedIn,
      askedLater: later,
      lastBackupAt,
      lastFailureAt,
      ...more
    } = rows[0]!
    if (!looksAfterAll(actor))
      return { ...NOTHING, refusedRows, lostValues, movedIn, askedLater: later }
    const { madeAt, chosenAt, days, frequentEmergencies, checks } = more
    const copies = days === null ? null : { madeAt, chosenAt, days }
    return {
      refusedRows,
      lostValues,
      movedIn,
      askedLater: later,
      frequentEmergencies,
      backups: { lastBackupAt, lastFailureAt, copies },
      disk: await scarceDisk(),
      checks,
      isTrailUnprotected: trail.isUnprotected,
    }
  },
})

const NOTHING = {
  backups: null,
  frequentEmergencies: [],
  disk: null,
  checks: null,
  isTrailUnprotected: false,
}

async function scarceDisk(): Promise<CareFacts['disk']> {
  const disk = await diskState()
  return isLow(disk) ? { free: disk.free, isFull: isDiskFull(disk) } : null
}

/** A shift with that many emergencies of one user is looked at on the same day. */
const MANY_IN_A_SHIFT = 3

/** As the list of emergencies. */
const askedLater = (actor: Actor) => sql`(
  select json_build_object('count', count(*), 'unasked', count(*) filter (where kind = 'not_asked'))
  from safety_overrides where ${openEmergencies} and not is_deleted and ${reviewable(actor)})`

const emergenciesOfAShift = sql`(
  select coalesce(json_agg(frequent), '[]') from (
    select users.id as "userId", users.name as user, count(*)::int as count
    from emergency_accesses e join users on users.id = e.user_id
    where not e.is_deleted and e.created_at > clock_timestamp() - interval '12 hours'
    group by users.id having count(*) >= ${MANY_IN_A_SHIFT} and bool_or(e.reviewed_at is null)
    order by count(*) desc, users.name limit 5) frequent)`

type Done = Record<FirstStep, boolean> & { dismissed: boolean }

/**
 * The first steps of a new clinic, ticked automatically. Null if done or dismissed by this user.
 */
export const getChecklist = query('checklist.get', {
  reads: ['app_config', 'backups', 'clinic_departments', 'drug_catalogue', 'event_forms', 'users'],
  looksUp: ['patients'],
  input: NoInput,
  allow: ({ actor }) => looksAfterAll(actor),
  async run({ db, actor }) {
    const { rows } = await sql<Done>`select
      exists (select from app_config where key = 'organization-name' and value <> '') as organization,
      exists (select from clinic_departments where not is_deleted) as departments,
      (select count(*) > 1 from (select from users where not is_deleted limit 2) two) as staff,
      exists (select from audit_log where table_name = 'registration_forms'
        and via <> 'system') as "registrationForm",
      exists (select from event_forms where not is_deleted) as "eventForms",
      exists (select from drug_catalogue where not is_deleted) as drugs,
      exists (select from patients where not is_deleted) as patients,
      exists (select from backups where status = 'finished') as backup,
      exists (select from app_config where key = 'public-origin' and value <> '') as phones,
      exists (select from dismissals where user_id = ${actor.userId} and notice = ${CHECKLIST}) as dismissed`.execute(
      db,
    )
    const { dismissed, ...done } = rows[0]!
    const steps = FIRST_STEP_NAMES.filter(
      (name) => isSuperAdmin(actor) || !OF_SUPER_ADMIN.includes(name),
    )
    if (dismissed || steps.every((name) => done[name])) return null
    return steps.map((name) => ({ name, isDone: done[name] }))
  },
})

/** Waves a notice away, for oneself alone. */
export const dismissNotice = mutation('checklist.dismiss', {
  input: z.object({ notice: z.enum([CHECKLIST], 'validation.option') }),
  allow: ({ actor }) => looksAfterAll(actor),
  async run({ db, actor }, { notice }) {
    await db
      .insertInto('dismissals')
      .values({ user_id: actor.userId, notice })
      .onConflict((conflict) => conflict.columns(['user_id', 'notice']).doNothing())
      .execute()
    return { ok: true as const }
  },
})

/** Brings it back. */
export const recallNotice = mutation('checklist.recall', {
  input: z.object({ notice: z.enum([CHECKLIST], 'validation.option') }),
  allow: ({ actor }) => looksAfterAll(actor),
  async run({ db, actor }, { notice }) {
    await db
      .deleteFrom('dismissals')
      .where('user_id', '=', actor.userId)
      .where('notice', '=', notice)
      .execute()
    return { ok: true as const }
  },
})

import type { Kysely } from 'kysely'
import { asObject } from '~/shared/object'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import {
  type Access,
  type AccessEntry,
  lostEntry,
  namesInQuestion,
  type AccessOutcome,
  patientsByName,
  findPatientIds,
  writeEntries,
} from './access-entry'
import { explainDiskFailure, refuseOnFullDisk } from './disk.server'
import { log } from './log'
import { type LoggedQuery, readQuestion } from './question'
import { countUnwritten, openUnwritten } from './unwritten-accesses.server'
import { isId } from '~/shared/id'

/**
 * Writes `access_log` (docs/decisions/0028): users who were shown patients, asked about them or were refused. Reads
 * wait in memory; one statement looks up whom their questions name, and one writes all of them. Entries that must be on
 * disk before the response are awaited.
 */
/** What the log records of a request. */
type Caller = {
  db: Kysely<DB>
  actor: Actor | null
  request: {
    id: string
    via: string
    sessionUserId?: string
    appPasswordId?: string | null
    hubPhoneId?: string
    chainId?: string
  }
}

/** The user of the request, or of a session that this way in does not accept: it is locked, for example. */
const callerUserId = ({ actor, request }: Caller) => actor?.userId ?? request.sessionUserId

const FLUSH_MS = 250
/** After a failure. */
const RETRY_MS = 5_000
/** Within this time, the same user, operation and patient are one entry. */
const REPEAT_MS = 10 * 60_000
/** Largest number of waiting reads: at this number, a request waits until they are written. */
const WAITING = 2_000
/**
 * While the disk is full: largest number of entries that wait in memory, and of patients in them. Beyond that, entries
 * are counted.
 */
const KEPT = { entries: 20_000, patients: 200_000 }
/** Largest number of remembered accesses. Beyond that, some repeats are written. */
const REMEMBERED = 100_000
/** A call that shows more patients than this is written whole: repeats of it are rare. */
const LONG = 1_000

/**
 * A read whose question names more than its answer showed. `entry` has no patients yet: those of the ids and numbers,
 * without the patients that were shown. With `isKept` it is written without patients if there are none.
 */
type Asked = LoggedQuery & { entry: AccessEntry; shown: ReadonlySet<string>; isKept: boolean }

/** `entry`: the first, later with the time of the last repeat. */
type Remembered = { until: number; repeats: number; entry: AccessEntry }

class AccessLog {
  #waiting: AccessEntry[] = []
  #asked: Asked[] = []
  #remembered = new Map<string, Remembered>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** The disk took nothing at the last attempt. */
  #isBlocked = false
  /** Entries that are lost, because the disk was full for too long. */
  #lost = 0

  constructor(readonly db: Kysely<DB>) {}

  /** Entries that are nowhere but in this process. */
  get unwritten() {
    return this.#waiting.length + this.#asked.length + this.#lost
  }

  /** The patients of a call who are not in an entry of the last ten minutes; null if there is nothing to write. */
  fresh(entry: AccessEntry): AccessEntry | null {
    const { patientIds, userId, via, appPasswordId, hubPhoneId, chainId } = entry
    if (patientIds.length > LONG) return entry
    const by = [userId, via, appPasswordId, hubPhoneId, chainId]
    const call = [...by, entry.operation, entry.outcome, entry.clinicId].join()
    const named = patientIds.length === 0 ? [''] : patientIds
    const unseen = named.filter((id) => !this.#isRepeat(`${call},${id}`, entry))
    if (unseen.length === 0) return null
    return { ...entry, patientIds: unseen.filter((id) => id !== '') }
  }

  #isRepeat(key: string, entry: AccessEntry): boolean {
    const known = this.#remembered.get(key)
    if (known && known.until > entry.at) {
      known.repeats += 1
      known.entry = { ...known.entry, at: entry.at }
      return true
    }
    if (known) this.#forget(key, known)
    if (this.#remembered.size >= REMEMBERED) this.#forgetBefore(Number.POSITIVE_INFINITY)
    this.#remembered.set(key, { until: entry.at + REPEAT_MS, repeats: 0, entry })
    return false
  }

  /** Forgets accesses older than `REPEAT_MS`. The number of repeats of a refusal becomes an entry of its own. */
  #forgetBefore(now: number) {
    // in the order in which they end
    for (const [key, known] of this.#remembered) {
      if (known.until > now) return
      this.#forget(key, known)
    }
  }

  #forget(key: string, { repeats, entry }: Remembered) {
    this.#remembered.delete(key)
    if (repeats > 0 && entry.outcome !== 'shown') this.#waiting.push({ ...entry, count: repeats })
  }

  async add(entry: AccessEntry | null, asked: Asked | null) {
    if (entry) this.#waiting.push(entry)
    if (asked) this.#asked.push(asked)
    if (this.#isBlocked) return this.#keepSome()
    if (this.#waiting.length + this.#asked.length >= WAITING) await this.flush()
    else this.#flushLater(FLUSH_MS)
  }

  /** `count` entries were lost: the log says so. */
  async addLost(count: number) {
    this.#lost += count
    await this.flush()
  }

  /** Drops what is more than memory may hold, the newest first, and counts it. */
  #keepSome() {
    const { entries, patients } = KEPT
    const most = entries - Math.min(this.#asked.length, entries)
    let named = 0
    const fitting = this.#waiting.findIndex(
      ({ patientIds }, at) => at >= most || (named += patientIds.length) > patients,
    )
    const dropped = fitting === -1 ? [] : this.#waiting.splice(fitting)
    const unasked = this.#asked.splice(entries)
    this.#lost += dropped.reduce((sum, { count }) => sum + count, 0) + unasked.length
    countAll()
  }

  /**
   * Runs a write, and keeps its entries if the disk takes nothing: a full disk must not keep users from reading.
   * Returns whether it wrote them.
   */
  async #written(keep: () => void, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await refuseOnFullDisk({ isSmall: true })
      await work()
    } catch (error) {
      keep()
      const ofDisk = error instanceof AppError ? error : explainDiskFailure(error)
      this.#isBlocked = ofDisk !== undefined
      this.#flushLater(RETRY_MS)
      if (!ofDisk) throw error
      this.#keepSome()
      return false
    }
    this.#isBlocked = false
    return true
  }

  /** Writes the waiting entries, and waits for a write in progress. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#forgetBefore(performance.now())
    const [entries, asked] = [this.#waiting, this.#asked]
    this.#waiting = []
    this.#asked = []
    const before = this.#writing
    this.#writing = (async () => {
      await before.catch(() => undefined)
      let found: AccessEntry[] = []
      const restored = () => {
        this.#waiting = [...entries, ...found, ...this.#waiting]
      }
      const isFound = await this.#written(
        () => {
          restored()
          this.#asked = [...asked, ...this.#asked]
        },
        async () => (found = await this.named(asked)),
      )
      if (!isFound) return
      const lost = this.#lost
      const all = [...entries, ...found, ...(lost > 0 ? [lostEntry(lost)] : [])]
      if (all.length === 0 || !(await this.#written(restored, () => writeEntries(this.db, all))))
        return
      this.#lost -= lost
      // what was lost is written when it is repeated
      if (lost > 0) this.#remembered.clear()
      countAll()
    })()
    await this.#writing
  }

  /** The entries of the patients that questions name, without repeats. */
  async named(asked: readonly Asked[]): Promise<AccessEntry[]> {
    if (asked.length === 0) return []
    const byName = await patientsByName(this.db, asked)
    return asked.flatMap(({ entry, shown, isKept, ...question }) => {
      const named = new Set(namesInQuestion(question).flatMap((name) => byName.get(name) ?? []))
      const patientIds = [...named].filter((id) => !shown.has(id))
      const isOfNobody = patientIds.length === 0 && (!isKept || named.size > 0)
      return (isOfNobody ? null : this.fresh({ ...entry, patientIds })) ?? []
    })
  }

  /** What `fresh` returned and could not be written is written the next time. */
  async writeNow(entries: readonly AccessEntry[]) {
    if (entries.length === 0) return
    try {
      if (
        await this.#written(
          () => {},
          () => writeEntries(this.db, entries),
        )
      )
        return
      this.#waiting = [...this.#waiting, ...entries]
      this.#keepSome()
    } catch (error) {
      this.#remembered.clear()
      throw error
    }
  }

  #flushLater(ms: number) {
    // only tests pass a transaction, and they flush before they read
    if (this.db.isTransaction || this.#timer) return
    this.#timer = setTimeout(() => {
      this.flush().catch((error: unknown) => log.error({ err: error }, 'access log'))
    }, ms).unref()
  }
}

const logs = () => perProcess('access log', () => new Map<Kysely<DB>, AccessLog>())
const ofTransactions = new WeakMap<Kysely<DB>, AccessLog>()

function accessLogFor(db: Kysely<DB>): AccessLog {
  const known = db.isTransaction ? ofTransactions : logs()
  const found = known.get(db) ?? new AccessLog(db)
  known.set(db, found)
  return found
}

/** Writes the waiting entries of this process, so that a reader of the log sees them. */
export const flushAccesses = (db: Kysely<DB>): Promise<void> => accessLogFor(db).flush()

/** Continues the count of a process that ended while the disk was full. Called once, before anyone is served. */
export async function openAccesses(db: Kysely<DB>): Promise<void> {
  const lost = openUnwritten()
  if (lost > 0) await accessLogFor(db).addLost(lost)
}

/** Stores how many entries are in memory only. */
function countAll() {
  countUnwritten([...logs().values()].reduce((sum, each) => sum + each.unwritten, 0))
}

/** The same for every database of the process, before it stops. */
export async function stopAccesses(): Promise<void> {
  for (const each of logs().values()) await each.flush()
}

function buildLogEntry(caller: Caller, access: Access): AccessEntry {
  const { request } = caller
  return {
    ...access,
    at: performance.now(),
    userId: callerUserId(caller)!,
    via: request.via,
    appPasswordId: request.appPasswordId ?? null,
    hubPhoneId: request.hubPhoneId ?? null,
    chainId: request.chainId ?? null,
    requestId: request.id,
    count: 1,
  }
}

/**
 * Whom a read was about. `shown`: the patients of its answer, null if it is about no patients. `question`: what its
 * input names. `isFound`: whether the answer says that there is something, in case it shows nobody.
 */
export type Read = Omit<Access, 'outcome' | 'patientIds'> & {
  shown: readonly string[] | null
  question: LoggedQuery
  isFound: boolean
}

/**
 * Records whom an answer shows and whom its question names, whatever the answer. A read about patients that shows and
 * names nobody is an entry without patients. It is written within 250 ms, or before the response if the user reads by
 * emergency access, or in a command, whose process ends.
 */
export async function recordRead(caller: Caller, { shown, question, isFound, ...access }: Read) {
  const { db, actor, request } = caller
  if (!actor) return
  const accessLog = accessLogFor(db)
  const known = new Set(shown)
  const ids = question.ids.filter((id) => !known.has(id))
  const isKept = shown !== null && known.size === 0
  const entryWith = (outcome: AccessOutcome, patientIds: string[]) =>
    buildLogEntry(caller, { ...access, outcome, patientIds })
  // of patients in the answer, one that is only in the question was not found
  const rest = entryWith(isFound && known.size === 0 ? 'shown' : 'not_found', [])
  const isOpen = namesInQuestion({ ...question, ids }).length > 0
  const asked = isOpen ? { ...question, ids, entry: rest, shown: known, isKept } : null
  const ofNobody = () => (isKept && !isOpen ? accessLog.fresh(rest) : null)
  const entry = known.size > 0 ? accessLog.fresh(entryWith('shown', [...known])) : ofNobody()
  if (!entry && !asked) return
  const isEmergency = actor.emergency?.some((id) => known.has(id) || question.ids.includes(id))
  if (isEmergency || request.via === 'command')
    await accessLog.writeNow([
      ...(entry ? [entry] : []),
      ...(asked ? await accessLog.named([asked]) : []),
    ])
  else await accessLog.add(entry, asked)
}

/** Records exports, prints and searches before the response, each of them: in the transaction of the operation. */
export async function recordNow(caller: Caller, access: Omit<Access, 'outcome'>): Promise<void> {
  if (caller.actor)
    await writeEntries(caller.db, [buildLogEntry(caller, { ...access, outcome: 'shown' })])
}

const REFUSALS: Partial<Record<AppError['code'], AccessOutcome>> = {
  forbidden: 'refused',
  unauthenticated: 'refused',
  not_found: 'not_found',
  // guesses, and more requests than a user may make
  too_many_requests: 'refused',
}

/** The same of errors with a status of HTTP, as those of FHIR. */
const REFUSED_STATUSES: Partial<Record<number, AccessOutcome>> = {
  401: 'refused',
  403: 'refused',
  404: 'not_found',
  // that it was deleted says that it was there
  410: 'not_found',
  429: 'refused',
}

/** A call that no operation answers. */
const NO_OPERATION: AppError['text']['key'] = 'sync.unknownCall'

function refusalOutcome(error: unknown): AccessOutcome | undefined {
  if (error instanceof AppError)
    return error.text.key === NO_OPERATION ? undefined : REFUSALS[error.code]
  const { status } = asObject(error)
  return typeof status === 'number' ? REFUSED_STATUSES[status] : undefined
}

/**
 * Runs a call by a known user and records its refusal before the response. The patients are those whose records
 * the input names, in the user's scope or not.
 */
export async function keepingRefusals<R>(
  caller: Caller,
  operation: string,
  input: unknown,
  call: () => Promise<R>,
): Promise<R> {
  try {
    return await call()
  } catch (error) {
    const outcome = refusalOutcome(error)
    if (outcome && callerUserId(caller)) await recordRefusal(caller, operation, input, outcome)
    throw error
  }
}

export async function recordRefusal(
  caller: Caller,
  operation: string,
  input: unknown,
  outcome: AccessOutcome,
) {
  const { db, actor } = caller
  const accessLog = accessLogFor(db)
  const patientIds = await findPatientIds(db, [...readQuestion(input).ids])
  const clinicId = namedClinicId(input) ?? actor?.clinicId ?? null
  const entry = accessLog.fresh(buildLogEntry(caller, { operation, outcome, patientIds, clinicId }))
  if (entry) await accessLog.writeNow([entry])
}

export function namedClinicId(input: unknown): string | null {
  const { clinicId, clinic_id: column } = asObject(input)
  return [clinicId, column].find(isId) ?? null
}

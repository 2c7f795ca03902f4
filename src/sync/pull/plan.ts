import type { Actor } from '~/shared/actor'
import { isSameScope, type PersonScope, personScope, union } from '../schema/scope'

export type PullInput = {
  /** The number (`timestamp`) of the device's last pull; 0 for none. */
  lastPulledAt: number
  schemaVersion: number | null
  /** Tables that are new to the app since its upgrade, or have new columns: sent in full once. */
  upgraded: readonly string[]
  /** The user requested everything, although the device may hold later values. */
  isForced?: boolean
  /** A device that names no pull is not empty: it has synced on its other way. */
  secondCode?: SecondCode | null
  /** The device names a pull only once its sync is over: what it had not sent then has arrived. */
  namesFollowed?: boolean
}

/** The phone on its other way: it has the server's state, or has not had it since a restore. */
export type SecondCode = 'current' | 'waits'

/** What a pull sends to a device. */
export type Plan = {
  /** The device, as a chain of pulls and pushes; null for an unknown one. */
  chainId: string | null
  /** The number of its last pull; null for an unknown one. */
  cursor: number | null
  /** The snapshot of its last pull. */
  acknowledged: string | null
  /** Send rows that changed after this snapshot; null: everything in scope. */
  since: string | null
  scope: PersonScope
  /** What else the device may hold, from another user or earlier rights. */
  held: PersonScope
  /** The time of a former server up to which the device has its rows; null if it comes from none. */
  formerAt: number | null
  /**
   * The ids that the device must delete because the rows left its scope: everything out of scope
   * (`all`) but what left it after `departuresUntil`, or what was withdrawn within a window that
   * ends with the device's last push. The edits that the device made before have arrived by then.
   * Null for none yet.
   */
  departures: 'all' | PullWindow | null
  /** Where that window of the next pull begins. */
  departuresUntil: string | null
  /**
   * The deleted rows whose ids the device must delete: the window ends with the pull before the
   * last one that a push followed. That pull or an earlier one has sent them with `is_deleted`.
   */
  removals: PullWindow | null
  /** Where that window of the next pull begins. */
  removalsUntil: string | null
  /** The end of the window, if it is known. */
  settled: string | null
  /**
   * Rows on the resend list that the device should not hold leave it if this snapshot sees their
   * entry: that of the pull which the device's last push followed. Null if the last pull has sent
   * their ids.
   */
  resendsUntil: string | null
  heldAfter: PersonScope
  /** What the device has after this pull: the snapshot that the pull reads, or an earlier one. */
  snapshot: string
  /** Rows that the device may hold in a later version are not sent yet: until that has followed. */
  withheld: Withheld | null
  /** The device may hold rows that a restore took from the server and that were sent again since. */
  holdsUnknown: boolean
  sendsNothing: boolean
  upgraded: readonly string[]
}
type Withheld = 'push' | 'upload'
export type PullWindow = { from: string; to: string; push: string | null }

/** The device's last pull, as it was recorded. */
export type Cursor = {
  chain_id: string
  user_id: string
  snapshot: string
  gone_snapshot: string | null
  removed_snapshot: string | null
  scope: PersonScope
  held: PersonScope
  pushed_snapshot: string | null
  settled_snapshot: string | null
  followed_snapshot: string | null
  base_pull: number | null
  /** A push has followed that pull or a later one of this chain. */
  is_followed: boolean
  last_push: string | null
  withheld: Withheld | null
  is_uploaded: boolean
}

/** A restore after which the device has synced no more; `isLost`: it had synced after the backup. */
export type Epoch = { snapshot: string; isLost: boolean }

/**
 * What the server knows of the device; `cursor` is null for a number that is not a pull of this server. `isFormer`: the
 * number is a time of the former server, whose rows were imported.
 */
type Known = {
  snapshot: string
  epoch: Epoch | null
  cursor: Cursor | null
  isFormer: boolean
}

/** Decides what to send. */
export function buildPullPlan(actor: Actor, input: PullInput, known: Known): Plan {
  const { snapshot, cursor } = known
  const scope = personScope(actor)
  const sendsAll = {
    withheld: null,
    holdsUnknown: cursor !== null && cursor.withheld !== null,
    sendsNothing: false,
  }
  const common = { scope, snapshot, upgraded: input.upgraded, formerAt: null, ...sendsAll }
  if (!cursor) return { ...common, ...planForUnknown(input, scope, known) }

  const held = union(cursor.held, scope)
  const device = {
    chainId: cursor.chain_id,
    cursor: input.lastPulledAt,
    acknowledged: cursor.snapshot,
    settled: cursor.settled_snapshot,
    resendsUntil: cursor.followed_snapshot,
    held,
  }
  const { withheld } = cursor
  // the app pulls first, but what it has not sent comes first
  const hasSent = cursor.base_pull !== null || input.namesFollowed
  if (withheld && !hasSent && !input.isForced)
    return { ...common, ...device, ...nothing(cursor.snapshot, withheld), held, heldAfter: held }
  const isSameUser = cursor.user_id === actor.userId && isSameScope(cursor.scope, scope)
  const isHeldBack = withheld === 'upload' && !cursor.is_uploaded
  // further rights overwrite nothing; what they bring follows with all the rest
  const mayKeep = cursor.user_id === actor.userId && isSameScope(union(cursor.scope, scope), scope)
  if (mayKeep && isHeldBack && !input.isForced)
    return { ...common, ...device, ...changesSince(cursor.snapshot, withheld), heldAfter: held }
  if (isSameUser && !withheld)
    return {
      ...common,
      ...device,
      since: cursor.snapshot,
      ...planDeletions(cursor, scope, held),
    }
  // another user, other rights or a restore: send everything once, then delete what the device should
  // not hold
  return {
    ...common,
    ...device,
    since: null,
    departures: null,
    departuresUntil: null,
    removals: null,
    removalsUntil: cursor.removed_snapshot,
    heldAfter: held,
  }
}

/** Sends what was written since the snapshot, and deletes nothing. */
const changesSince = (snapshot: string, withheld: Withheld) => ({
  since: snapshot,
  departures: null,
  departuresUntil: null,
  removals: null,
  removalsUntil: null,
  withheld,
})

const nothing = (snapshot: string, withheld: Withheld) => ({
  ...changesSince(snapshot, withheld),
  snapshot,
  sendsNothing: true,
})

const EVERYTHING: PersonScope = { everything: true, known: [], history: [], any: [] }

/**
 * For an empty device, or for a number that this server never gave or lost when a backup was
 * restored: that device may hold later values, and must send first what it has not sent. A device of
 * a former server holds what was imported, and keeps what it has not sent while it pulls.
 */
function planForUnknown(
  { lastPulledAt, isForced, secondCode }: PullInput,
  scope: PersonScope,
  { snapshot, epoch, isFormer }: Known,
) {
  const isEmpty = lastPulledAt === 0 && !secondCode
  const isKnown = secondCode === 'current' || (secondCode === 'waits' && !epoch)
  const held = isEmpty || isKnown ? scope : EVERYTHING
  const unknown = {
    chainId: null,
    cursor: null,
    acknowledged: null,
    settled: null,
    resendsUntil: null,
    formerAt: isFormer ? lastPulledAt : null,
  }
  if (!isEmpty && !isKnown && !isForced && !isFormer) {
    const withheld = epoch?.isLost || secondCode ? ('upload' as const) : ('push' as const)
    return { ...unknown, ...nothing(epoch?.snapshot ?? snapshot, withheld), held, heldAfter: held }
  }
  return {
    ...unknown,
    since: null,
    held,
    departures: null,
    departuresUntil: isEmpty ? snapshot : null,
    removals: null,
    removalsUntil: isEmpty ? snapshot : null,
    heldAfter: held,
  }
}

function planDeletions(cursor: Cursor, scope: PersonScope, held: PersonScope) {
  const { gone_snapshot: from, pushed_snapshot: to, last_push: push } = cursor
  if (from !== null)
    return {
      ...planRemovals(cursor),
      departures: to === null ? null : { from, to, push },
      departuresUntil: to ?? from,
      heldAfter: held,
    }
  // a push has followed that pull, so that what had left by then contains no unsent edit
  return to !== null && cursor.is_followed
    ? {
        departures: 'all' as const,
        departuresUntil: to,
        removals: null,
        removalsUntil: cursor.settled_snapshot ?? to,
        heldAfter: scope,
      }
    : {
        departures: null,
        departuresUntil: null,
        removals: null,
        removalsUntil: cursor.removed_snapshot,
        heldAfter: held,
      }
}

/**
 * A deleted row stays on the device, hidden by `is_deleted`, until two pushes have followed the
 * pull that sent it so: an edit typed in a screen that was still open has arrived by then.
 */
function planRemovals({ removed_snapshot: from, settled_snapshot: to }: Cursor) {
  return from !== null && to !== null
    ? { removals: { from, to, push: null }, removalsUntil: to }
    : { removals: null, removalsUntil: from ?? to }
}

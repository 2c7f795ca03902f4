import { readChangeSet } from '~/sync/push/incoming'
import { ADMIN, type World } from './world'
import { type HeldRow, type SimulatedPhone } from './phone'
import { pull } from './pull'
import { applyWaiting, push, WAITING } from './push'
import { baseOfWaiting, currentBase, newPushState, type PushState } from './push-state'
import { saveAll } from './save'
import { isDeletedInScope, isLive } from './scope'
import { queueFor, tellPhones } from './store'
import { isSameScope, personScope, union } from '~/sync/schema/scope'
import { type InboxEntry, keyOf, type QuarantinedRow, type RowRef } from './state'

export const CUTS = [
  'before the pull',
  'after the pull',
  'before the push',
  'after the push',
] as const
type Cut = (typeof CUTS)[number]

/** A whole sync on one of the ways of the phone: through the hub, the app's button syncs twice. */
export function sync(world: World, phone: SimulatedPhone): string {
  const way = chooseWay(world, phone)
  syncOnce(world, phone)
  if (way === 'hub') {
    syncOnce(world, phone)
    world.auditor.switches(phone)
  }
  return way === 'hub' ? 'whole, through the hub' : 'whole'
}

/** The app uses the hub wherever it is near. */
export function chooseWay({ more }: World, phone: SimulatedPhone) {
  if (phone.hasBoth) phone.way = more.happens(0.5) ? 'hub' : 'public'
  return phone.way
}

/** One sync, as far as the line holds. `between`: what others do before the push comes a second time. */
export function syncOnce(world: World, phone: SimulatedPhone, cut?: Cut, between?: () => void) {
  const { server, auditor } = world
  if (cut === 'before the pull') return
  const chain = server.state.pulls.get(phone.lastPulledAt)?.chainId ?? ''
  const queued = new Set(server.state.resend.get(chain)?.keys())
  const keeps = keepsItsCopy(world, phone)
  const pulled = pull(server, phone, phone.lastPulledAt)
  auditor.pulled(phone.userId, pulled)
  if (cut === 'after the pull') return
  if (keeps) auditor.keeps(phone, pulled)
  phone.apply(pulled, (row) => auditor.destroyed(phone, row))
  for (const row of phone.rows.values()) {
    auditor.shown(phone.number, row)
    const isRejected = queued.has(keyOf(row)) && !server.row(row)
    if (isRejected || hasLeft(world, phone, row)) row.pushesSinceGone ??= 0
  }
  if (cut === 'before the push') return
  const isHub = phone.way === 'hub'
  const { body, sent } = phone.changes()
  const endOnHub = () => {
    phone.numbers.hub = pulled.timestamp
    auditor.acknowledged(phone)
  }
  if (isHub && sent.length === 0) return endOnHub()
  // through the hub, a push names the number of the pull before, and follows the newest pull from there
  const pullId = isHub ? pulled.timestamp : phone.lastPulledAt
  const push = pushOnce(world, phone, pullId, body)
  auditor.pushed(phone, sent, push)
  phone.countPush()
  if (between) {
    between()
    // the second push would wait for their locks
    for (const { commit } of server.running.values()) commit()
    // what leaves the scope between a pull and its push is removed by the next pull
    for (const row of phone.rows.values()) if (hasLeft(world, phone, row)) row.pushesSinceGone ??= 1
    const before = fingerprint(world)
    pushOnce(world, phone, pullId, body)
    auditor.repeated(before, fingerprint(world))
  }
  if (cut === 'after the push') return
  phone.markSynced(sent)
  if (isHub) endOnHub()
}

/** The phone waits since a restore, with the same user and at least the same rights. */
function keepsItsCopy({ server }: World, phone: SimulatedPhone): boolean {
  const { state } = server
  const pulled = state.pulls.get(phone.lastPulledAt)
  if (pulled?.withheld !== 'upload' || state.chains.get(pulled.chainId)!.isGiven) return false
  const isUploaded = state.pushes.some(
    ({ uploadedIn, userId, chainId }) =>
      uploadedIn === state.epochs.length &&
      userId === pulled.userId &&
      (chainId ?? pulled.chainId) === pulled.chainId,
  )
  const scope = personScope(server.actorOf(phone.userId))
  const isWider = isSameScope(union(pulled.scope, scope), scope)
  return !isUploaded && pulled.userId === phone.userId && isWider
}

/** An administrator gives a phone that waits the server's state. Answers whether it waited. */
export function giveState({ server }: World, phone: SimulatedPhone): boolean {
  const pulled = server.state.pulls.get(phone.lastPulledAt)
  if (pulled?.withheld !== 'upload') return false
  server.state.chains.get(pulled.chainId)!.isGiven = true
  server.trace?.push({ kind: 'give', pullId: phone.lastPulledAt })
  return true
}

const pushOnce = (
  { server }: World,
  phone: SimulatedPhone,
  pullId: number,
  body: object,
): PushState => push(server, { phone: phone.number }, phone, pullId, structuredClone(body))

/** The app's forced upload, after a pull of the user's choice. */
export function upload({ server, auditor }: World, phone: SimulatedPhone, pullId: number) {
  const uploaded = push(server, { phone: phone.number }, phone, pullId, phone.everything(), {
    isUpload: true,
  })
  auditor.uploaded(uploaded)
  phone.countPush()
}

/** The user may not see a row any more that the phone still holds: it will be removed. */
function hasLeft({ server }: World, { userId }: SimulatedPhone, row: HeldRow): boolean {
  const stored = server.row(row)
  const scope = personScope(server.actorOf(userId))
  return (
    stored !== undefined &&
    !isLive(server, stored, scope) &&
    !isDeletedInScope(server, stored, scope)
  )
}

/** Without the rows in quarantine: a push may apply one when it comes again. */
function fingerprint({ server: { state } }: World): string {
  const refused = new Set(state.quarantine.map(keyOf))
  const rows = [...state.rows].filter(([key]) => !refused.has(key))
  return JSON.stringify([
    rows.map(([key, { values, isDeleted }]) => [key, values, isDeleted]),
    state.inbox.length,
    state.quarantine.length,
  ])
}

// --- Settling ------------------------------------------------------------------------------------------

/** A user opens the inbox and the quarantine, and settles everything. Returns how many entries there were. */
export function settleAll(world: World): number {
  const { inbox, quarantine } = world.server.state
  const open = [...inbox, ...quarantine].filter(({ isSettled }) => !isSettled)
  for (const entry of open) settle(world, entry)
  return open.length
}

export function settleOne(world: World): string {
  const { inbox, quarantine } = world.server.state
  const entry = world.random.one([...inbox, ...quarantine].filter(({ isSettled }) => !isSettled))
  return entry ? settle(world, entry) : 'nothing waits'
}

const settle = (world: World, entry: InboxEntry | QuarantinedRow) =>
  'column' in entry ? settleConflict(world, entry) : settleRefused(world, entry)

/** By the rules of a push, as `settle.server.ts`. Answers whether it was applied. */
function decide({ server }: World, ref: RowRef, work: (state: PushState) => void): boolean {
  const row = server.row(ref)
  server.waitFor(ref.table === 'patients' ? ref.id : String(row?.values['patient_id']))
  const tx = server.begin('settling', ADMIN)
  const state = newPushState(server, tx, currentBase(server, tx))
  work(state)
  return state.refused.length + state.conflicts.length === 0
}

function settleConflict(world: World, entry: InboxEntry): string {
  const { table, id, column, phone, isDeleted } = entry
  const takes = world.random.happens(0.5) && !isDeleted && !world.server.row(entry)?.isDeleted
  if (takes) {
    const raw = { id, [column]: phone, _status: 'updated', _changed: column }
    decide(world, entry, (state) =>
      saveAll(state, readChangeSet({ [table]: { updated: [raw] } }).rows),
    )
  }
  entry.isSettled = true
  const { server } = world
  server.trace?.push(structuredClone({ kind: 'conflict', entry, takes }))
  if (entry.chainId)
    queueFor(server.state, entry.chainId, keyOf(entry), server.begin('settling').xid)
  return `${table} ${id} ${column}: takes ${takes ? `the phone's ${phone}` : "the server's value"}`
}

function settleRefused(world: World, entry: QuarantinedRow): string {
  const { table, id, operation, raw, reason } = entry
  const takes = world.random.happens(0.5)
  const isApplied =
    takes &&
    operation === 'save' &&
    decide(world, entry, (state) => {
      const { form, newer } = baseOfWaiting(world.server, entry)
      Object.assign(state.base, { form, newer })
      saveAll(state, readChangeSet({ [table]: { updated: [raw] } }).rows)
    })
  entry.isSettled = true
  world.server.trace?.push(structuredClone({ kind: 'refusal', entry, isApplied }))
  tellPhones(world.server, entry, world.server.begin('settling').xid)
  return `${table} ${id} (${reason}): ${isApplied ? 'applied' : 'rejected'}`
}

/**
 * The job that applies rows in quarantine once the record that they name is here
 * (`release.server.ts`). Answers how many it applied.
 */
export function releaseWaiting({ server }: World): number {
  server.trace?.push({ kind: 'release' })
  let applied = 0
  for (const entry of server.state.quarantine) {
    if (entry.isSettled || entry.operation !== 'save' || !WAITING.includes(entry.reason)) continue
    const missing = server.live().find(({ id }) => id === entry.detail)
    if (!missing || entry.retriedAt === server.state.stamps.get(keyOf(missing))!.xid) continue
    entry.retriedAt = server.state.stamps.get(keyOf(missing))!.xid
    if (applyWaiting(server, entry)) applied += 1
  }
  return applied
}

import { PERMISSIONS } from '~/shared/permissions'
import type { World } from './world'
import { chooseWay, CUTS, releaseWaiting, settleOne, sync, syncOnce, upload } from './lines'
import { type HeldRow, type SimulatedPhone } from './phone'
import { snapshotText } from './snapshots'
import {
  entriesIn,
  hasAuthor,
  IN_FORM,
  keyOf,
  MAP,
  NEWER,
  OF_APP,
  type Name,
  TABLES,
  TYPED,
  UNSHOWN,
  type Values,
} from './state'

const DAY = 86_400_000
/** Stock is in no table that phones write. */
const OF_RECORDS = PERMISSIONS.filter((permission) => permission !== 'can_manage_stock')
/** A moment on the clock of the clinic: it moves with each value that is typed. */
const moment = (mark: string) => 1_700_000_000_000 + Number(mark.slice(1)) * 1000

// --- Phones ----------------------------------------------------------------------------------------------

/**
 * Rows in which the user of a phone types. A screen that was open when its record was hidden or left
 * the scope stays open until the next push.
 */
const editable = (phone: SimulatedPhone, table?: Name) =>
  phone.shown(table).filter(({ pushesSinceGone }) => (pushesSinceGone ?? 0) === 0)

function createOnPhone(world: World, phone: SimulatedPhone): string {
  const { random } = world
  const patient = random.early(editable(phone, 'patients').filter(({ isDeleted }) => !isDeleted))
  const table = patient && random.happens(0.8) ? random.one(TABLES.slice(1))! : 'patients'
  const visits = editable(phone, 'visits').filter(
    ({ values }) => values['patient_id'] === patient?.id,
  )
  const visit = random.happens(0.7) ? random.early(visits) : undefined
  const ref = { table, id: world.id() }
  const values = valuesOf(world, table, patient?.id ?? '', visit?.id ?? null, phone.skew)
  if (table === 'patients') for (const column of [...phone.hidden, ...UNSHOWN]) values[column] = ''
  phone.create(ref, values)
  for (const column of TYPED[table])
    if (values[column] !== '')
      world.auditor.typedOnPhone(phone.number, ref, column, String(values[column]))
  return `${keyOf(ref)} ${JSON.stringify(values)}`
}

function valuesOf(
  world: World,
  table: Name,
  patient_id: string,
  visit_id: string | null,
  skew = 0,
): Values {
  const { random, clinics, mark } = world
  const clinic = random.one(clinics)!
  const typed = Object.fromEntries(TYPED[table].map((column) => [column, mark()]))
  const at = moment(String(Object.values(typed)[0])) + skew
  const stamped = { ...typed, created_at: at, updated_at: at }
  if (table === 'patients') return { ...stamped, primary_clinic_id: clinic, [MAP.column]: '{}' }
  if (table === 'visits') return { ...stamped, patient_id, clinic_id: clinic }
  return { ...stamped, patient_id, visit_id, [OF_APP]: null }
}

function editOnPhone(world: World, phone: SimulatedPhone): string {
  const row = world.random.early(editable(phone, world.random.one(TABLES)!))
  return row ? edit(world, phone, row) : 'nothing to edit'
}

/** In some edits an entry is typed, too, and the app writes the time beside it. */
function typedEntry(
  { entries, entryMark }: World,
  { table, values }: { table: Name; values: Values },
) {
  if (table !== 'patients' || !entries.happens(0.3)) return null
  const [key, value] = [entries.one(MAP.typed)!, entryMark()]
  const before = entriesIn(values[MAP.column])
  const after = { ...before, [key]: value, [MAP.time]: new Date(moment(value)).toISOString() }
  return {
    column: `${MAP.column}.${key}`,
    value,
    before: before[key] ?? null,
    written: { [MAP.column]: JSON.stringify(after) },
  }
}

function edit(world: World, phone: SimulatedPhone, row: HeldRow): string {
  const { random, more, entries, clinics, mark, auditor } = world
  const hidden = row.table === 'patients' ? phone.hidden : []
  const chosen = random.one<string>(TYPED[row.table])!
  const column = hidden.includes(chosen)
    ? TYPED[row.table].find((each) => !hidden.includes(each))!
    : chosen
  const value = mark()
  const isCleared = row.table === 'patients' && more.happens(0.1)
  const values: Values = {
    [column]: isCleared ? '' : value,
    updated_at: moment(value) + phone.skew,
  }
  if (row.table === 'patients')
    for (const unshown of [...hidden, ...UNSHOWN])
      if ((row.values[unshown] ?? '') !== '') {
        auditor.emptiedByApp(phone.number, row, unshown, row.values[unshown]!)
        values[unshown] = ''
      }
  const entry = typedEntry(world, row)
  if (entry) Object.assign(values, entry.written)
  // a form that is opened again is saved without them
  else if (row.table === 'patients' && !row.changed.has(MAP.column) && world.entries.happens(0.1))
    values[MAP.column] = '{}'
  // into another clinic, which may take it out of a user's scope
  if (row.table === 'patients' && random.happens(0.15))
    values['primary_clinic_id'] = random.one(clinics)!
  if (row.table === 'visits' && random.happens(0.15)) values['clinic_id'] = random.one(clinics)!
  // into another visit, which the server may not have: then the edit waits for it
  if (row.table === 'patient_problems' && entries.happens(0.4)) {
    const visits = phone
      .shown('visits')
      .filter((visit) => visit.values['patient_id'] === row.values['patient_id'])
    values['visit_id'] = entries.one(visits)?.id ?? row.values['visit_id']!
  }
  if (hasAuthor(row.table)) values[OF_APP] = phone.userId
  const isFurther = phone.isNewer && row.table === 'patients' && entries.happens(0.3)
  const further = isFurther ? { column: entries.one(NEWER)!, value: world.entryMark() } : null
  if (further) values[further.column] = further.value
  phone.edit(row, values)
  if (further) auditor.typedOnPhone(phone.number, row, further.column, further.value)
  if (isCleared) auditor.clearedOnPhone(phone.number, row, column)
  else auditor.typedOnPhone(phone.number, row, column, value)
  if (entry) auditor.typedOnPhone(phone.number, row, entry.column, entry.value)
  return `${keyOf(row)} ${JSON.stringify(values)}`
}

function deleteOnPhone(world: World, phone: SimulatedPhone): string {
  const row = world.random.early(editable(phone, world.random.one(TABLES)!))
  if (!row) return 'nothing to delete'
  row.status = 'deleted'
  return keyOf(row)
}

/** The user types between the pull and the push of a sync, or after a push whose answer was lost. */
function syncCut(world: World, phone: SimulatedPhone): string {
  const where = world.random.one(CUTS)!
  const way = chooseWay(world, phone)
  syncOnce(world, phone, where)
  return `cut off ${where}, ${way}`
}

function pushTwice(world: World, phone: SimulatedPhone): string {
  let meanwhile = ''
  const between = world.random.one([editOnWeb, deleteOnWeb, undoOnWeb])!
  chooseWay(world, phone)
  syncOnce(world, phone, undefined, () => {
    meanwhile = between(world)
  })
  return `and meanwhile ${between.name}: ${meanwhile}`
}

function forceUpload(world: World, phone: SimulatedPhone): string {
  phone.way = 'public'
  upload(world, phone, world.random.happens(0.5) ? phone.lastPulledAt : 0)
  return 'all that it holds'
}

function handOver(world: World, phone: SimulatedPhone): string {
  const to = world.random.below(world.users.length)
  phone.userId = world.users[to]!
  return `to user ${to}`
}

function skewClock({ random }: World, phone: SimulatedPhone): string {
  phone.skew = (random.below(200) - 100) * DAY
  return `by ${phone.skew} ms`
}

// --- Web -----------------------------------------------------------------------------------------------------

function createOnWeb(world: World): string {
  const { random, server } = world
  const patient = random.early(server.live('patients'))
  const table = patient && random.happens(0.7) ? random.one(TABLES.slice(1))! : 'patients'
  const visits = server.live('visits').filter(({ values }) => values['patient_id'] === patient?.id)
  const ref = { table, id: world.id() }
  const values = valuesOf(world, table, patient?.id ?? '', random.early(visits)?.id ?? null)
  for (const column of TYPED[table]) world.auditor.typedOnWeb(null, String(values[column]))
  return (
    transact(world, patient?.id ?? ref.id, (tx) => server.saveOnWeb(tx, ref, values)) + keyOf(ref)
  )
}

function editOnWeb(world: World): string {
  return (world.more.happens(0.1) ? changeForm(world) : '') + editRecord(world)
}

function editRecord(world: World): string {
  const { random, server, auditor, clinics, mark } = world
  const row = random.early(server.live(random.one(TABLES)!))
  if (!row) return 'nothing to edit'
  const patientId = row.table === 'patients' ? row.id : String(row.values['patient_id'])
  server.waitFor(patientId)
  const column = random.one<string>(TYPED[row.table])!
  const value = mark()
  const values: Values = { [column]: value, updated_at: moment(value) }
  if (row.table === 'visits' && random.happens(0.2)) values['clinic_id'] = random.one(clinics)!
  auditor.typedOnWeb(row.values[column] ?? null, value)
  if (row.table === 'patients' && world.more.happens(0.3)) {
    const photo = `${value} photo`
    auditor.typedOnWeb(row.values['photo_url'] ?? null, photo)
    values['photo_url'] = photo
  }
  const entry = typedEntry(world, row)
  if (entry) {
    auditor.typedOnWeb(entry.before, entry.value)
    Object.assign(values, entry.written)
  }
  const how = transact(world, patientId, (tx) => server.saveOnWeb(tx, row, values))
  return `${how}${keyOf(row)} ${JSON.stringify(values)}`
}

/** A transaction of the web; some commit only after others that began later. */
function transact(
  { server, random }: World,
  patientId: string,
  work: (tx: ReturnType<typeof server.begin>) => void,
): string {
  server.waitFor(patientId)
  const tx = server.begin('web')
  if (!random.happens(0.3)) {
    work(tx)
    return ''
  }
  server.trace?.push({ kind: 'begin', xid: tx.xid })
  server.running.set(tx.xid, {
    patientId,
    commit() {
      server.running.delete(tx.xid)
      work(tx)
      server.trace?.push({ kind: 'commit', xid: tx.xid })
    },
  })
  return `slowly (transaction ${tx.xid}), `
}

function commit({ server, random }: World): string {
  const xid = random.one([...server.running.keys()])
  if (xid === undefined) return 'nothing runs'
  server.running.get(xid)!.commit()
  return `transaction ${xid}`
}

function deleteOnWeb(world: World): string {
  const { random, server } = world
  const row = random.early(server.live(random.one(TABLES)!))
  if (!row) return 'nothing to delete'
  server.waitFor(row.table === 'patients' ? row.id : String(row.values['patient_id']))
  if (!row.isDeleted) server.delete(server.begin('web'), row)
  return keyOf(row)
}

function undoOnWeb(world: World): string {
  const { random, server } = world
  const trash = server.state.deletions.filter((each) => !each.isRestored)
  // a mistake is often undone at once
  const deletion = random.happens(0.5) ? trash.at(-1) : random.one(trash)
  if (!deletion) return 'the trash is empty'
  const { root } = deletion
  server.waitFor(
    root.table === 'patients' ? root.id : String(server.row(root)!.values['patient_id']),
  )
  return `${keyOf(root)}${server.undo(server.begin('web'), deletion) ? '' : ': its parent is deleted'}`
}

/** An administrator hides a field of the registration form, or shows all. */
function changeForm({ server, more }: World): string {
  const hidden = more.one([[], ...IN_FORM.map((column) => [column])])!
  server.state.forms.push({ xid: server.begin('settling').xid, hidden })
  server.trace?.push({ kind: 'form', hidden })
  return `the form hides ${hidden.join(', ') || 'nothing'}; `
}

/** Everything in a clinic, nothing, or some of it. */
function grant({ server, random, clinics, users }: World): string {
  const at = random.below(users.length - 1)
  const clinic = random.one(clinics)!
  const likely = random.one([0, 0.5, 1, 1])!
  const held = OF_RECORDS.filter(() => random.happens(likely))
  const { grants } = server.state.users.get(users[at]!)!
  if (held.length > 0) grants[clinic] = held
  else delete grants[clinic]
  server.trace?.push({ kind: 'grant', userId: users[at]!, clinicId: clinic, held })
  return `user ${at} in clinic ${clinics.indexOf(clinic)}: ${held.join(', ') || 'nothing'}`
}

// --- Backups -------------------------------------------------------------------------------------------------

function backUp(world: World): string {
  world.server.trace?.push({ kind: 'backup' })
  world.backup = {
    state: structuredClone(world.server.state),
    stored: new Set(world.auditor.stored),
  }
  return 'made'
}

/** The server starts from its last backup, and counts its transactions from the beginning. */
function restore(world: World): string {
  const { server, backup, auditor, phones } = world
  if (!backup) return 'there is no backup'
  server.running.clear()
  server.trace?.push({ kind: 'restore' })
  auditor.forget(phones, backup.state.rows)
  auditor.stored = new Set(backup.stored)
  server.state = { ...structuredClone(backup.state), nextXid: 3 }
  if (server.rules.model.beginsEpoch) beginEpoch(world)
  return `from pull ${backup.state.lastPull} on`
}

/** `begin_sync_epoch()` */
function beginEpoch({ server }: World) {
  const { state } = server
  const { xid } = server.begin('web')
  for (const stamp of state.stamps.values()) {
    stamp.xid = xid
    if (stamp.born !== null) stamp.born = xid
    for (const column of Object.keys(stamp.columns)) stamp.columns[column] = xid
  }
  for (const link of state.links) link.xid = xid
  for (const form of state.forms) form.xid = xid
  state.versions = []
  for (const entry of state.quarantine) Object.assign(entry, { sentXid: null, appliedXid: null })
  for (const push of state.pushes) push.xid = null
  for (const chain of state.chains.values())
    Object.assign(chain, {
      pushedSnapshot: null,
      basePull: null,
      baseBefore: null,
      delivered: '{}',
    })
  state.resend.clear()
  state.echoes.clear()
  state.pulls.clear()
  const latest = Math.max(state.lastPull, server.clock * 1000)
  const first = state.lastPull + 1
  const next = latest + 60_000
  state.epochs.push({ first, next, snapshot: snapshotText(xid + 1, []) })
  state.lastPull = next
}

/** What can happen, and how often it does. */
export const steps = {
  createOnPhone: [18, createOnPhone],
  editOnPhone: [26, editOnPhone],
  deleteOnPhone: [4, deleteOnPhone],
  sync: [20, sync],
  syncCut: [9, syncCut],
  pushTwice: [4, pushTwice],
  forceUpload: [1, forceUpload],
  handOver: [2, handOver],
  skewClock: [1, skewClock],
  createOnWeb: [5, createOnWeb],
  editOnWeb: [14, editOnWeb],
  deleteOnWeb: [4, deleteOnWeb],
  undoOnWeb: [3, undoOnWeb],
  commit: [6, commit],
  grant: [4, grant],
  settleOne: [3, settleOne],
  release: [3, (world) => `${releaseWaiting(world)} rows`],
  backUp: [1, backUp],
  restore: [1, restore],
} satisfies Record<string, [number, (world: World, phone: SimulatedPhone) => string]>
export type StepName = keyof typeof steps

import { sql } from 'kysely'
import { PERMISSIONS } from '~/shared/permissions'
import type { Chance } from './chance'
import { described } from './phone-steps'
import { NOTE, QUESTIONS, type World } from './world'

type Row = Record<string, unknown>
type Caller = World['web'][number]
type Answer = { status: number; data: Row; said: string }

/**
 * A user on the web, through the operations that the screens call. Refusals are answers; a
 * failure of the server is none.
 */
export async function call(
  { server }: World,
  { token }: Caller,
  name: string,
  input: object,
): Promise<Answer> {
  const response = await fetch(`${server.origin}/api/trpc/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(input),
  })
  const text = await response.text()
  if (response.status >= 500 || response.status === 401)
    throw new Error(`${name}: ${response.status} ${text}`)
  const body = JSON.parse(text) as { result?: { data: Row }; error?: { message: string } }
  return {
    status: response.status,
    data: body.result?.data ?? {},
    said: body.error?.message ?? 'ok',
  }
}

/** What there is to choose from, in an order that is the same each time. */
export async function living({ db }: World, table: string): Promise<string[]> {
  const { rows } = await sql<{
    id: string
  }>`select id from ${sql.table(table)} where not is_deleted order by id`.execute(db)
  return rows.map(({ id }) => id)
}

const NOUNS = {
  patients: 'patients',
  visits: 'visits',
  events: 'events',
  patient_vitals: 'vitals',
  patient_problems: 'problems',
  appointments: 'appointments',
} as const
type Table = keyof typeof NOUNS
const TABLES = Object.keys(NOUNS) as Table[]
const MADE = TABLES.filter((table): table is Made => table !== 'events')
type Made = Exclude<Table, 'events'>

/** A form of the screens, filled in anew. */
const creating: Record<Made, (world: World, random: Chance, patient_id: string) => Row> = {
  patients: ({ clinics, mark }, random) => ({
    primary_clinic_id: random.one(clinics)!.id,
    given_name: 'Nour',
    date_of_birth: '1990',
    sex: 'female',
    hometown: mark(),
    answers: { [random.one(QUESTIONS)!]: mark() },
  }),
  visits: ({ clinics, mark }, random, patient_id) => ({
    patient_id,
    clinic_id: random.one(clinics)!.id,
    check_in_timestamp: '2020-01-05T08:00:00Z',
    reason: mark(),
  }),
  patient_vitals: (_world, random, patient_id) => ({
    patient_id,
    timestamp: '2020-01-05T08:10:00Z',
    weight_kg: 40 + random.below(400) / 10,
  }),
  patient_problems: ({ mark }, _random, patient_id) => ({
    patient_id,
    problem_code_system: 'icd10',
    problem_code: 'J45.9',
    problem_label: mark(),
    clinical_status: 'active',
    verification_status: 'confirmed',
  }),
  appointments: ({ clinics, mark }, random, patient_id) => ({
    patient_id,
    clinic_id: random.one(clinics)!.id,
    provider_id: null,
    timestamp: '2030-03-01T09:00:00Z',
    reason: 'checkup',
    notes: mark(),
  }),
}

export async function createOnWeb(world: World, random: Chance) {
  const table = random.one(MADE)!
  const patient = random.early(await living(world, 'patients')) ?? ''
  const input = { id: world.id(), ...creating[table](world, random, patient) }
  const { said } = await call(world, random.one(world.web)!, `${NOUNS[table]}.save`, input)
  return `${described(table, input)}: ${said}`
}

/** What a user changes in an open form. */
const editing: Record<Table, (world: World, random: Chance, row: Row) => Row> = {
  patients({ mark }, random) {
    const value = mark()
    if (random.happens(0.4)) return { answers: { [random.one(QUESTIONS)!]: value } }
    return { [random.one(['hometown', 'phone', 'camp'])!]: value }
  },
  visits: (
    { clinics, mark },
    random,
    { patient_id, clinic_id, provider_id, check_in_timestamp },
  ) => ({
    patient_id,
    clinic_id: random.happens(0.5) ? random.one(clinics)!.id : clinic_id,
    provider_id,
    check_in_timestamp,
    reason: mark(),
  }),
  events: ({ mark }, _random, { patient_id, visit_id, form_id }) => ({
    patient_id,
    visit_id,
    form_id,
    answers: [{ fieldId: NOTE.id, value: mark() }],
  }),
  patient_vitals: (_world, random, row) => ({ ...row, weight_kg: 40 + random.below(400) / 10 }),
  patient_problems: ({ mark }, _random, row) => ({ ...row, problem_label: mark() }),
  appointments: ({ mark }, _random, row) => ({
    ...row,
    reason: 'checkup',
    department_ids: [],
    notes: mark(),
  }),
}

export async function editOnWeb(world: World, random: Chance) {
  const table = random.one(TABLES)!
  const id = random.early(await living(world, table))
  if (!id) return 'nothing to edit'
  const caller = random.one(world.web)!
  const row = await read(world, caller, table, id)
  if (!row) return `${table} ${id}: not his to see`
  const input = { id, last_modified: row['last_modified'], ...editing[table](world, random, row) }
  const { said } = await call(world, caller, `${NOUNS[table]}.save`, input)
  return `${described(table, input)}: ${said}`
}

async function read(
  world: World,
  caller: Caller,
  table: Table,
  id: string,
): Promise<Row | undefined> {
  if (table === 'patient_vitals') {
    const { rows } = await sql<{
      patient_id: string
    }>`select patient_id from patient_vitals where id = ${id}`.execute(world.db)
    const { data } = await call(world, caller, 'vitals.list', { patientId: rows[0]!.patient_id })
    return (data['rows'] as Row[] | undefined)?.find((row) => row['id'] === id)
  }
  if (table === 'events') {
    const { rows } = await sql<Row>`select * from events where id = ${id}`.execute(world.db)
    return rows[0]
  }
  const { status, data } = await call(world, caller, `${NOUNS[table]}.get`, { id })
  if (status !== 200) return undefined
  return table === 'patients' ? (data['patient'] as Row) : data
}

export async function deleteOnWeb(world: World, random: Chance) {
  const table = random.one([...TABLES, 'prescriptions'] as const)!
  const id = random.early(await living(world, table))
  if (!id) return 'nothing to delete'
  const noun = table === 'prescriptions' ? table : NOUNS[table]
  const { said } = await call(world, random.one(world.web)!, `${noun}.delete`, { id })
  return `${table} ${id}: ${said}`
}

export async function restoreOnWeb(world: World, random: Chance) {
  const { rows } = await sql<{ id: string; what: string }>`
    select id, table_name || ' ' || record_id as what from deletions where restored_at is null order by what`.execute(
    world.db,
  )
  const deletion = random.one(rows)
  if (!deletion) return 'nothing to restore'
  const { said } = await call(world, world.web[0]!, 'trash.restore', { id: deletion.id })
  return `${deletion.what}: ${said}`
}

/** Everything in a clinic, nothing, or some of it. */
export async function grantOrWithdraw(world: World, random: Chance) {
  const at = random.below(4)
  const clinic = random.one(world.clinics)!
  const likely = random.one([0, 0.5, 1, 1])!
  const held = Object.fromEntries(PERMISSIONS.map((name) => [name, random.happens(likely)]))
  const { rows } = await sql<{
    last_modified: Date
  }>`select last_modified from user_clinic_permissions
    where user_id = ${world.people[at]!.id} and clinic_id = ${clinic.id}`.execute(world.db)
  const input = {
    userId: world.people[at]!.id,
    clinicId: clinic.id,
    last_modified: rows[0]?.last_modified,
    ...held,
  }
  const { said } = await call(world, world.web[0]!, 'permissions.save', input)
  const rights = PERMISSIONS.filter((name) => held[name])
  return `person ${at} in clinic ${world.clinics.indexOf(clinic)}: ${rights.join(', ') || 'nothing'}: ${said}`
}

async function openConflicts({ db }: World) {
  const { rows } = await sql<{ id: string; what: string }>`
    select id, concat_ws(' ', table_name, row_id, column_name) as what from sync_conflicts where settled_at is null
    order by what, phone_value::text, server_value::text`.execute(db)
  return rows
}

async function openRefusals({ db }: World) {
  const { rows } = await sql<{ id: string; what: string }>`
    select id, concat_ws(' ', table_name, operation, row_id) as what from sync_quarantine where settled_at is null
    order by what, row`.execute(db)
  return rows
}

/** A user opens the inbox or the quarantine and resolves one entry. */
export async function settleOne(world: World, random: Chance) {
  const conflict = random.one(await openConflicts(world))
  const refusal = random.one(await openRefusals(world))
  if (conflict && random.happens(0.5)) return settleConflict(world, random, conflict)
  return refusal ? settleRefusal(world, random, refusal) : 'nothing to settle'
}

type Waiting = { id: string; what: string }

async function settleConflict(world: World, random: Chance, { id, what }: Waiting) {
  const take = random.one(['server', 'phone', 'other'])!
  const admin = world.web[0]!
  const input = { id, take, ...(take === 'other' && { value: world.mark() }) }
  const { status, said } = await call(world, admin, 'conflicts.settle', input)
  // of a deleted row, or a number, there is only one way
  if (status !== 200) await call(world, admin, 'conflicts.settle', { id, take: 'server' })
  return `${what} takes ${take}: ${said}`
}

async function settleRefusal(world: World, random: Chance, { id, what }: Waiting) {
  const verb = random.one(['apply', 'reject'])!
  const admin = world.web[0]!
  const { status, said } = await call(world, admin, `quarantine.${verb}`, { id })
  if (status !== 200) await call(world, admin, 'quarantine.reject', { id })
  return `${what} ${verb}: ${said}`
}

/** A user resolves everything in the inbox and the quarantine. Returns the number of entries. */
export async function settleAll(world: World, random: Chance): Promise<number> {
  const [conflicts, refusals] = [await openConflicts(world), await openRefusals(world)]
  for (const each of refusals) await settleRefusal(world, random, each)
  for (const each of conflicts) await settleConflict(world, random, each)
  return conflicts.length + refusals.length
}

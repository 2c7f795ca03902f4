import { type Kysely, sql } from 'kysely'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { aNewPrescription, aPatient } from '../chart'
import type { Clinic, Person } from '../clinic'
import type { Phone, Row } from '../phone'
import { type Chance, chance } from './chance'

type Table =
  | 'patient_additional_attributes'
  | 'visits'
  | 'events'
  | 'patient_vitals'
  | 'patient_problems'
  | 'appointments'
  | 'prescriptions'
type World = {
  db: Kysely<DB>
  clinic: Clinic
  author: Person
  admin: Context
  random: Chance
  phone: WrittenPhone
  /** Each row, with the patient that it was recorded for. */
  recorded: Map<string, { table: Table; patientId: string; visitId: string | null }>
  hometowns: Map<string, string>
  /** Who has answered the question that all are asked. */
  answered: Set<string>
  story: string[]
}

/** A phone that sends what its app wrote, without a database of its own. */
class WrittenPhone {
  #lastPulledAt = 0

  constructor(readonly phone: Phone) {}

  async pull() {
    const query = `last_pulled_at=${this.#lastPulledAt}&schema_version=9&migration=null`
    const { body } = await this.phone.request('GET', `/api/v2/sync?${query}`)
    this.#lastPulledAt = (JSON.parse(body) as { timestamp: number }).timestamp
  }

  async push(table: string, row: Row) {
    await this.pull()
    const list = row['_status'] === 'created' ? 'created' : 'updated'
    const changes = { [table]: { created: [], updated: [], deleted: [], [list]: [row] } }
    const path = `/api/v2/sync?last_pulled_at=${this.#lastPulledAt}`
    const { status, body } = await this.phone.request('POST', path, JSON.stringify(changes))
    if (status !== 200) throw new Error(`push: ${status} ${body}`)
  }
}

/**
 * Phones work on three records of which a user merges some and undoes it, and do not know of it. Returns what is not
 * with the person that it was recorded for, once all merges are undone, and how many typed values wait for a decision.
 */
export async function workOnMerged(
  { db, clinic, author, admin }: Pick<World, 'db' | 'clinic' | 'author' | 'admin'>,
  phone: Phone,
  seed: number,
): Promise<{ problems: string[]; waiting: number; story: string[] }> {
  const world: World = {
    db,
    clinic,
    author,
    admin,
    random: chance(seed),
    phone: new WrittenPhone(phone),
    recorded: new Map(),
    hometowns: new Map(),
    answered: new Set(),
    story: [],
  }
  for (const name of ['A', 'B', 'C']) await register(world, name)
  const steps = [record, record, record, record, edit, merge, merge, unmerge]
  for (let step = 0; step < 24; step += 1) world.story.push(await world.random.one(steps)!(world))
  while ((await merges(world)).length > 0) world.story.push(await unmerge(world))
  return { ...(await strays(world)), story: world.story }
}

const common = () => ({
  metadata: '{}',
  is_deleted: false,
  deleted_at: null,
  created_at: Date.now(),
  updated_at: Date.now(),
})

async function register({ phone, clinic, hometowns }: World, name: string) {
  const id = newId()
  const row = { ...common(), ...aPatient(clinic), id, given_name: name, hometown: `${name} 0` }
  await phone.push('patients', { ...row, _status: 'created', _changed: '' })
  hometowns.set(id, `${name} 0`)
}

/** A row about any of the patients, as the phone knows them. */
async function record(world: World): Promise<string> {
  const { random, recorded, phone, hometowns } = world
  const patientId = random.one([...hometowns.keys()])!
  const table = random.one<Table>([
    'patient_additional_attributes',
    'visits',
    'visits',
    'events',
    'patient_vitals',
    'patient_problems',
    'appointments',
    'prescriptions',
  ])!
  const visits = [...recorded].filter(
    ([, row]) => row.table === 'visits' && row.patientId === patientId,
  )
  const visitId = random.happens(0.6) ? (random.one(visits)?.[0] ?? null) : null
  const id = newId()
  const values = valuesOf(world, table, patientId, visitId)
  // a phone changes its answer to a question, and does not make another
  if (values['attribute_id'] === QUESTION) {
    if (world.answered.has(patientId)) return 'answered already'
    world.answered.add(patientId)
  }
  await phone.push(table, { ...common(), ...values, id, _status: 'created', _changed: '' })
  recorded.set(id, { table, patientId, visitId })
  return `recorded ${table} ${id} for ${patientId}${visitId ? ` in visit ${visitId}` : ''}`
}

const QUESTION = '0190aaaa-0000-7000-8000-000000000001'

function valuesOf(
  { clinic, author, random }: World,
  table: Table,
  patient_id: string,
  visit: string | null,
): Row {
  const of = { patient_id, visit_id: visit ?? '' }
  switch (table) {
    case 'patient_additional_attributes':
      return {
        patient_id,
        attribute_id: random.happens(0.5) ? QUESTION : newId(),
        attribute: 'x',
        number_value: null,
        string_value: String(random.below(1_000_000)),
        date_value: null,
        boolean_value: null,
      }
    case 'visits':
      return {
        patient_id,
        clinic_id: clinic.id,
        provider_id: '',
        provider_name: '',
        check_in_timestamp: 1,
      }
    case 'events':
      return {
        ...of,
        form_id: '',
        event_type: 'x',
        form_data: '[]',
        recorded_by_user_id: author.id,
      }
    case 'patient_vitals':
      return { ...of, visit_id: visit, timestamp: 1, heart_rate: 70 }
    case 'patient_problems':
      return {
        ...of,
        visit_id: visit,
        problem_code_system: 'icd11',
        problem_code: newId(),
        problem_label: 'x',
        clinical_status: 'active',
        verification_status: 'confirmed',
      }
    case 'appointments':
      return {
        patient_id,
        provider_id: null,
        clinic_id: clinic.id,
        user_id: author.id,
        current_visit_id: visit ?? '',
        fulfilled_visit_id: null,
        timestamp: random.below(1_000_000_000),
        duration: 60,
        reason: 'checkup',
        notes: '',
        is_walk_in: false,
        departments: '[]',
        status: 'pending',
      }
    case 'prescriptions':
      return { ...aNewPrescription(author, clinic, patient_id), visit_id: visit }
  }
}

/** The hometown of a patient is typed on the phone. */
async function edit({ random, phone, clinic, hometowns }: World): Promise<string> {
  const id = random.one([...hometowns.keys()])!
  const hometown = `typed ${random.below(1_000_000)}`
  await phone.push('patients', {
    ...common(),
    ...aPatient(clinic),
    id,
    hometown,
    _status: 'updated',
    _changed: 'hometown,updated_at',
  })
  hometowns.set(id, hometown)
  return `typed ${hometown} for ${id}`
}

/** The merges that can be undone: the remaining record is not merged itself. */
async function merges({ db, hometowns }: World) {
  const { rows } = await sql<{ id: string; winner_id: string; loser_id: string }>`
    select m.id, winner_id, loser_id from patient_merges m join patients p on p.id = winner_id
    where unmerged_at is null and not p.is_deleted and loser_id = any(${[...hometowns.keys()]}::uuid[])
    order by m.id`.execute(db)
  return rows
}

async function merge({ db, random, admin, hometowns }: World): Promise<string> {
  const living = await db
    .selectFrom('patients')
    .select('id')
    .where('id', 'in', [...hometowns.keys()])
    .where('is_deleted', '=', false)
    .orderBy('id')
    .execute()
  const winner = random.one(living)!.id
  const loser = random.one(living.filter(({ id }) => id !== winner))?.id
  if (!loser) return 'one record is left'
  await mergePatients(admin, { id: newId(), winnerId: winner, loserId: loser, choices: {} })
  return `merged ${loser} into ${winner}`
}

async function unmerge(world: World): Promise<string> {
  const found = world.random.one(await merges(world))
  if (!found) return 'nothing is merged'
  await unmergePatients(world.admin, { mergeId: found.id })
  return `took ${found.loser_id} out of ${found.winner_id}`
}

async function strays({ db, recorded, hometowns }: World) {
  const problems: string[] = []
  for (const table of new Set([...recorded.values()].map((row) => row.table))) {
    const ofTable = [...recorded].filter(([, row]) => row.table === table)
    const { rows } = await sql<{ id: string; patient_id: string; is_deleted: boolean }>`
      select id, patient_id, is_deleted from ${sql.table(table)}
      where id = any(${ofTable.map(([id]) => id)}::uuid[])`.execute(db)
    const stored = new Map(rows.map((row) => [row.id, row]))
    for (const [id, { patientId }] of ofTable) {
      const row = stored.get(id)
      if (row?.patient_id !== patientId || row.is_deleted)
        problems.push(
          `${table} ${id}, recorded for ${patientId}: ${row ? JSON.stringify(row) : 'nowhere'}`,
        )
    }
  }
  const patients = await db
    .selectFrom('patients')
    .select(['id', 'hometown', 'is_deleted'])
    .where('id', 'in', [...hometowns.keys()])
    .execute()
  const waiting = await db
    .selectFrom('sync_conflicts')
    .select(['table_name', 'row_id', 'column_name', 'phone_value', 'server_value'])
    .where('settled_at', 'is', null)
    .where('row_id', 'in', [...hometowns.keys(), ...recorded.keys()])
    .execute()
  // typed between a sync and the undoing of a merge, which changed the field: a user decides
  const isReal = ({ row_id, column_name, phone_value }: (typeof waiting)[number]) =>
    column_name === 'hometown' &&
    phone_value === hometowns.get(row_id) &&
    patients.some(({ id, hometown }) => id === row_id && hometown !== phone_value)
  for (const { id, hometown, is_deleted } of patients)
    if (
      is_deleted ||
      (hometown !== hometowns.get(id) &&
        !waiting.some((each) => each.row_id === id && isReal(each)))
    )
      problems.push(`patient ${id} has ${hometown} instead of ${hometowns.get(id)}`)
  for (const each of waiting)
    if (!isReal(each)) problems.push(`a conflict still waits: ${JSON.stringify(each)}`)
  return { problems, waiting: waiting.length }
}

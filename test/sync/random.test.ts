import { sql } from 'kysely'
import { expect } from 'vitest'
import { rejectRefused } from '~/sync/refused-rows.server'
import { settleConflict } from '~/sync/lost-values.server'
import { isSame, type Wire } from '~/sync/kinds'
import { inScope, scopeOf } from '~/sync/scope'
import { pushed, type PushedName, tableNamed, wireColumns, writable } from '~/sync/tables'
import { actorById } from '~/server/session.server'
import { aRequest } from '../harness'
import { aPatient } from './chart'
import { type Clinic, EVERYTHING, type Person, test } from './clinic'
import type { Phone, Row } from './phone'

/** SANAD_SYNC_STEPS: how long a run is; SANAD_SYNC_SEEDS: "7,8,9", to repeat runs that failed. */
const STEPS = Number(process.env['SANAD_SYNC_STEPS'] ?? 160)
const seeds = (process.env['SANAD_SYNC_SEEDS'] ?? '1,5').split(',').map(Number)
const TABLES = [
  'patients',
  'patient_additional_attributes',
  'visits',
  'patient_vitals',
  'patient_problems',
  'appointments',
] as const

/** The same numbers for the same seed (mulberry32, public domain). */
function chance(seed: number) {
  let state = seed * 2_654_435_761
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    below: (n: number) => Math.floor(next() * n),
    one: <T>(list: readonly T[]): T | undefined => list[Math.floor(next() * list.length)],
    happens: (probability: number) => next() < probability,
  }
}
type Chance = ReturnType<typeof chance>
type World = { clinics: Clinic[]; people: Person[]; phones: Phone[]; random: Chance; count: number }

const value = (world: World) => `v${(world.count += 1)}`

test.for(seeds)(
  'whatever five phones and two people on the web do, nothing is lost and all agree (seed %i)',
  { timeout: 900_000 },
  async (seed, { db, make, person, phoneOf }) => {
    const clinics = [await make.clinic(), await make.clinic()]
    const people = [
      await person('provider', [clinics[0]!], EVERYTHING),
      await person('provider', [clinics[1]!], EVERYTHING),
      await person('provider', clinics, EVERYTHING),
      await person('registrar', [clinics[0]!]),
      await person('admin'),
    ]
    const world: World = { clinics, people, phones: people.map(phoneOf), random: chance(seed), count: seed * 1_000_000 }
    for (const phone of world.phones) await phone.sync()
    for (let step = 0; step < STEPS; step += 1) await doSomething(world, db, make)

    for (let round = 0; round < 4; round += 1) {
      for (const phone of world.phones) await phone.sync()
      await settleAll(db, people[4]!)
    }
    for (const phone of world.phones) for (let time = 0; time < 3; time += 1) await phone.sync()

    for (const [at, phone] of world.phones.entries())
      expect({ at, ...(await differences(db, phone, people)) }).toEqual({ at, differs: [] })
    expect(await lost(db, world)).toEqual([])
  },
)

async function doSomething(
  world: World,
  db: Parameters<typeof differences>[0],
  make: { patient: (values: object) => Promise<unknown> },
) {
  const { random, phones, people, clinics } = world
  const phone = random.one(phones)!
  const dice = random.below(100)
  if (dice < 50) return editOnPhone(world, phone)
  if (dice < 72) return syncBadly(world, phone)
  if (dice < 82) return editOnWeb(world, db)
  if (dice < 86) {
    await make.patient({ primary_clinic_id: random.one(clinics)!.id, hometown: value(world) })
    return
  }
  if (dice < 90) return deleteOnWeb(world, db)
  if (dice < 94) return grantOrWithdraw(world, db)
  // somebody else takes the phone
  if (dice < 97) phone.email = random.one(people)!.email
  else phone.skew = (random.below(200) - 100) * 86_400_000
}

async function editOnPhone(world: World, phone: Phone) {
  const { random, clinics } = world
  const patients = await phone.all('patients')
  const patient = random.one(patients)
  const of = { patient_id: String(patient?.['id']) }
  const kind = random.below(12)
  if (kind < 2 || !patient)
    return void (await phone.create('patients', aPatient(random.one(clinics)!, { hometown: value(world) })))
  const visit = random.one((await phone.all('visits')).filter((each) => each['patient_id'] === of.patient_id))
  const visit_id = visit ? String(visit['id']) : null
  if (kind === 2)
    return void (await phone.create('visits', {
      ...of,
      clinic_id: random.one(clinics)!.id,
      provider_id: '',
      provider_name: value(world),
      check_in_timestamp: phone.now(),
    }))
  if (kind === 3)
    return void (await phone.create('patient_vitals', {
      ...of,
      visit_id,
      timestamp: phone.now(),
      bp_position: value(world),
      weight_kg: random.below(9000) / 100,
    }))
  if (kind === 4)
    return void (await phone.create('patient_problems', {
      ...of,
      visit_id,
      problem_code_system: 'icd10',
      problem_code: 'I10',
      problem_label: value(world),
      clinical_status: 'active',
      verification_status: 'confirmed',
      severity_score: null,
    }))
  if (kind === 5)
    return void (await phone.create('appointments', {
      ...of,
      clinic_id: random.one(clinics)!.id,
      provider_id: null,
      user_id: '',
      current_visit_id: visit_id ?? '',
      fulfilled_visit_id: null,
      timestamp: phone.now(),
      duration: 30,
      reason: 'checkup',
      notes: value(world),
      is_walk_in: false,
      departments: '[]',
      status: 'pending',
    }))
  if (kind === 6)
    return void (await phone.create('patient_additional_attributes', {
      ...of,
      attribute_id: `00000000-0000-7000-8000-00000000000${random.below(2)}`,
      attribute: 'a',
      string_value: value(world),
      number_value: null,
      date_value: null,
      boolean_value: null,
    }))
  const table = random.one(TABLES)!
  const row = random.one(await phone.all(table))
  if (!row) return
  const id = String(row['id'])
  if (kind === 7 && random.happens(0.4)) return phone.delete(table, id)
  await phone.update(table, id, editOf(table, value(world), random))
}

/** Columns that hold marks: any value of theirs can be told from any other. */
const MARKED: Record<(typeof TABLES)[number], string[]> = {
  patients: ['hometown', 'phone', 'camp'],
  patient_additional_attributes: ['string_value'],
  visits: ['provider_name'],
  patient_vitals: ['bp_position'],
  patient_problems: ['problem_label'],
  appointments: ['notes', 'reason'],
}
const editOf = (table: (typeof TABLES)[number], mark: string, random: Chance): Row => ({
  [random.one(MARKED[table])!]: mark,
})

/** Lines break before, in the middle and after; what was sent comes twice. */
async function syncBadly({ random }: World, phone: Phone) {
  const cut = new Error('cut')
  const dice = random.below(10)
  const attempt = phone.sync(
    dice === 0
      ? { onPull: () => Promise.reject(cut) }
      : dice === 1
        ? { onPull: async (send) => (await send(), Promise.reject(cut)) }
        : dice === 2
          ? { onPush: () => Promise.reject(cut) }
          : dice === 3
            ? { onPush: async (send) => (await send(), Promise.reject(cut)) }
            : dice === 4
              ? { onPush: async (send) => (await send(), await send(), await send()) }
              : {},
  )
  await attempt.catch((error: unknown) => {
    if (error !== cut) throw error
  })
}

async function editOnWeb(world: World, db: Parameters<typeof differences>[0]) {
  const table = world.random.one(TABLES)!
  const column = world.random.one(MARKED[table])!
  const { rows } = await sql<{
    id: string
  }>`select id from ${sql.table(table)} where not is_deleted order by id`.execute(db)
  const row = world.random.one(rows)
  if (row)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value(world)} where id = ${row.id}`.execute(db)
}

async function deleteOnWeb({ random }: World, db: Parameters<typeof differences>[0]) {
  const table = random.one(TABLES)!
  if (random.happens(0.5)) {
    const { rows } = await sql<{ id: string }>`select id from deletions where restored_at is null order by id`.execute(
      db,
    )
    const gone = random.one(rows)
    // what hangs on something deleted does not come back alone
    if (gone) await sql`select undo_deletion(${gone.id}, null)`.execute(db).catch(() => {})
    return
  }
  const { rows } = await sql<{
    id: string
  }>`select id from ${sql.table(table)} where not is_deleted order by id`.execute(db)
  const row = random.one(rows)
  if (row) await sql`select soft_delete(${table}, ${row.id}, 'x', null)`.execute(db)
}

async function grantOrWithdraw({ random, people, clinics }: World, db: Parameters<typeof differences>[0]) {
  const [someone, clinic] = [random.one(people.slice(0, 4))!, random.one(clinics)!]
  const held = random.happens(0.6)
  const values = Object.fromEntries(EVERYTHING.map((name) => [name, held]))
  await db
    .insertInto('user_clinic_permissions')
    .values({ user_id: someone.id, clinic_id: clinic.id, ...values })
    .onConflict((conflict) => conflict.columns(['user_id', 'clinic_id']).doUpdateSet(values))
    .execute()
}

/** Somebody goes through the inbox and the quarantine. */
async function settleAll(db: Parameters<typeof differences>[0], admin: Person) {
  const actor = (await actorById(db, admin.id))!
  const ctx = { db, actor, request: aRequest() }
  for (const { id } of await db.selectFrom('sync_conflicts').select('id').where('settled_at', 'is', null).execute())
    await settleConflict(ctx, { id, take: 'server' })
  for (const { id } of await db.selectFrom('sync_quarantine').select('id').where('settled_at', 'is', null).execute())
    await rejectRefused(ctx, { id })
}

const pushedTables = Object.keys(pushed) as PushedName[]

/** Where a phone and the server differ, within what its person may see. */
async function differences(
  db: Awaited<ReturnType<typeof import('../harness').cloneTemplate>>,
  phone: Phone,
  people: readonly Person[],
) {
  const actor = (await actorById(db, people.find(({ email }) => email === phone.email)!.id))!
  const differs: string[] = []
  for (const name of pushedTables) {
    const table = tableNamed(name)
    const { rows } = await sql<{ row: Record<string, Wire> }>`
      select (select row_to_json(w) from (select ${sql.raw(wireColumns(table))}) w) as row from ${sql.table(name)} t
      where not t.is_deleted and ${sql.raw(inScope(table, scopeOf(actor), actor.userId))} order by t.id`.execute(db)
    const here = new Map(rows.map(({ row }) => [String(row['id']), row]))
    const there = new Map((await phone.all(name)).map((row) => [String(row['id']), row]))
    for (const id of new Set([...here.keys(), ...there.keys()])) {
      const [ours, theirs] = [here.get(id), there.get(id)]
      if (!ours || !theirs) differs.push(`${name} ${id} ${ours ? 'only here' : 'only there'}`)
      else
        for (const column of writable(table))
          if (!isSame(table.columns[column]!, ours[column] ?? null, theirs[column] ?? null))
            differs.push(`${name} ${id} ${column}: ${String(ours[column])} here, ${String(theirs[column])} there`)
    }
  }
  return { differs }
}

/** Values that a phone sent and that are nowhere: in no table, inbox, quarantine or trail. */
async function lost(db: Parameters<typeof differences>[0], { phones }: World): Promise<string[]> {
  const marks = new Set(phones.flatMap(({ sent }) => sent.join().match(/"v\d+"/g) ?? []))
  const { rows } = await sql<{ text: string }>`
    select changes::text as text from audit_log
    union all select phone_value::text from sync_conflicts
    union all select row from sync_quarantine`.execute(db)
  const found = new Set(rows.flatMap(({ text }) => text?.match(/"v\d+"/g) ?? []))
  return [...marks].filter((mark) => !found.has(mark))
}

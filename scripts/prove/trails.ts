import { rmSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { sealTrails } from '~/server/trail/seal.server'
import { newId } from '~/shared/id'
import { connectToDataDir } from '../bench/database'
import { waitUntilIdle } from '../bench/idle'
import { aPerson } from '../bench/measures'
import { openWorkbench, type Workbench } from '../bench/workbench'
import { wholeNumber } from '../command'
import { untilStopped } from '../import/kind'
import { type Proof, parseProofOptions } from './proof'
import { simulateTrailYear, type Year } from './trails-year'

const help = `npm run prove -- trails [--patients 100000] [--seeded 300] [--visits 60] [--keep DIR]

  --patients   copies the day until this number of patients has a visit in a year; seals and verifies all of it
  --seeded     invented patients of the clinic before the day (default: 300)
  --visits     visits of the day, a third of them of new patients (default: 60)
  --keep       a data directory to make, or to use again as it was left

What both trails grow by in a day, by the operations and screens of four users: a registrar, a nurse, a doctor and a
pharmacist. Sizes include indexes and seals; each visit is sealed by itself. A year of 100,000 patients needs 5 GB.
`

const NEW_PATIENTS = 3
/** Bytes of an entry in each trail, at most: an entry that stores more than it needs shows here. */
const MOST = { audit_log: 2_000, access_log: 1_200 }

type Size = { entries: number; bytes: number }
type Sizes = Record<'audit_log' | 'access_log' | 'audit_blocks', Size>
type Kind = { trail: string; kind: string; entries: number; text: number }

export const trails: Proof = {
  summary: 'bytes of both trails, their indexes and seals, for a day of 60 visits',
  async run(args) {
    const values = parseProofOptions(args, help, {
      patients: { type: 'string' },
      seeded: { type: 'string', default: '300' },
      visits: { type: 'string', default: '60' },
      keep: { type: 'string' },
    })
    if (!values) return 0
    const seeded = wholeNumber('seeded', values.seeded, 100)
    const visits = wholeNumber('visits', values.visits, 1)
    const patients =
      values.patients === undefined ? 0 : wholeNumber('patients', values.patients, visits)
    const signal = untilStopped()
    const bench = await openWorkbench({ patients: seeded, keep: values.keep, signal })
    try {
      const { since, isKept } = await provenDay(bench, visits, signal)
      await bench.close()
      if (patients)
        sayYear(patients, await simulateTrailYear({ ...bench, since, visits, patients, signal }))
      return isKept ? 0 : 1
    } finally {
      await bench.close()
      if (!values.keep) rmSync(bench.dataDir, { recursive: true, force: true })
    }
  },
}

async function provenDay(bench: Workbench, visits: number, signal: AbortSignal) {
  const db = connectToDataDir(bench.dataDir)
  try {
    await waitUntilIdle(bench.dataDir, signal)
    const clinic = await openClinic(bench)
    await settled(bench, db)
    const since = await readDatabaseClock(db)
    const before = await readTrailSizes(db)
    for (let i = 0; i < visits; i += 1) {
      signal.throwIfAborted()
      await oneVisit(bench, clinic, i)
      await settled(bench, db)
    }
    return {
      since,
      isKept: sayDay(visits, before, await readTrailSizes(db), await countEntryKinds(db, since)),
    }
  } finally {
    await db.destroy()
  }
}

type Grant = { clinic_id: string; last_modified: string }
type Clinic = Awaited<ReturnType<typeof openClinic>>

/** Four users, a form of five questions, and stock of a medicine. */
async function openClinic(bench: Workbench) {
  const { admin, clinicId } = bench
  const [registrar, nurse, doctor, pharmacist] = [
    await bench.userOf('registrar'),
    await bench.userOf('provider'),
    await bench.userOf('provider'),
    await bench.userOf('provider'),
  ]
  const [formId, drugId] = [newId(), newId()]
  await admin.call('eventForms.save', {
    id: formId,
    name: 'Consultation',
    description: '',
    language: 'en',
    form_fields: Object.keys(words).map((id) => ({
      id,
      name: id,
      description: '',
      required: false,
      fieldType: 'free-text',
      inputType: 'textarea',
      length: 'long',
    })),
    translations: [],
    is_editable: true,
    is_snapshot_form: false,
    clinic_ids: [clinicId],
  })
  await admin.call('drugs.save', { id: drugId, ...drug })
  await admin.call('batches.create', {
    id: newId(),
    drug_id: drugId,
    clinic_id: clinicId,
    quantity: 1_000_000,
    batch_number: 'L-2201',
    expiry_date: '2099-06-30',
    received_date: '2026-01-05',
    confirmed: ['old_day', 'unlikely_date'],
  })
  const [{ id: doctorId }, { id: pharmacistId }] = [
    await doctor.call<{ id: string }>('account.get', {}),
    await pharmacist.call<{ id: string }>('account.get', {}),
  ]
  const grants = await admin.call<Grant[]>('permissions.list', { userId: pharmacistId })
  const grant = grants.find(({ clinic_id }) => clinic_id === clinicId)!
  await admin.call('permissions.save', {
    ...grant,
    userId: pharmacistId,
    clinicId,
    can_dispense_medications: true,
  })
  return { registrar, nurse, doctor, doctorId, pharmacist, formId, drugId }
}

const words = {
  complaint: 'Headache since three days, worse in the morning; صداع',
  history: 'No fever, no vomiting. Takes amlodipine 5 mg in the evening, sometimes forgets it.',
  findings: 'Neck supple, pupils equal, lungs clear, no edema of the legs.',
  assessment: 'Hypertension, not controlled',
  plan: 'Blood pressure twice a day for a week, come back with the list.',
}

const drug = {
  generic_name: 'Zinc',
  ingredients: ['zinc'],
  form: 'tablet',
  route: 'oral',
  dosage_quantity: 20,
  dosage_units: 'mg',
  min_stock_level: 100,
  is_controlled: false,
  requires_refrigeration: false,
  is_active: true,
}

/** From the desk to the pharmacy, with what each screen reads. */
async function oneVisit(bench: Workbench, clinic: Clinic, i: number) {
  const { nurse, doctor, pharmacist } = clinic
  const patientId = await checkedIn(bench, clinic, i)
  const visit = { id: newId(), patient_id: patientId, clinic_id: bench.clinicId }
  const now = () => new Date().toISOString()
  await nurse.call('visits.save', { ...visit, check_in_timestamp: now() })

  const of = { patient_id: patientId, visit_id: visit.id }
  await record(nurse, patientId)
  await nurse.call('vitals.save', {
    id: newId(),
    ...of,
    timestamp: now(),
    systolic_bp: 120 + (i % 40),
    diastolic_bp: 75 + (i % 20),
    heart_rate: 60 + (i % 40),
    temperature_celsius: 36.9,
    weight_kg: 60 + (i % 30),
  })

  await record(doctor, patientId)
  await doctor.page(`/app/events/edit?visitId=${visit.id}&formId=${clinic.formId}`)
  await doctor.call('events.save', {
    id: newId(),
    ...of,
    form_id: clinic.formId,
    answers: Object.entries(words).map(([fieldId, value]) => ({ fieldId, value })),
    allergies_reason: UNASKED,
  })
  await doctor.call('problems.save', {
    id: newId(),
    ...of,
    problem_code: 'R51',
    problem_code_system: 'icd10',
    problem_label: 'Headache',
    clinical_status: 'active',
    verification_status: 'confirmed',
  })
  await doctor.page(`/app/prescriptions/edit?patientId=${patientId}&visitId=${visit.id}`)
  const prescription = { id: newId(), itemId: newId() }
  const drugs = { patientId, drugIds: [clinic.drugId] }
  await doctor.call('prescriptions.check', drugs)
  await written(doctor, 'prescriptions.save', {
    id: prescription.id,
    ...of,
    provider_id: clinic.doctorId,
    pickup_clinic_id: bench.clinicId,
    notes: '',
    items: [
      {
        id: prescription.itemId,
        drug_id: clinic.drugId,
        dosage_instructions: 'One in the morning',
        quantity_prescribed: 10,
      },
    ],
    allergies_reason: UNASKED,
  })

  await pharmacist.page('/app/dispensing')
  await pharmacist.page(`/app/dispensing/${prescription.id}`)
  const asked = { itemId: prescription.itemId, quantity: 10 }
  const { picks } = await pharmacist.call<Picking>('dispensing.propose', asked)
  const records = picks.map(({ batch_id, quantity }) => ({
    id: newId(),
    batchId: batch_id,
    quantity,
  }))
  await written(pharmacist, 'dispensing.dispense', {
    prescriptionId: prescription.id,
    items: [{ itemId: prescription.itemId, records }],
    allergies_reason: UNASKED,
  })
  await doctor.call('visits.close', { id: visit.id })
}

/** Made-up patients have no answer about allergies. */
const UNASKED = 'The patient does not answer'

type User = Clinic['doctor']
type Picking = { picks: { batch_id: string; quantity: number }[] }

/** The patient's page, and what its parts read once a browser shows them. */
async function record(user: User, patientId: string) {
  await user.page(`/app/patients/${patientId}`)
  for (const part of ['visits.list', 'vitals.list', 'problems.list', 'events.list'])
    await user.call(part, { patientId, from: '2020-01-01T00:00:00Z' })
}

/** Finds a patient, or registers a new one. */
async function checkedIn(bench: Workbench, { registrar }: Clinic, i: number): Promise<string> {
  if (i % NEW_PATIENTS === 0) {
    const person = aPerson(bench)
    const { given_name, surname } = person
    await registrar.page(`/app/patients?search=${surname}`)
    await registrar.call('patients.duplicates', { given_name, surname, date_of_birth: '1990' })
    await registrar.call('patients.create', person)
    return person.id
  }
  const id = bench.ofClinic(i)
  const { patient } = await registrar.call<{ patient: { surname: string } }>('patients.get', { id })
  await registrar.page(`/app/patients?search=${encodeURIComponent(patient.surname)}`)
  await registrar.page(`/app/patients/${id}`)
  return id
}

/** Writes with a reason for each warning of the safety check. */
async function written(user: User, operation: string, input: object) {
  type Answer = { ok?: boolean; warnings?: { key: string }[] }
  const { ok, warnings = [] } = await user.call<Answer>(operation, { ...input, overrides: [] })
  if (ok !== false) return
  const overrides = warnings.map((warning) => ({ ...warning, reason: 'Benefit outweighs risk' }))
  const again = await user.call<Answer>(operation, { ...input, overrides })
  if (again.ok === false) throw new Error(`${operation} warns: ${JSON.stringify(again.warnings)}`)
}

/** Everything so far is in the tables and sealed. */
async function settled({ admin }: Workbench, db: Kysely<DB>) {
  // the server writes its waiting reads before it lists them
  await admin.call('audit.accesses', {})
  await sealTrails(db)
}

async function readTrailSizes(db: Kysely<DB>): Promise<Sizes> {
  const { rows } = await sql<{ name: keyof Sizes; entries: number; bytes: number }>`
    select name, entries::integer, bytes::float8 from (
      select 'audit_log' as name, (select count(*) from audit_log) as entries,
        pg_total_relation_size('audit_log') as bytes
      union all select 'access_log', (select count(*) from access_log),
        (select sum(pg_total_relation_size(relid)) from pg_partition_tree('access_log') where isleaf)
      union all select 'audit_blocks', (select count(*) from audit_blocks),
        pg_total_relation_size('audit_blocks')) sizes`.execute(db)
  return Object.fromEntries(rows.map(({ name, ...size }) => [name, size])) as Sizes
}

const readDatabaseClock = async (db: Kysely<DB>) => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]!.now
}

/** `text`: bytes of the rows alone, without indexes. */
async function countEntryKinds(db: Kysely<DB>, since: Date): Promise<Kind[]> {
  const { rows } = await sql<Kind>`
    select * from (
      select 'audit_log' as trail, coalesce(table_name, action) as kind, count(*)::integer as entries,
        round(avg(pg_column_size(audit_log.*)))::integer as text
      from audit_log where at > ${since} group by 2
      union all
      select 'access_log', split_part(operation, '.', 1), count(*)::integer,
        round(avg(pg_column_size(access_log.*)))::integer
      from access_log where at > ${since} group by 2) kinds
    order by trail desc, entries desc`.execute(db)
  return rows
}

const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`

/** Returns whether entries are as small as they must be. */
function sayDay(visits: number, before: Sizes, after: Sizes, kinds: Kind[]): boolean {
  const names = ['audit_log', 'access_log', 'audit_blocks'] as const
  const grown = names.map((name) => {
    const entries = after[name].entries - before[name].entries
    const bytes = after[name].bytes - before[name].bytes
    return { name, entries, bytes, each: entries ? bytes / entries : 0 }
  })
  const lines = [
    `${visits} visits:`,
    row(['table', 'entries', 'kB with indexes', 'bytes of an entry', 'kB of a visit']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...grown.map(({ name, entries, bytes, each }) =>
      row([
        name,
        entries,
        (bytes / 1000).toFixed(0),
        each.toFixed(0),
        (bytes / visits / 1000).toFixed(1),
      ]),
    ),
    '',
    row(['trail', 'of', 'entries', 'bytes of a row']),
    row(['---', '---', '---:', '---:']),
    ...kinds.map(({ trail, kind, entries, text }) => row([trail, kind, entries, text])),
    '',
  ]
  process.stdout.write(lines.join('\n'))
  return grown.every(({ name, each }) => name === 'audit_blocks' || each <= MOST[name])
}

function sayYear(patients: number, { sizes, blocks, sealed, verified }: Year) {
  const mega = (bytes: number) => (bytes / 1e6).toFixed(1)
  const lines = [
    `A year of ${patients} patients with a visit each:`,
    row(['table', 'entries', 'MB of rows', 'MB of indexes', 'MB', 'bytes of an entry']),
    row(['---', '---:', '---:', '---:', '---:', '---:']),
    ...sizes.map(({ name, entries, rows, indexes }) =>
      row([
        name,
        entries,
        mega(rows),
        mega(indexes),
        mega(rows + indexes),
        ((rows + indexes) / entries).toFixed(0),
      ]),
    ),
    '',
    `${blocks} seals: sealed in ${sealed.toFixed(1)} s, verified in ${verified.toFixed(1)} s`,
    '',
  ]
  process.stdout.write(lines.join('\n'))
}

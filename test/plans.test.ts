import { CompiledQuery, type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { listEmergencies } from '~/features/record/sharing/emergencies.server'
import { hiddenHistory, listOpenings } from '~/features/record/sharing/openings.server'
import { listTimeline } from '~/features/record/timeline/timeline.server'
import { listVisits } from '~/features/record/visits/visits.server'
import { latestVital, listVitals } from '~/features/care/vitals/vitals.server'
import { summaryDay, summaryStats } from '~/features/reports/dashboard/summary.server'
import { listPrescriptions } from '~/features/medicines/prescriptions/listing.server'
import { listAccesses, listPatientAccesses } from '~/features/office/audit/accesses.server'
import { listAudit } from '~/features/office/audit/audit.server'
import { readPeriod } from '~/features/reports/cells/period'
import { runCells } from '~/features/reports/cells/cells.server'
import { STARTER_REPORTS } from '~/features/reports/starter/starter-reports'
import { listPatients, searchPatients } from '~/features/people/patients/search/search.server'
import { answer } from '~/fhir/respond.server'
import { PERMISSIONS } from '~/shared/permissions'
import type { Plan } from '~/sync/pull/plan'
import { rowsSql } from '~/sync/pull/pull-sql'
import { isOfPatient, personScope } from '~/sync/schema/scope'
import { allTables } from '~/sync/schema/tables'
import { test } from './harness'
import { recording } from './statements'

type Statement = { sql: string; parameters?: readonly unknown[] }

async function planOf(
  db: Kysely<DB>,
  { sql: statement, parameters = [] }: Statement,
): Promise<string[]> {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(
    CompiledQuery.raw(`explain ${statement}`, [...parameters]),
  )
  return rows.map((row) => row['QUERY PLAN'])
}

/** The tables that a statement reads from end to end because no index fits its conditions. */
async function scannedBy(db: Kysely<DB>, statement: Statement): Promise<string[]> {
  await sql`set local enable_seqscan = off`.execute(db)
  const plan = await planOf(db, statement)
  return plan.flatMap((line) => /Seq Scan on (\w+)/.exec(line)?.[1] ?? [])
}

/** Read from end to end for a total, which may hold most of the rows. */
const COUNTED = ['history_openings', 'emergency_accesses']

test('what a provider of one clinic reads has an index for each condition', async ({
  db,
  as,
  make,
}) => {
  const [here, there] = [await make.clinic(), await make.clinic()]
  const { id: patientId } = await make.patient({ primary_clinic_id: there.id })
  await make.visit({ patient_id: patientId, clinic_id: here.id })
  await make.vital({ patient_id: patientId })
  const { ctx, compiled } = recording(as('provider', { [here.id]: [...PERMISSIONS] }))

  await listPatients(ctx, {})
  await listPatients(ctx, { search: 'amal' })
  await listPatients(ctx, { visitedFrom: '2026-01-01' })
  await searchPatients(ctx, { searchQuery: 'amal' })
  for (const ofPatient of [hiddenHistory, latestVital, listTimeline, listVisits, listVitals])
    await ofPatient(ctx, { patientId })
  await listPrescriptions(ctx, {})
  await listOpenings(ctx, {})
  await listEmergencies(ctx, {})
  await summaryStats(ctx, null)
  await summaryDay(ctx, null)

  const scanned = []
  for (const statement of compiled)
    for (const table of await scannedBy(db, statement))
      if (!COUNTED.includes(table)) scanned.push([table, statement.sql])
  expect(scanned).toEqual([])
})

test('a line of text of a phone finds the decisions that stopped it by an index', async ({
  db,
  as,
  make,
}) => {
  const { id: patientId } = await make.patient()
  const { ctx, compiled } = recording(as('admin'))
  const asked = { method: 'GET', path: ['MedicationRequest'], headers: new Headers() } as const
  await answer(
    { ...asked, parameters: [['patient', patientId]] },
    { ctx, site: { base: 'https://clinic.example/api/fhir' } },
  )
  const ofStops = compiled.filter(({ sql: text }) => text.includes('medicine_decisions'))
  expect(ofStops.length).toBeGreaterThan(0)
  for (const statement of ofStops)
    expect(await scannedBy(db, statement)).not.toContain('medicine_decisions')
})

test('an index has the patients and the prescriptions of one clinic in the order of their lists', async ({
  db,
  as,
  make,
}) => {
  const here = await make.clinic()
  const { id: patientId } = await make.patient({ primary_clinic_id: here.id })
  await make.prescription({ patient_id: patientId, pickup_clinic_id: here.id })
  const { ctx, compiled } = recording(as('provider', { [here.id]: [...PERMISSIONS] }))
  await listPatients(ctx, {})
  await listPrescriptions(ctx, {})
  await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
    set_config('enable_bitmapscan', 'off', true)`.execute(db)
  const inOrder = []
  for (const statement of compiled.filter(({ sql: text }) => text.includes('order by')))
    for (const line of await planOf(db, statement)) {
      const index =
        /Index (?:Only )?Scan using (\w+_(?:registered|recorded|any_clinic)_idx) on/.exec(line)?.[1]
      if (index) inOrder.push(index)
    }
  expect(inOrder).toEqual(
    expect.arrayContaining([
      'clinic_patients_registered_idx',
      'prescriptions_recorded_idx',
      'prescriptions_any_clinic_idx',
    ]),
  )
})

test('each filter of the accesses has an index', async ({ db, as, make }) => {
  const [user, clinic] = [await make.user(), await make.clinic()]
  const { id: patientId } = await make.patient({ primary_clinic_id: clinic.id })
  const { ctx, compiled } = recording(as('admin'))
  const ofDays = { from: '2026-01-01', to: '2026-01-31' }
  for (const filter of [
    {},
    ofDays,
    { userId: user.id },
    { clinicId: clinic.id },
    { patientId },
    { kind: 'visits' },
    { outcome: 'refused' },
  ] as const)
    await listAccesses(ctx, filter)
  await listPatientAccesses(ctx, { patientId })
  await listPatientAccesses(ctx, { patientId, userId: user.id, ...ofDays })
  const scanned = []
  for (const statement of compiled.filter(({ sql: text }) => text.startsWith('select')))
    for (const table of await scannedBy(db, statement))
      if (table.startsWith('access_log')) scanned.push(statement.sql)
  expect(scanned).toEqual([])
})

test('each filter of the audit trail has an index', async ({ db, as, make }) => {
  const [user, clinic] = [await make.user(), await make.clinic()]
  const { id: patientId } = await make.patient({ primary_clinic_id: clinic.id })
  const { ctx, compiled } = recording(as('admin'))
  const ofDays = { from: '2026-01-01', to: '2026-01-31' }
  for (const filter of [
    {},
    ofDays,
    { userId: user.id },
    { clinicId: clinic.id },
    { patientId },
    { action: 'patients.save' },
    { action: 'patients.save', ...ofDays },
    { table: 'patients' },
    { table: 'patients', ...ofDays },
    { table: 'patients', recordId: patientId },
    { recordId: patientId },
  ])
    await listAudit(ctx, filter)
  const trail = compiled.filter(({ sql: text }) => /^select .* from "audit_log"/.test(text))
  expect(trail).toHaveLength(11)
  const scanned = []
  for (const statement of trail)
    if ((await scannedBy(db, statement)).includes('audit_log')) scanned.push(statement.sql)
  expect(scanned).toEqual([])
})

test('a first pull of a provider of one clinic reads the rows of patients by their patients', async ({
  db,
  as,
  make,
}) => {
  const { id } = await make.clinic()
  const { actor } = as('provider', { [id]: [...PERMISSIONS] })
  const plan = {
    scope: personScope(actor),
    since: null,
    acknowledged: null,
    upgraded: [],
  } as unknown
  for (const [name, table] of allTables)
    if (isOfPatient(table))
      expect([
        name,
        await scannedBy(db, { sql: rowsSql(name, plan as Plan, actor.userId) }),
      ]).toEqual([name, []])
})

/** Small, or read whole by their purpose: forms and bindings, stock on hand, medicines, enrolments. */
const READ_WHOLE = [
  'clinic_inventory',
  'drug_batches',
  'drug_catalogue',
  'event_form_versions',
  'event_forms',
  'follow_up_items',
  'follow_up_schedules',
  'program_enrollments',
  'report_bindings',
  'stock_shortfalls',
]

test('no starter report reads visits, answers, problems, vital signs or the ledger from end to end', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const scanned = []
  let explained = 0
  for (const { definition } of STARTER_REPORTS) {
    const { ctx, compiled } = recording(as('admin'))
    await runCells(ctx.db, {
      definition,
      clinicIds: [clinic.id],
      period: readPeriod('2026-10', 'UTC')!,
      zone: 'UTC',
      manual: new Map(),
      now: new Date('2026-11-05T00:00:00Z'),
    })
    const reading = compiled.filter(
      ({ sql: text }) => /^\s*(with|select)\s/.test(text) && !text.includes('set_config'),
    )
    explained += reading.length
    for (const statement of reading)
      for (const table of await scannedBy(db, statement))
        if (!READ_WHOLE.includes(table)) scanned.push([definition.code, table])
  }
  expect(explained).toBeGreaterThan(STARTER_REPORTS.length)
  expect(scanned).toEqual([])
})

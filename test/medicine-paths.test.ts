import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { loadActiveAllergies } from '~/features/care/allergies/allergies.server'
import { dispense } from '~/features/medicines/dispensing/dispensing.server'
import { recordPaper } from '~/features/medicines/dispensing/paper.server'
import { saveEvent } from '~/features/forms/events/event-answers.server'
import { checkMedicines } from '~/features/forms/events/event-medicines.server'
import { eventsMapping } from '~/features/exchange/imports/hikma/care'
import { rowDigests } from '~/features/exchange/imports/hikma/digest'
import type { TableMapping } from '~/features/exchange/imports/hikma/mapping'
import { place } from '~/features/exchange/imports/hikma/place.server'
import {
  dispensingMapping,
  prescriptionItemsMapping,
  prescriptionsMapping,
} from '~/features/exchange/imports/hikma/prescriptions'
import { ownOrStableId } from '~/features/exchange/imports/stable-id'
import { PATIENT } from '~/features/exchange/imports/synthea/synthea'
import { importSynthea, syntheaFiles } from '~/features/exchange/imports/synthea/synthea.server'
import { saveMedicine } from '~/features/medicines/taken/medicines.server'
import { checkArrived } from '~/features/medicines/prescriptions/check/arrivals.server'
import { savePrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { MEDICINE_TABLES } from '~/features/medicines/safety/arrivals.server'
import { loadPatientFacts } from '~/features/medicines/safety/facts.server'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'
import { asksReason, type Warning } from '~/features/medicines/safety/rules/warning'
import { findWarnings } from '~/features/medicines/safety/warnings'
import type { Context } from '~/server/operation'
import { commands } from '~/sync/http/online.server'
import { toChangeSource } from '~/sync/push/change-source.server'
import { push } from '~/sync/push/push.server'
import type { makeFactories } from './factories'
import { temporaryFolder } from './folder'
import { test } from './harness'

/**
 * Every way in which a medicine is recorded, against one reference call of the rules. "No path
 * skips the check" means: once it is through, each warning that asks for a reason is kept with the
 * row, with a reason or as unseen, and none is missing.
 */

const POOL = {
  Amoxicillin: ['amoxicillin'],
  Ibuprofen: ['ibuprofen'],
  Simvastatin: ['simvastatin'],
  Clarithromycin: ['clarithromycin'],
  Fluoxetine: ['fluoxetine'],
  Selegiline: ['selegiline'],
  Kufnol: ['kufnol'],
} as const
type Name = keyof typeof POOL
const NAMES = Object.keys(POOL) as Name[]
/** An import has no row for a medicine that RxNorm would not know. */
const imported = (name: Name) => `${name} 250 MG Oral Tablet`

const ALLERGIES = [
  { substance: 'Penicillins', substance_kind: 'drug_class', substance_code: 'penicillins' },
  { substance: 'NSAIDs', substance_kind: 'drug_class', substance_code: 'nsaids' },
  { substance: 'Simvastatin', substance_kind: 'ingredient', substance_code: 'simvastatin' },
  { substance: 'kufnol', substance_kind: 'other', substance_code: null },
] as const

/** How something that the patient takes already was recorded. */
const WAYS = ['prescribed', 'dispensed', 'also'] as const
type Case = { allergies: number[]; taken: { name: Name; way: (typeof WAYS)[number] }[]; drug: Name }
const cases: fc.Arbitrary<Case> = fc.record({
  allergies: fc.uniqueArray(fc.nat(ALLERGIES.length - 1), { maxLength: 2 }),
  taken: fc.uniqueArray(
    fc.record({ name: fc.constantFrom(...NAMES), way: fc.constantFrom(...WAYS) }),
    {
      selector: ({ name }) => name,
      maxLength: 2,
    },
  ),
  drug: fc.constantFrom(...NAMES),
})

type Scene = {
  db: Kysely<DB>
  make: ReturnType<typeof makeFactories>
  me: Context
  clinicId: string
  formId: string
  drugIds: Record<Name, string>
}
type At = Scene & { patientId: string; visitId: string; name: Name }
/** The medicine is known by its name alone, and a form may repeat a prescription. */
type Path = { tables: string[]; as?: 'named' | 'form' | 'import'; run: (at: At) => Promise<void> }

const now = () => Date.now()
const stamps = () => ({
  created_at: now(),
  updated_at: now(),
  is_deleted: false,
  deleted_at: null,
  metadata: '{}',
})
const created = (table: string, row: object) => ({
  [table]: { created: [row], updated: [], deleted: [] },
})
const medicineAnswer = (name: string) => ({
  fieldId: 'today',
  name: 'today',
  fieldType: 'medicine',
  inputType: 'input-group',
  value: [{ id: uuidv7(), name }],
})
const reasons = (warnings: readonly Warning[]) =>
  warnings.map(({ key }) => ({ key, reason: 'Benefit is larger' }))

/** Saves once without reasons, as a hurried person does, and then with them. */
async function withReasons(
  save: (
    overrides: { key: string; reason: string }[],
  ) => Promise<{ ok: boolean; warnings?: Warning[] }>,
) {
  const first = await save([])
  if (first.ok) return
  expect(await save(reasons(first.warnings!))).toMatchObject({ ok: true })
}

const pushed = async ({ me, db }: At, ...sets: object[]) => {
  expect(await push(me, 0, toChangeSource(Object.assign({}, ...sets)))).toMatchObject({
    refused: 0,
  })
  expect(await db.selectFrom('unchecked_medicines').select('row_id').execute()).not.toEqual([])
}
const eventOf = ({ me, patientId, visitId, formId, name }: At) => ({
  id: uuidv7(),
  patient_id: patientId,
  form_id: formId,
  visit_id: visitId,
  event_type: 'Check-up',
  form_data: JSON.stringify([medicineAnswer(name)]),
  recorded_by_user_id: me.actor.userId,
  ...stamps(),
})
const recordOf = ({ me, patientId, clinicId, drugIds, name }: At) => ({
  id: uuidv7(),
  clinic_id: clinicId,
  drug_id: drugIds[name],
  batch_id: null,
  prescription_item_id: null,
  patient_id: patientId,
  quantity_dispensed: 10,
  dosage_instructions: null,
  days_supply: 10,
  dispensed_by: me.actor.userId,
  dispensed_at: now(),
  recorded_by_user_id: me.actor.userId,
  ...stamps(),
})

/** Rows of a Hikma server, by the mapping and the writer of the import. */
async function movedIn({ db, patientId }: At, ...rows: (readonly [TableMapping, object])[]) {
  for (const [mapping, values] of rows) {
    const row = { created_at: '2026-01-02 08:00:00+00', is_deleted: false, ...values }
    const reading = mapping.map(
      row,
      (_table, id) =>
        typeof id === 'string' ? { id, patient_id: patientId, is_deleted: false } : undefined,
      { closedClinics: new Set(), registrationForm: undefined, today: '', isTaken: () => false },
    )
    if (!reading || 'unplaced' in reading) throw new Error(`Not placed: ${mapping.from}`)
    const { record } = reading
    const columns = rowDigests(Buffer.alloc(8), mapping.to, record)
    const mapped = { news: [{ row, record, columns }], before: new Map() }
    expect(await place(db, mapping, mapped, 1)).toMatchObject({ inserted: 1 })
  }
  // the import ends its transaction after each batch
  await sql`select set_config('sanad.merging', '', true), set_config('sanad.following', '', true)`.execute(
    db,
  )
  expect(await db.selectFrom('unchecked_medicines').select('row_id').execute()).not.toEqual([])
}

const paths: Record<string, Path> = {
  'prescriptions.save': {
    tables: ['prescriptions', 'prescription_items'],
    async run({ me, patientId, clinicId, drugIds, name }) {
      const prescription = {
        id: uuidv7(),
        patient_id: patientId,
        provider_id: me.actor.userId,
        pickup_clinic_id: clinicId,
        visit_id: null,
        notes: '',
        items: [{ id: uuidv7(), drug_id: drugIds[name], dosage_instructions: 'Daily' }],
      }
      await withReasons((overrides) => savePrescription(me, { ...prescription, overrides }))
    },
  },
  'events.save': {
    tables: ['events'],
    as: 'form',
    async run({ me, patientId, visitId, formId, name }) {
      const answers = [{ fieldId: 'today', value: [{ id: uuidv7(), name }] }]
      const event = {
        id: uuidv7(),
        patient_id: patientId,
        visit_id: visitId,
        form_id: formId,
        answers,
      }
      await withReasons(async (overrides) => {
        const { warnings } = await checkMedicines(me, {
          patientId,
          eventId: event.id,
          names: [name],
        })
        return saveEvent(me, { ...event, overrides }).then(
          () => ({ ok: true }),
          (error: { fields: object }) => {
            expect(error.fields).toEqual({ today: { key: 'safety.needReasons' } })
            return { ok: false, warnings }
          },
        )
      })
    },
  },
  'medicines.save': {
    tables: ['patient_medicines'],
    as: 'named',
    async run({ me, patientId, name }) {
      await saveMedicine(me, {
        id: uuidv7(),
        patient_id: patientId,
        name,
        ingredients: [],
        source: 'pharmacy',
      })
    },
  },
  'dispensing.dispense': {
    tables: ['dispensing_records'],
    async run({ make, me, patientId, clinicId, drugIds, name }) {
      const batch = await make.stock(clinicId, 20, { drug_id: drugIds[name] })
      const prescription = await make.prescription({
        patient_id: patientId,
        pickup_clinic_id: clinicId,
      })
      const item = await make.prescriptionItem(prescription, {
        drug_id: drugIds[name],
        quantity_prescribed: 10,
      })
      const items = [
        { itemId: item.id, records: [{ id: uuidv7(), batchId: batch.id, quantity: 10 }] },
      ]
      await withReasons((overrides) =>
        dispense(me, { prescriptionId: prescription.id, items, overrides }),
      )
    },
  },
  'dispensing.fromPaper': {
    tables: ['dispensing_records'],
    async run({ me, patientId, clinicId, drugIds, name }) {
      const drugId = drugIds[name]
      await recordPaper(me, { id: uuidv7(), clinicId, patientId, drugId, quantity: 10 })
    },
  },
  'push: prescription and items': {
    tables: ['prescriptions', 'prescription_items'],
    async run(at) {
      const { me, patientId, clinicId, drugIds, name } = at
      const by = { patient_id: patientId, recorded_by_user_id: me.actor.userId }
      const prescription = {
        ...stamps(),
        id: uuidv7(),
        ...by,
        provider_id: me.actor.userId,
        filled_by: null,
        pickup_clinic_id: clinicId,
        visit_id: null,
        priority: 'normal',
        expiration_date: 0,
        prescribed_at: now(),
        filled_at: null,
        status: 'pending',
        items: '[]',
        notes: '',
      }
      const item = {
        ...stamps(),
        id: uuidv7(),
        ...by,
        prescription_id: prescription.id,
        drug_id: drugIds[name],
        clinic_id: clinicId,
        dosage_instructions: '',
        quantity_prescribed: 30,
        quantity_dispensed: 0,
        refills_authorized: 0,
        refills_used: 0,
        item_status: 'active',
        notes: null,
      }
      await pushed(at, created('prescriptions', prescription), created('prescription_items', item))
    },
  },
  'push: free text of an older phone': {
    tables: ['prescriptions'],
    as: 'named',
    async run(at) {
      const { me, patientId, clinicId, name } = at
      const prescription = {
        ...stamps(),
        id: uuidv7(),
        patient_id: patientId,
        provider_id: me.actor.userId,
        filled_by: null,
        pickup_clinic_id: clinicId,
        visit_id: null,
        priority: 'normal',
        expiration_date: 0,
        prescribed_at: now(),
        filled_at: null,
        status: 'pending',
        items: JSON.stringify([{ name }]),
        notes: '',
      }
      await pushed(at, created('prescriptions', prescription))
    },
  },
  'push: form': {
    tables: ['events'],
    as: 'form',
    run: (at) => pushed(at, created('events', eventOf(at))),
  },
  'push: dispensing record': {
    tables: ['dispensing_records'],
    run: (at) => pushed(at, created('dispensing_records', recordOf(at))),
  },
  'rpc: form': {
    tables: ['events'],
    as: 'form',
    async run(at) {
      const { id: _id, metadata: _metadata, ...event } = eventOf(at)
      const iso = new Date().toISOString()
      await commands['events.create']!(at.me, {
        ...event,
        created_at: iso,
        updated_at: iso,
        deleted_at: '',
      })
    },
  },
  'move from a Hikma server: prescription and items': {
    tables: ['prescriptions', 'prescription_items'],
    async run(at) {
      const { me, patientId, clinicId, drugIds, name } = at
      const prescription = {
        id: uuidv7(),
        patient_id: patientId,
        provider_id: me.actor.userId,
        pickup_clinic_id: clinicId,
        prescribed_at: '2026-01-02 08:00:00+00',
        status: 'pending',
        items: '[]',
      }
      const item = {
        id: uuidv7(),
        prescription_id: prescription.id,
        patient_id: patientId,
        drug_id: drugIds[name],
        clinic_id: clinicId,
        quantity_prescribed: 30,
        item_status: 'active',
        _position: 0,
      }
      await movedIn(at, [prescriptionsMapping, prescription], [prescriptionItemsMapping, item])
    },
  },
  'move from a Hikma server: form': {
    tables: ['events'],
    as: 'form',
    async run(at) {
      const { created_at: _created, updated_at: _updated, ...event } = eventOf(at)
      await movedIn(at, [eventsMapping, event])
    },
  },
  'move from a Hikma server: dispensing record': {
    tables: ['dispensing_records'],
    async run(at) {
      const { created_at: _created, updated_at: _updated, ...record } = recordOf(at)
      await movedIn(at, [dispensingMapping, { ...record, dispensed_at: '2026-01-02 08:00:00+00' }])
    },
  },
  'import of Synthea files': {
    tables: ['prescriptions', 'prescription_items'],
    as: 'import',
    async run({ me, clinicId, patientId, name }) {
      const folder = temporaryFolder()
      const start = new Date().toISOString()
      writeFileSync(
        join(folder, 'patients.csv'),
        `Id,BIRTHDATE,DEATHDATE,FIRST,LAST,GENDER\n${patientId},1990-05-17,,A,B,M\n`,
      )
      writeFileSync(
        join(folder, 'medications.csv'),
        'START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION,DISPENSES,REASONDESCRIPTION\n' +
          `${start},,${patientId},,${NAMES.indexOf(name)},${imported(name)},1,\n`,
      )
      await importSynthea(me, { clinicId, files: await syntheaFiles(folder) }, [])
    },
  },
}

/** What the rules see in a warning; ids and names of medicines differ from path to path. */
const signature = (warning: Warning) => {
  const {
    key: _key,
    drugId: _id,
    drug: _drug,
    other: _other,
    pair: _pair,
    severity: _s,
    reaction: _r,
    ...said
  } = warning as Warning & Record<string, unknown>
  // sentences hold the names, which differ too
  const plain = Object.entries(said).filter(
    ([, value]) => typeof value !== 'object' || value === null,
  )
  return JSON.stringify(plain.toSorted(([a], [b]) => a.localeCompare(b)))
}
/** Whether a medicine is a renewal depends on the path, as a name has no supply: duplicates are left out. */
const signatures = (warnings: readonly Warning[]) =>
  [
    ...new Set(
      warnings.filter((one) => asksReason(one) && one.kind !== 'duplicate').map(signature),
    ),
  ].toSorted()

async function patientOf({ make, db, drugIds, clinicId, me }: Scene, { allergies, taken }: Case) {
  const visit = await make.visit({ clinic_id: clinicId })
  const patientId = ownOrStableId(PATIENT, visit.patient_id)
  if (allergies.length === 0) await make.noAllergies(patientId)
  for (const at of allergies) await make.allergy({ ...ALLERGIES[at]!, patient_id: patientId })
  for (const { name, way } of taken) {
    const of = { patient_id: patientId, pickup_clinic_id: clinicId }
    if (way === 'prescribed')
      await make.prescriptionItem(await make.prescription(of), { drug_id: drugIds[name] })
    else if (way === 'also') await make.medicine({ patient_id: patientId, name })
    else
      await db
        .insertInto('dispensing_records')
        .values({
          id: uuidv7(),
          clinic_id: clinicId,
          drug_id: drugIds[name],
          patient_id: patientId,
          quantity_dispensed: 5,
          dispensed_by: me.actor.userId,
        })
        .execute()
  }
  // what was there before is not what the path records
  await db.deleteFrom('unchecked_medicines').execute()
  return { patientId, visitId: visit.id }
}

const drugOf = (name: Name): CheckedDrug => ({
  drugId: `drug ${name}`,
  name,
  ingredients: POOL[name],
})

test('each way of recording a medicine keeps exactly the warnings of one reference call', async ({
  db,
  make,
  asUser,
}) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const clinic = await make.clinic()
  const question = {
    id: 'today',
    name: 'today',
    description: '',
    required: false,
    fieldType: 'medicine',
    inputType: 'input-group',
    options: [],
    fields: {
      name: '',
      dose: '',
      doseUnits: [],
      form: [],
      route: [],
      frequency: '',
      intervals: '',
      duration: '',
      durationUnits: [],
    },
  }
  const form = await make.eventForm({ form_fields: JSON.stringify([question]) })
  const ids = await Promise.all(
    NAMES.map(
      async (name) =>
        [name, (await make.drug({ generic_name: name, ingredients: [...POOL[name]] })).id] as const,
    ),
  )
  const scene = {
    db,
    make,
    me,
    clinicId: clinic.id,
    formId: form.id,
    drugIds: Object.fromEntries(ids) as Record<Name, string>,
  }
  const run = async (one: Case, path: Path) => {
    const patient = await patientOf(scene, one)
    await path.run({ ...scene, ...patient, name: one.drug })
    await checkArrived(db)
    const marks = await db.selectFrom('unchecked_medicines').selectAll().execute()
    const kept = await db
      .selectFrom('safety_overrides')
      .select('warning')
      .where('patient_id', '=', patient.patientId)
      .where('is_deleted', '=', false)
      .execute()
    const drug = {
      ...drugOf(one.drug),
      ...(path.as === 'form' && { standing: 'recorded' as const }),
    }
    const taken = one.taken.map(({ name }) => drugOf(name))
    const reference = findWarnings(
      [drug],
      taken,
      await loadActiveAllergies(db, patient.patientId),
      await loadPatientFacts(db, patient.patientId),
    )
    return {
      marks,
      kept: signatures(kept.map(({ warning }) => warning as Warning)),
      reference: signatures(reference),
    }
  }
  let found = 0
  await fc.assert(
    fc.asyncProperty(cases, fc.constantFrom(...Object.keys(paths)), async (one, name) => {
      const { marks, kept, reference } = await run(one, paths[name]!)
      expect({ name, one, marks, kept }).toEqual({ name, one, marks: [], kept: reference })
      found += reference.length
    }),
    { numRuns: 40, seed: 14 },
  )
  expect(found).toBeGreaterThan(5)
  // and each path at least once with something to find
  const grave: Case = {
    allergies: [0],
    taken: [{ name: 'Amoxicillin', way: 'also' }],
    drug: 'Amoxicillin',
  }
  for (const [name, path] of Object.entries(paths)) {
    const { kept, reference, marks } = await run(grave, path)
    expect({ name, kept, marks }).toEqual({ name, kept: reference, marks: [] })
    expect(reference.length).toBeGreaterThan(0)
  }
})

/** Tables that refer to a medicine without recording that a patient takes it. */
const NO_RECORDS = ['medicine_decisions', 'safety_overrides']

test('every table that holds medicines of patients marks its rows, and every marked table has a path above', async ({
  db,
}) => {
  const { rows: holding } = await sql<{ name: string }>`
    select distinct c.relname::text as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and exists (
        select from pg_attribute p
        where p.attrelid = c.oid and p.attname = 'patient_id' and not p.attisdropped)
      and (a.attname ~ '(drug|medic|ingredient)' or a.attname = 'form_data' or exists (
        select from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f'
          and f.confrelid = 'drug_catalogue'::regclass))`.execute(db)
  const { rows: marking } = await sql<{ name: string; on: string }>`
    select c.relname::text as name, t.tgname as on from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname in ('unchecked_insert', 'unchecked_update') and t.tgenabled = 'O'`.execute(db)
  const marked = (name: string) => marking.filter((one) => one.name === name).length === 2
  expect(
    holding.map(({ name }) => name).filter((name) => !marked(name) && !NO_RECORDS.includes(name)),
  ).toEqual([])
  const tables = new Set(Object.values(paths).flatMap((path) => path.tables))
  expect([...new Set(marking.map(({ name }) => name))].filter((name) => !tables.has(name))).toEqual(
    [],
  )
  expect(MEDICINE_TABLES.filter((name) => !marked(name))).toEqual([])
})

/** The files that write those tables; what else writes rows of phones is generic and goes through push or rpc above. */
const WRITERS = [
  'src/features/exchange/imports/hikma/care.ts',
  'src/features/exchange/imports/hikma/prescriptions.ts',
  'src/features/exchange/imports/synthea/synthea-medicines.ts',
  'src/features/forms/events/event-answers.server.ts',
  'src/features/medicines/dispensing/dispensing.server.ts',
  'src/features/medicines/dispensing/paper.server.ts',
  'src/features/medicines/prescriptions/items.server.ts',
  'src/features/medicines/prescriptions/prescriptions.server.ts',
  'src/features/medicines/taken/medicines.server.ts',
  // sets the last day of a medicine from elsewhere, and checks the row again
  'src/features/medicines/taken/reconciliation.server.ts',
]

test('a new file that writes medicines needs a path above', () => {
  const table = '(?:prescriptions|prescription_items|events|dispensing_records|patient_medicines)'
  const writes = new RegExp(
    [
      `insertInto\\('${table}'`,
      `insert into ${table}\\b`,
      `saveRecord\\(\\s*(?:ctx|\\{[^}]*\\}),\\s*'${table}'`,
      `table: '${table}',\\n\\s*columns`,
    ].join('|'),
  )
  const files = globSync('src/**/*.ts').filter(
    (file) => !file.endsWith('.test.ts') && writes.test(readFileSync(file, 'utf8')),
  )
  expect(files.toSorted()).toEqual(WRITERS)
})

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import type { OpenContext } from '~/server/operation'
import { temporaryFolder } from '../../../../../test/folder'
import { test } from '../../../../../test/harness'
import type { Watch } from '../batches.server'
import { importSynthea, syntheaFiles } from './synthea.server'
import { type Tally, sumReasonCounts } from '../tally'

const SAMPLE = '../shared/data/synthea'
const sample = test.skipIf(!existsSync(SAMPLE))

const A = '11111111-1111-4111-8111-111111111111'
const VISIT = '22222222-2222-4222-8222-222222222222'

/** A CSV file of these rows. */
const csv = (...rows: string[]) => rows.map((row) => `${row}\n`).join('')

/** An export with one patient and one encounter, and in each file what the test says. */
function anExport(files: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const all = {
    'patients.csv': `Id,BIRTHDATE,DEATHDATE,FIRST,LAST,GENDER\n${A},1990-05-17,,Curt84,Schmidt332,M\n`,
    'encounters.csv': `Id,START,STOP,PATIENT\n${VISIT},2020-01-02T08:00:00Z,2020-01-02T08:30:00Z,${A}\n`,
    ...files,
  }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text)
  return folder
}

async function bring(ctx: OpenContext, clinicId: string, folder: string, watch: Watch = {}) {
  const tallies: Tally[] = []
  await importSynthea(ctx, { clinicId, files: await syntheaFiles(folder) }, tallies, watch)
  return Object.fromEntries(tallies.map((tally) => [tally.file, tally]))
}

const everything = async (db: Kysely<DB>) => {
  const { rows } = await sql`
    select (select jsonb_agg(to_jsonb(p) order by id) from patients p) as patients,
           (select jsonb_agg(to_jsonb(v) order by id) from visits v) as visits,
           (select jsonb_agg(to_jsonb(v) order by id) from patient_vitals v) as vitals,
           (select jsonb_agg(to_jsonb(p) order by id) from patient_problems p) as problems,
           (select jsonb_agg(to_jsonb(a) order by id) from patient_allergies a) as allergies,
           (select jsonb_agg(to_jsonb(d) order by id) from drug_catalogue d) as drugs,
           (select jsonb_agg(to_jsonb(p) order by id) from prescriptions p) as prescriptions,
           (select jsonb_agg(to_jsonb(i) order by id) from prescription_items i) as items,
           (select jsonb_agg(to_jsonb(l) order by patient_id, clinic_id, source) from patient_links l) as links,
           (select count(*) from audit_log) as audited`.execute(db)
  return rows[0]
}

sample('every row of a real Synthea export is accounted for', async ({ db, as, make }) => {
  const clinic = await make.clinic()
  const done = await bring(as('admin'), clinic.id, SAMPLE)

  const { rows } = await sql`
    select (select count(*) from patients) as patients, (select count(*) from visits) as visits,
           (select count(*) from patient_problems) as problems, (select count(*) from patient_vitals) as vitals,
           (select count(*) from patients where metadata ? 'date_of_death') as dead,
           (select count(*) from patient_links where source = 'primary') as links`.execute(db)
  expect(rows).toEqual([
    { patients: 27, visits: 604, problems: 438, vitals: 28, dead: 2, links: 27 },
  ])
  expect(done).toMatchObject({
    'patients.csv': { rows: 27, imported: 27 },
    'encounters.csv': { rows: 604, imported: 604 },
    'observations.csv': { rows: 990, imported: 218, made: 28, left: [{ count: 772 }] },
    'conditions.csv': { rows: 438, imported: 438 },
    'medications.csv': { rows: 663, imported: 663 },
    'allergies.csv': { rows: 40, imported: 40 },
    'immunizations.csv': { rows: 29, left: [{ count: 29 }] },
  })
  for (const { rows: all, imported, repeated, left, rejected } of Object.values(done))
    expect(imported + repeated + sumReasonCounts(left) + sumReasonCounts(rejected)).toBe(all)
  const heads = await db
    .selectFrom('patient_vitals')
    .select('head_circumference_cm')
    .where('head_circumference_cm', 'is not', null)
    .orderBy('head_circumference_cm')
    .execute()
  expect(heads.map((row) => row.head_circumference_cm)).toEqual([35.9, 48.8, 49.4])
})

sample('a second import of the same files changes nothing at all', async ({ db, as, make }) => {
  const clinic = await make.clinic()
  await bring(as('admin'), clinic.id, SAMPLE)
  const before = await everything(db)
  const again = await bring(as('admin'), clinic.id, SAMPLE)
  expect(await everything(db)).toEqual(before)
  expect(
    Object.values(again).reduce(
      (sum, { imported, rejected }) => sum + imported + sumReasonCounts(rejected),
      0,
    ),
  ).toBe(0)
})

sample(
  'the order of the columns, their capitals, a mark at the start and CRLF make no difference',
  async ({ as, make }) => {
    const folder = temporaryFolder()
    cpSync(SAMPLE, folder, { recursive: true })
    for (const name of ['patients', 'encounters', 'observations', 'conditions']) {
      // no quoted field in the sample holds a comma in these four
      const lines = readFileSync(join(SAMPLE, `${name}.csv`), 'utf8')
        .trim()
        .split('\n')
      const turned = lines.map((line) => line.split(',').toReversed().join(','))
      writeFileSync(
        join(folder, `${name}.csv`),
        `\uFEFF${[turned[0]!.toLowerCase(), ...turned.slice(1)].join('\r\n')}`,
      )
    }
    const clinic = await make.clinic()
    await bring(as('admin'), clinic.id, SAMPLE)
    const again = await bring(as('admin'), clinic.id, folder)
    expect(
      Object.values(again).map(({ imported, rejected }) => imported + sumReasonCounts(rejected)),
    ).toEqual(Object.values(again).map(() => 0))
  },
)

test('one person’s measurements of one moment become one set of vital signs, in metric units', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const rows = [
    ['8480-6', '121.0', 'mm[Hg]'],
    ['8462-4', '81', 'mm[Hg]'],
    ['8302-2', '70', '[in_i]'],
    ['29463-7', '176.4', '[lb_av]'],
    ['8310-5', '98.6', '[degF]'],
    ['2708-6', '97', '%'],
    ['8867-4', '72', '/min'],
    // once more the same, and a second reading
    ['8867-4', '72', '/min'],
    ['8867-4', '90', '/min'],
    ['718-7', '14', 'g/dL'],
  ].map(([code, value, unit]) => `2020-01-02T08:00:00Z,${A},${VISIT},${code},x,${value},${unit}`)
  const done = await bring(
    as('admin'),
    clinic.id,
    anExport({
      'observations.csv': `DATE,PATIENT,ENCOUNTER,CODE,DESCRIPTION,VALUE,UNITS\n${rows.join('\n')}`,
    }),
  )
  expect(done['observations.csv']).toMatchObject({
    rows: 10,
    imported: 8,
    repeated: 1,
    made: 2,
    left: [{ count: 1 }],
  })
  expect(
    await db.selectFrom('patient_vitals').selectAll().orderBy('heart_rate').execute(),
  ).toMatchObject([
    {
      patient_id: A,
      visit_id: VISIT,
      timestamp: new Date('2020-01-02T08:00:00Z'),
      systolic_bp: 121,
      diastolic_bp: 81,
      height_cm: 177.8,
      weight_kg: 80.0137,
      temperature_celsius: 37,
      oxygen_saturation: 97,
      heart_rate: 72,
    },
    { heart_rate: 90, systolic_bp: null },
  ])
})

test('names, deaths, provider and problem are kept as the source has them', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  await bring(
    as('admin'),
    clinic.id,
    anExport({
      'patients.csv': csv(
        `LAST,GENDER,FIRST,Id,DEATHDATE,BIRTHDATE,SSN,CITY,MARITAL`,
        `Schmidt332,F,Curt84,${A},2019-02-03,1990-05-17,999-17-5017,"New\nBedford",M`,
      ),
      'providers.csv': 'Id,NAME\np1,Víctor493 Noriega353\n',
      'encounters.csv': `Id,START,STOP,PATIENT,PROVIDER,DESCRIPTION\n${VISIT},2020-01-02T08:00:00Z,,${A},p1,Check up\n`,
      'conditions.csv': csv(
        `START,STOP,PATIENT,ENCOUNTER,SYSTEM,CODE,DESCRIPTION`,
        `2018-01-01,2018-02-01,${A},${VISIT},http://snomed.info/sct,195662009,Acute viral pharyngitis (disorder)`,
        `2018-03-01,,${A},not-there,,59621000,Essential hypertension`,
      ),
    }),
  )
  expect(await db.selectFrom('patients').selectAll().executeTakeFirst()).toMatchObject({
    id: A,
    given_name: 'Curt84',
    surname: 'Schmidt332',
    sex: 'female',
    date_of_birth: '1990-05-17',
    hometown: 'New Bedford',
    government_id: '999-17-5017',
    external_patient_id: A,
    metadata: { date_of_death: '2019-02-03', synthea: { marital: 'M' } },
  })
  expect(await db.selectFrom('visits').selectAll().executeTakeFirst()).toMatchObject({
    provider_name: 'Víctor493 Noriega353',
    reason: 'Check up',
    closed_at: null,
  })
  const problems = db.selectFrom('patient_problems').selectAll().orderBy('onset_date')
  expect(await problems.execute()).toMatchObject([
    {
      problem_code_system: 'snomed',
      problem_code: '195662009',
      clinical_status: 'resolved',
      visit_id: VISIT,
    },
    // without its encounter it is still the patient's
    {
      problem_code_system: 'snomed',
      problem_code: '59621000',
      clinical_status: 'active',
      visit_id: null,
    },
  ])
})

test('a row that cannot be imported is reported with its line and reason, and affects no other row', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const reported: string[] = []
  const done = await bring(
    as('admin'),
    clinic.id,
    anExport({
      'patients.csv': csv(
        `Id,BIRTHDATE,FIRST,LAST`,
        `${A},1990-05-17,Curt84,Schmidt332`,
        `b,1990-02-30,No,Day`,
        `,1990-01-01,No,Id`,
        `c,2000-01-01,Null\0,Sign`,
        `"d,2000-01-01,Open,Quote`,
        `e,2000-01-01,Fine,One`,
      ),
      'encounters.csv': csv(
        `Id,START,PATIENT`,
        `${VISIT},2020-01-02T08:00:00Z,${A}`,
        `v2,2020-01-02T08:00:00Z,nobody`,
        `v3,yesterday,${A}`,
      ),
      'observations.csv': csv(
        `DATE,PATIENT,ENCOUNTER,CODE,VALUE,UNITS`,
        `2020-01-02,${A},${VISIT},8480-6,high,mm[Hg]`,
        `2020-01-02,${A},${VISIT},8302-2,170,parsec`,
        `2020-01-02,nobody,${VISIT},8302-2,170,cm`,
      ),
    }),
    {
      onRejected: (file, { line }, fate) =>
        void reported.push(`${file}:${line} ${'reason' in fate && fate.reason.key}`),
    },
  )
  expect(reported).toEqual([
    'patients.csv:3 imports.reasons.date',
    'patients.csv:4 imports.reasons.missing',
    'patients.csv:5 validation.characters',
    'patients.csv:6 imports.reasons.quotes',
    'encounters.csv:3 imports.reasons.noPatient',
    'encounters.csv:4 imports.reasons.date',
    'observations.csv:2 imports.reasons.number',
    'observations.csv:3 imports.reasons.unit',
    'observations.csv:4 imports.reasons.noPatient',
  ])
  expect(done['patients.csv']).toMatchObject({ rows: 6, imported: 2 })
})

test('what people changed or deleted here since is left as it is here', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const folder = anExport()
  await bring(as('admin'), clinic.id, folder)
  await db.updateTable('patients').set({ given_name: 'Kurt' }).execute()
  expect((await bring(as('admin'), clinic.id, folder))['patients.csv']?.left).toMatchObject([
    { key: 'imports.reasons.changedSince', count: 1 },
  ])
  await sql`select soft_delete('patients', ${A}, '', null)`.execute(db)
  const again = await bring(as('admin'), clinic.id, folder)
  expect(again['patients.csv']?.left).toMatchObject([{ key: 'imports.reasons.deletedHere' }])
  expect(again['encounters.csv']?.left).toMatchObject([{ key: 'imports.reasons.deletedHere' }])
  expect(await db.selectFrom('patients').select(['given_name', 'is_deleted']).execute()).toEqual([
    { given_name: 'Kurt', is_deleted: true },
  ])
})

test('an import that is stopped goes on where it was stopped', async ({ db, as, make }) => {
  const clinic = await make.clinic()
  const people = Array.from({ length: 1200 }, (_, i) => `p${i},2000-01-01,First${i},Last${i}`)
  const folder = anExport({
    'patients.csv': `Id,BIRTHDATE,FIRST,LAST\n${people.join('\n')}\n`,
    'encounters.csv': 'Id,START,PATIENT\n',
  })
  const stop = new AbortController()
  const stopped = bring(as('admin'), clinic.id, folder, {
    signal: stop.signal,
    onProgress: (_file, _bytes, rows) => void (rows >= 1000 && stop.abort()),
  })
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
  expect(await bring(as('admin'), clinic.id, folder)).toMatchObject({
    'patients.csv': { imported: 200, repeated: 1000 },
  })
  const { count } = await db
    .selectFrom('patients')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(count).toBe(1200)
})

test('a folder without patients, and a file without its columns, are refused before anything is written', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  await expect(syntheaFiles(tmpdir())).rejects.toMatchObject({
    text: { key: 'imports.synthea.noExport' },
  })
  await expect(
    bring(as('admin'), clinic.id, anExport({ 'conditions.csv': 'START,STOP,ENCOUNTER\n' })),
  ).rejects.toMatchObject({
    text: { key: 'imports.csv.columns', values: { columns: 'PATIENT, CODE' } },
  })
  expect(await db.selectFrom('patients').select('id').execute()).toEqual([])
})

test('medicines become prescriptions with catalogue entries; allergies get the codes of the safety checks', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const folder = anExport({
    'medications.csv': `START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION,DISPENSES,REASONDESCRIPTION
2020-01-02T08:10:00Z,,${A},${VISIT},562251,Amoxicillin 250 MG / Clavulanate 125 MG Oral Tablet,3,Sinusitis
2020-01-02T08:10:00Z,2020-02-02T08:10:00Z,${A},not-there,757594,Jolivette 28 Day Pack,1,
2020-01-02T08:10:00Z,,bad,,1,Aspirin 81 MG Oral Tablet,1,
yesterday,,${A},,2,Aspirin 81 MG Oral Tablet,1,
`,
    'allergies.csv': csv(
      `START,STOP,PATIENT,ENCOUNTER,CODE,SYSTEM,DESCRIPTION,TYPE,CATEGORY,` +
        `REACTION1,DESCRIPTION1,SEVERITY1,REACTION2,DESCRIPTION2,SEVERITY2`,
      `2009-09-27,,${A},,7984,RxNorm,Penicillin V,allergy,medication,` +
        `1,Cough (finding),MODERATE,2,Wheal (finding),SEVERE`,
      `2009-09-27,2019-01-01,${A},,84489001,SNOMED-CT,Mold (organism),allergy,environment,,,,,,`,
      `,,${A},,84489001,SNOMED-CT,Mold (organism),allergy,environment,,,,,,`,
    ),
  })
  const done = await bring(as('admin'), clinic.id, folder)
  expect(done['medications.csv']).toMatchObject({
    rows: 4,
    imported: 2,
    rejected: [{ count: 1 }, { count: 1 }],
  })
  expect(done['allergies.csv']).toMatchObject({
    rows: 3,
    imported: 2,
    rejected: [{ key: 'imports.reasons.date' }],
  })
  const drugs = db
    .selectFrom('drug_catalogue')
    .select(['generic_name', 'ingredients'])
    .orderBy('generic_name')
  expect(await drugs.execute()).toEqual([
    { generic_name: 'Amoxicillin + Clavulanate', ingredients: ['amoxicillin', 'clavulanic acid'] },
    { generic_name: 'Jolivette 28 Day Pack', ingredients: [] },
  ])
  const items = db
    .selectFrom('prescription_items as i')
    .innerJoin('prescriptions as p', 'p.id', 'i.prescription_id')
    .select([
      'item_status',
      'refills_authorized',
      'status',
      'pickup_clinic_id',
      'visit_id',
      'p.notes',
    ])
    .orderBy('refills_authorized', 'desc')
  expect(await items.execute()).toEqual([
    {
      item_status: 'active',
      refills_authorized: 2,
      status: 'picked-up',
      pickup_clinic_id: clinic.id,
      visit_id: VISIT,
      notes: 'Sinusitis',
    },
    {
      item_status: 'completed',
      refills_authorized: 0,
      status: 'picked-up',
      pickup_clinic_id: clinic.id,
      visit_id: null,
      notes: '',
    },
  ])
  const allergies = db.selectFrom('patient_allergies').selectAll().orderBy('status')
  expect(await allergies.execute()).toMatchObject([
    {
      substance: 'Penicillin V',
      substance_kind: 'ingredient',
      substance_code: 'phenoxymethylpenicillin',
      reaction: 'Cough, Wheal',
      severity: 'severe',
      status: 'active',
    },
    { substance: 'Mold', substance_kind: 'other', severity: null, status: 'inactive' },
  ])
})

test('an export that a spreadsheet saved keeps its days and times, whatever order they are written in', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const folder = anExport({
    'patients.csv': `Id;BIRTHDATE;DEATHDATE;FIRST;LAST;GENDER\n${A};5/25/1989;;Curt84;Schmidt332;M\n`,
    'encounters.csv': `Id;START;STOP;PATIENT\n${VISIT};1/2/2020 8:05;1/2/2020 8:30 PM;${A}\n`,
  })
  expect(await bring(as('admin'), clinic.id, folder)).toMatchObject({
    'patients.csv': { imported: 1, rejected: [] },
    'encounters.csv': { imported: 1, rejected: [] },
  })
  expect(
    await db.selectFrom('patients').select('date_of_birth').where('id', '=', A).execute(),
  ).toEqual([{ date_of_birth: '1989-05-25' }])
  expect(
    await db.selectFrom('visits').select(['check_in_timestamp', 'closed_at']).execute(),
  ).toEqual([
    {
      check_in_timestamp: new Date('2020-01-02T08:05:00Z'),
      closed_at: new Date('2020-01-02T20:30:00Z'),
    },
  ])
})

test('dates that can be read in two ways are asked about once, before anything is written', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const folder = anExport({
    'patients.csv': `Id;BIRTHDATE;FIRST;LAST\n${A};3/4/1990;Curt84;Schmidt332\n`,
    'encounters.csv': 'Id;START;STOP;PATIENT\n',
  })
  await expect(bring(as('admin'), clinic.id, folder)).rejects.toMatchObject({
    text: { key: 'imports.csv.datesAmbiguous', values: { value: '3/4/1990' } },
  })
  await importSynthea(
    as('admin'),
    { clinicId: clinic.id, files: await syntheaFiles(folder), dates: 'dmy' },
    [],
  )
  expect(await db.selectFrom('patients').select('date_of_birth').execute()).toEqual([
    { date_of_birth: '1990-04-03' },
  ])
})

test('rows refused for the same reason are one reason, with an example', async ({ as, make }) => {
  const clinic = await make.clinic()
  const rows = ['x', 'y', 'z'].map(
    (day, i) => `${A.replace(/.$/, String(i))},${day},Curt84,Schmidt332`,
  )
  const done = await bring(
    as('admin'),
    clinic.id,
    anExport({
      'patients.csv': `Id,BIRTHDATE,FIRST,LAST\n${rows.join('\n')}\n`,
      'encounters.csv': 'Id,START,PATIENT\n',
    }),
  )
  expect(done['patients.csv']!.rejected).toEqual([
    {
      key: 'imports.reasons.date',
      values: { value: 'x', column: 'BIRTHDATE' },
      count: 3,
      further: ['y', 'z'],
    },
  ])
})

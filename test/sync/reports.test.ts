import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { STARTER_REPORTS } from '~/features/reports/starter/starter-reports'
import { temporaryFolder } from '../folder'
import { aPatient } from './chart'
import { asAdmin, EVERYTHING, test } from './clinic'

/** A woman and a man with hypertension, one with diabetes, over three months; in another order each time. */
const PEOPLE = [
  { given: 'Layla', family: 'Haddad', sex: 'female', born: '1980-05-17' },
  { given: 'Omar', family: 'Khatib', sex: 'male', born: '1958-11-02' },
] as const
type Visit = { of: 0 | 1; at: string; bp: readonly [number, number]; codes?: readonly string[] }
const [HYPERTENSION, DIABETES] = ['59621000', '44054006']
const VISITS: readonly Visit[] = [
  { of: 0, at: '2026-03-02T08:00:00Z', bp: [160, 95], codes: [HYPERTENSION] },
  { of: 1, at: '2026-03-09T09:00:00Z', bp: [150, 92], codes: [HYPERTENSION, DIABETES] },
  { of: 0, at: '2026-04-07T08:00:00Z', bp: [145, 88] },
  { of: 1, at: '2026-06-01T10:00:00Z', bp: [128, 78] },
  { of: 0, at: '2026-06-30T08:00:00Z', bp: [132, 84] },
]

test('the same history by web, phone or import, in any order, gives the same reports', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const operations = await operationsOf()
  const { createPatient, saveVisit, saveVital, saveProblem, runReport } = operations
  await operations.installStarterReports(db)
  const clinics = [await make.clinic(), await make.clinic(), await make.clinic()] as const
  const [byWeb, byPhone, byImport] = clinics
  const admin = asAdmin(db, await person('admin'))

  const ids = PEOPLE.map(() => crypto.randomUUID())
  for (const [at, { given, family, sex, born }] of PEOPLE.entries())
    await createPatient(admin, {
      id: ids[at]!,
      primary_clinic_id: byWeb.id,
      given_name: given,
      surname: family,
      sex,
      date_of_birth: born,
    })
  for (const { of, at, bp, codes = [] } of VISITS) {
    const [patient_id, visit_id] = [ids[of]!, crypto.randomUUID()]
    await saveVisit(admin, {
      id: visit_id,
      patient_id,
      clinic_id: byWeb.id,
      check_in_timestamp: at,
    })
    const [systolic_bp, diastolic_bp] = bp
    const measured = { patient_id, visit_id, timestamp: at, systolic_bp, diastolic_bp }
    await saveVital(admin, { id: crypto.randomUUID(), ...measured })
    for (const problem_code of codes)
      await saveProblem(admin, {
        id: crypto.randomUUID(),
        patient_id,
        visit_id,
        problem_code_system: 'snomed',
        problem_code,
        problem_label: problem_code,
        clinical_status: 'active',
        verification_status: 'confirmed',
      })
  }

  // the phone: the last visit first, and the second person before the first
  const provider = await person('provider', [byPhone], EVERYTHING)
  const phone = phoneOf(provider)
  await phone.sync()
  const onPhone = ['', '']
  for (const [at, { given, family, sex, born }] of [...PEOPLE.entries()].toReversed())
    onPhone[at] = await phone.create(
      'patients',
      aPatient(byPhone, { given_name: given, surname: family, sex, date_of_birth: born }),
    )
  for (const { of, at, bp, codes = [] } of VISITS.toReversed()) {
    const by = { patient_id: onPhone[of]!, recorded_by_user_id: provider.id, metadata: '{}' }
    const timestamp = Date.parse(at)
    const visit_id = await phone.create('visits', {
      patient_id: onPhone[of]!,
      clinic_id: byPhone.id,
      check_in_timestamp: timestamp,
      metadata: '{}',
    })
    const [systolic_bp, diastolic_bp] = bp
    await phone.create('patient_vitals', { ...by, visit_id, timestamp, systolic_bp, diastolic_bp })
    for (const problem_code of codes)
      await phone.create('patient_problems', {
        ...by,
        visit_id,
        problem_code_system: 'snomed',
        problem_code,
        problem_label: problem_code,
        clinical_status: 'active',
        verification_status: 'confirmed',
      })
    // each visit leaves by itself
    await phone.sync()
  }

  const folder = temporaryFolder()
  const imported = PEOPLE.map(() => crypto.randomUUID())
  const rows = VISITS.map((visit) => ({ ...visit, id: crypto.randomUUID() }))
  const write = (name: string, columns: string, lines: string[]) =>
    writeFileSync(join(folder, name), [columns, ...lines.toReversed(), ''].join('\n'))
  write(
    'patients.csv',
    'Id,BIRTHDATE,DEATHDATE,FIRST,LAST,GENDER',
    PEOPLE.map(
      ({ given, family, sex, born }, at) =>
        `${imported[at]},${born},,${given},${family},${sex === 'male' ? 'M' : 'F'}`,
    ),
  )
  write(
    'encounters.csv',
    'Id,START,STOP,PATIENT',
    rows.map(({ id, at, of }) => `${id},${at},${at},${imported[of]}`),
  )
  write(
    'observations.csv',
    'DATE,PATIENT,ENCOUNTER,CODE,VALUE,UNITS',
    rows.flatMap(({ id, at, of, bp }) =>
      ['8480-6', '8462-4'].map(
        (code, side) => `${at},${imported[of]},${id},${code},${bp[side]},mm[Hg]`,
      ),
    ),
  )
  write(
    'conditions.csv',
    'START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION',
    rows.flatMap(({ id, at, of, codes = [] }) =>
      codes.map((code) => `${at.slice(0, 10)},,${imported[of]},${id},${code},${code}`),
    ),
  )
  const files = await operations.syntheaFiles(folder)
  await operations.importSynthea(admin, { clinicId: byImport.id, files }, [])

  const valuesOf = async (clinicId: string, code: string, period: string) => {
    const { cells } = await runReport(admin, { code, clinic_ids: [clinicId], period })
    // a column of the clinic itself has its id
    return cells.map(({ section, row, column, value }) =>
      [section, row, column, value].join(' ').replaceAll(clinicId, 'clinic'),
    )
  }
  for (const { definition } of STARTER_REPORTS)
    for (const period of ['2026-03', '2026-04', '2026-06']) {
      const expected = await valuesOf(byWeb.id, definition.code, period)
      expect(await valuesOf(byPhone.id, definition.code, period)).toEqual(expected)
      expect(await valuesOf(byImport.id, definition.code, period)).toEqual(expected)
    }
  // and it is the history: both controlled in June
  expect(await valuesOf(byImport.id, 'hypertension-diabetes', '2026-06')).toEqual(
    expect.arrayContaining([
      'htn-care B4 value 2',
      'htn-outcomes B8 value 2',
      'dm-registration C1-B1 value 1',
    ]),
  )
})

/** Only now: the server of this file has said which database it is on. */
async function operationsOf() {
  const all = await Promise.all([
    import('~/features/care/problems/problems.server'),
    import('~/features/record/visits/visits.server'),
    import('~/features/care/vitals/vitals.server'),
    import('~/features/exchange/imports/synthea/synthea.server'),
    import('~/features/people/patients/patients.server'),
    import('~/features/reports/runs/reports.server'),
    import('~/features/reports/starter/install.server'),
  ])
  return Object.assign({}, ...all) as (typeof all)[0] &
    (typeof all)[1] &
    (typeof all)[2] &
    (typeof all)[3] &
    (typeof all)[4] &
    (typeof all)[5] &
    (typeof all)[6]
}

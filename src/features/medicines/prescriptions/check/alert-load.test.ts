import { describe, expect, test } from 'vitest'
import { drug } from '../../../../../test/safety-samples'
import type { CheckedDrug, CheckedPatient } from '~/features/medicines/safety/rules/rule'
import { asksReason, isOfRule } from '~/features/medicines/safety/rules/warning'
import { runCheck, findWarnings } from '~/features/medicines/safety/warnings'

const today = '2026-11-29'
const patient = (born: string, kg: number, more: Partial<CheckedPatient> = {}): CheckedPatient => ({
  birth: { day: born, precision: 'day' },
  sex: 'male',
  today,
  weight: { kg, at: new Date(`${today}T09:00:00Z`) },
  pregnancy: { state: 'not_pregnant', weeks: null, at: null },
  kidneys: null,
  problems: [],
  ...more,
})
const man = patient('1970-03-01', 74)
const old = patient('1948-03-01', 66, { kidneys: { egfr: 68, at: new Date(today) } })
const child = patient('2021-05-01', 17)
const infant = patient('2026-03-01', 7)
const pregnant = patient('1998-03-01', 62, {
  sex: 'female',
  pregnancy: { state: 'pregnant', weeks: 22, at: new Date(today) },
})

/** A medicine of one substance, with its dose in milligrams. */
const given = (ingredient: string, mg: number, times: number): CheckedDrug => ({
  ...drug(ingredient, ingredient),
  route: 'oral',
  dosing: {
    perDose: [{ ingredient, quantity: mg, unit: 'mg' }],
    dosesPerDay: times,
    everyDays: 1,
  },
})

/** Written for this test, without looking at the tables: what a small clinic prescribes on a day. */
const PRESCRIPTIONS: [string, CheckedPatient, CheckedDrug[], string[]][] = [
  ['fever of an adult', man, [given('paracetamol', 1000, 3)], []],
  ['back pain', man, [given('ibuprofen', 400, 3)], []],
  ['knee pain of an old man', old, [given('paracetamol', 1000, 3)], ['amlodipine']],
  ['high blood pressure, first medicine', man, [given('amlodipine', 5, 1)], []],
  ['high blood pressure, second', man, [given('enalapril', 10, 2)], ['amlodipine']],
  ['high blood pressure, third', old, [given('hydrochlorothiazide', 25, 1)], ['losartan']],
  ['diabetes, first medicine', man, [given('metformin', 500, 2)], []],
  ['diabetes, second', man, [given('glibenclamide', 5, 1)], ['metformin']],
  ['cholesterol', old, [given('simvastatin', 20, 1)], ['enalapril']],
  [
    'after a heart attack',
    old,
    [given('acetylsalicylic acid', 75, 1)],
    ['bisoprolol', 'simvastatin'],
  ],
  ['heart failure', old, [given('furosemide', 40, 1)], ['enalapril', 'bisoprolol']],
  ['heartburn', man, [given('omeprazole', 20, 1)], ['amlodipine']],
  ['pneumonia of an adult', man, [given('amoxicillin', 1000, 3)], []],
  ['pneumonia of a child', child, [given('amoxicillin', 500, 2)], []],
  ['fever of a child', child, [given('paracetamol', 250, 4)], []],
  ['fever of an infant', infant, [given('paracetamol', 100, 3)], []],
  ['pain of a child', child, [given('ibuprofen', 150, 3)], ['paracetamol']],
  ['itch', man, [given('cetirizine', 10, 1)], []],
  ['urinary infection', man, [given('nitrofurantoin', 100, 2)], []],
  ['chlamydia', man, [given('azithromycin', 500, 1)], []],
  ['giardiasis', man, [given('metronidazole', 500, 2)], []],
  ['malaria', man, [drug('artemether and lumefantrine', 'artemether', 'lumefantrine')], []],
  ['asthma', man, [drug('salbutamol inhaler', 'salbutamol')], ['beclometasone']],
  ['asthma attack', man, [given('prednisolone', 40, 1)], ['salbutamol', 'beclometasone']],
  ['low thyroid', old, [given('levothyroxine', 0.05, 1)], ['amlodipine']],
  ['depression', man, [given('fluoxetine', 20, 1)], []],
  ['epilepsy', man, [given('carbamazepine', 200, 2)], []],
  [
    'anaemia in pregnancy',
    pregnant,
    [drug('iron and folic acid', 'ferrous sulfate', 'folic acid')],
    [],
  ],
  ['fever in pregnancy', pregnant, [given('paracetamol', 1000, 3)], ['ferrous sulfate']],
  ['urinary infection in pregnancy', pregnant, [given('cefalexin', 500, 2)], []],
]

const found = PRESCRIPTIONS.map(([name, facts, drugs, taken]) => ({
  name,
  warnings: findWarnings(
    drugs,
    taken.map((substance) => drug(substance, substance)),
    [],
    facts,
  ),
}))

/** Lines that are seen without opening anything: each warning, and one beside a medicine that a list does not have. */
const linesOf = ([, patient, drugs, taken]: (typeof PRESCRIPTIONS)[number]) => {
  const { warnings, scope } = runCheck({
    drugs,
    taken: taken.map((substance) => drug(substance, substance)),
    allergies: [],
    patient,
  })
  const silent = scope.medicines.filter(({ answers }) =>
    answers.some((one) => one.answer === 'not_listed' && one.bears && one.because !== 'allergies'),
  )
  return warnings.length + silent.length
}

/** Of the warning's column at 1,280 pixels. */
const LINE = 110

describe('30 ordinary prescriptions', () => {
  test('ask for at most one reason together', () => {
    expect(PRESCRIPTIONS).toHaveLength(30)
    const asking = found.flatMap(({ name, warnings }) =>
      warnings.filter(asksReason).map((one) => `${name}: ${one.kind} ${'rule' in one && one.rule}`),
    )
    expect(asking.slice(1)).toEqual([])
  })

  test('show at most two lines each, warnings and lists that are silent together', () => {
    const long = PRESCRIPTIONS.flatMap((one) =>
      linesOf(one) > 2 ? [`${one[0]}: ${linesOf(one)}`] : [],
    )
    expect(long).toEqual([])
  })

  test('take at most two lines for what was found and two for what to do; reminders of tests take three', () => {
    const tooLong = found.flatMap(({ name, warnings }) =>
      warnings.filter(isOfRule).flatMap(({ kind, text, todo }) => {
        const most = (kind === 'monitoring' ? 3 : 2) * LINE
        return [...Object.values(text), ...Object.values(todo)]
          .filter((sentence) => sentence.length > most)
          .map((sentence) => `${name}: ${sentence}`)
      }),
    )
    expect(tooLong).toEqual([])
  })
})

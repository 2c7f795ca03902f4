import { expect, test } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import { checkConditions, checkKidneys } from './patient-rules'
import type { PatientFacts } from './rule'
import { codesOfWritten } from './written-problems'

test.for([
  ['CKD stage 4', ['N18.4']],
  ['chronic kidney disease, stage 3b', ['N18.32']],
  ['CKD G5', ['N18.5']],
  ['CKD', ['N18.9']],
  ['Enfermedad renal crónica estadio IV', ['N18.4']],
  ['الداء الكلوي المزمن المرحلة الرابعة', ['N18.4']],
  ['DVT 2019', ['I80.2']],
  ['Trombosis venosa profunda', ['I80.2']],
  ['HTN, asthma', ['I10', 'J45.9']],
  ['ارتفاع ضغط الدم', ['I10']],
  ['Stroke in 2020', ['I64']],
] as const)('"%s" is clearly written', ([label, codes]) => {
  expect(codesOfWritten(label)).toEqual(codes)
})

test.for([
  'no CKD',
  'family history of DVT',
  'DVT?',
  'rule out stroke',
  'heat stroke',
  'pulmonary hypertension',
  'riesgo de TVP',
  'لا يوجد ارتفاع ضغط الدم',
  'stage fright',
  'tired',
])('"%s" asserts no problem', (label) => {
  expect(codesOfWritten(label)).toEqual([])
})

const woman = (problems: string[], egfr: number | null = null): PatientFacts => ({
  birth: { day: '1990-01-01', precision: 'day' },
  sex: 'female',
  today: '2026-11-29',
  weight: null,
  pregnancy: { state: 'not_pregnant', weeks: null, at: null },
  kidneys: egfr === null ? null : { egfr, at: new Date('2026-11-01T09:00:00Z') },
  problems,
})
const given = (name: string) => ({ drugId: name, name, ingredients: [name], route: 'oral' })
const found = (check: typeof checkKidneys, name: string, patient: PatientFacts) =>
  check({ drugs: [given(name)], taken: [], patient }).map(({ rule, level }) => `${rule} ${level}`)

test('a recorded stage of kidney disease counts as its eGFR; the worse of both counts', () => {
  expect(found(checkKidneys, 'metformin', woman(['N18.4']))).toEqual(['metformin_30 must_not'])
  expect(found(checkKidneys, 'metformin', woman(['N18.4'], 70))).toEqual(['metformin_30 must_not'])
  expect(found(checkKidneys, 'metformin', woman(['N18.3'], 25))).toEqual(['metformin_30 must_not'])
  expect(found(checkKidneys, 'metformin', woman(['N18.32']))).toEqual(['metformin_45 avoid'])
  expect(found(checkKidneys, 'metformin', woman(['N18.2']))).toEqual([])
  const [warning] = checkKidneys({
    drugs: [given('metformin')],
    taken: [],
    patient: woman(['N18.4']),
  })
  for (const language of LANGUAGES) expect(warning!.text[language]).toMatch(/4.*30/)
})

test('the combined pill with thrombosis, stroke, heart disease or hypertension, by the WHO criteria', () => {
  const pill = (code: string) => found(checkConditions, 'ethinylestradiol', woman([code]))
  for (const code of ['I80.2', 'I26.9', 'O22.3', 'I64', 'I63.9', 'I21.9'])
    expect([code, pill(code)]).toEqual([code, [expect.stringMatching(/ must_not$/)]])
  expect(pill('I10')).toEqual(['oestrogen_hypertension avoid'])
  // superficial veins are category 2
  expect(pill('I80.0')).toEqual([])
})

import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import type { Birth } from '~/fields/birth'
import { CHECKS, RULE_TABLES } from './checks'
import { parseIngredients, isKnownIngredient } from './ingredients'
import {
  ages,
  checkConditions,
  checkKidneys,
  conditionRules,
  kidneys,
  pregnancy,
} from './patient-rules'
import { codesOfWritten } from './problem-codes'
import { LEVELS, type CheckedPatient, type RuleWarning } from './rule'
import { asksOwnLook } from './warning'

const TODAY = '2026-06-01'
const day = (at: string): Birth => ({ day: at, precision: 'day' })
const man: CheckedPatient = {
  birth: day('1986-01-01'),
  sex: 'male',
  today: TODAY,
  weight: { kg: 75, at: new Date('2026-05-01T08:00:00Z') },
  pregnancy: { state: 'not_pregnant', weeks: null, at: null },
  kidneys: { egfr: 95, at: new Date('2026-05-01T08:00:00Z') },
  problems: [],
}
const woman: CheckedPatient = { ...man, birth: day('1996-01-01'), sex: 'female' }
const child = (born: string, more: Partial<CheckedPatient> = {}) => ({
  ...man,
  birth: day(born),
  kidneys: null,
  ...more,
})
const pregnant = (weeks: number | null): CheckedPatient => ({
  ...woman,
  pregnancy: { state: 'pregnant', weeks, at: new Date() },
})

const check = (medicines: string | readonly string[], patient: CheckedPatient, route = 'oral') => {
  const drugs = [medicines]
    .flat()
    .map((name) => ({ drugId: name, name, ingredients: [name], route }))
  // pairs of these medicines and reminders to monitor are other tables'
  return CHECKS.flatMap((each) => each({ drugs, taken: [], patient })).filter(
    ({ pair, kind }) => pair === undefined && kind !== 'monitoring',
  )
}
const rulesOf = (...args: Parameters<typeof check>) =>
  check(...args).map(({ rule, level }) => `${rule} ${level}`)

describe('age', () => {
  test('what passed with "nothing found": codeine at 2 years, doxycycline at 4, aspirin at 9', () => {
    expect(rulesOf('codeine', child('2024-05-01'))).toEqual(['codeine_tramadol_12 must_not'])
    expect(rulesOf('doxycycline', child('2022-05-01'))).toEqual(['doxycycline_8 caution'])
    expect(rulesOf('aspirin', child('2017-05-01'))).toEqual(['aspirin_16 avoid'])
    expect(rulesOf('ibuprofen', child('2026-04-20'))).toEqual(['ibuprofen_3m avoid'])
    const [warning] = check('codeine', child('2024-05-01')) as [RuleWarning]
    expect(warning.text.en).toBe(
      'codeine must not be given below 12 years: breathing can slow down or stop.',
    )
    expect(warning.text.ar).toBe(
      'الدواء codeine: يُمنع إعطاؤه دون عمر 12 سنة؛ قد يتباطأ التنفس أو يتوقف.',
    )
    expect(warning).toMatchObject({
      key: 'age:codeine:codeine_tramadol_12',
      version: ages.version,
      kind: 'age',
    })
  })

  test('the day of the birthday is the first on which the limit no longer holds', () => {
    expect(rulesOf('codeine', child('2014-06-02'))).toHaveLength(1)
    expect(rulesOf('codeine', child('2014-06-01'))).toEqual([])
    expect(rulesOf('ceftriaxone', child('2026-05-04'))).toHaveLength(1)
    expect(rulesOf('ceftriaxone', child('2026-05-03'))).toEqual([])
  })

  test('an approximate birth that may be below the limit warns, and says that the age is uncertain', () => {
    const about = (born: string) => ({ ...man, birth: { day: born, precision: 'age' } as const })
    const [maybe] = check('codeine', about('2014-07-01')) as [RuleWarning]
    expect(maybe.key).toMatch(/:uncertain$/)
    expect(maybe.text.en).toContain('The age is not known exactly')
    const [surely] = check('codeine', about('2019-07-01')) as [RuleWarning]
    expect(surely.text.en).not.toContain('not known exactly')
    expect(check('codeine', about('1999-07-01'))).toEqual([])
    expect(check('codeine', { ...man, birth: null })).toEqual([])
  })

  test('a weight below the limit counts where the age does not', () => {
    const light = { kg: 30, at: new Date() }
    expect(rulesOf('domperidone', child('2012-01-01', { weight: light }))).toEqual([
      'domperidone_12 avoid',
    ])
    expect(rulesOf('domperidone', child('2012-01-01'))).toEqual([])
  })

  test('drops for the nose count for a cold, ointments and eye drops for nothing', () => {
    const small = child('2023-01-01')
    expect(rulesOf('xylometazoline', small, 'nasal')).toEqual(['cough_cold_6 avoid'])
    expect(rulesOf('phenylephrine', small, 'ophthalmic')).toEqual([])
    expect(rulesOf('tetracycline', small, 'topical')).toEqual([])
  })
})

describe('pregnancy', () => {
  test('vitamin A is asked about above the dose of a day or a week, or where the dose is not known', () => {
    const keys = new Set<string>()
    const warned = (
      quantity: number,
      everyDays: number | null,
      patient = pregnant(null),
      unit: 'mg' | 'units' = 'units',
    ) => {
      const dosing = {
        perDose: [{ ingredient: 'vitamin A', quantity, unit }],
        dosesPerDay: 1,
        everyDays,
      }
      const drugs = [{ drugId: 'A', name: 'A', ingredients: ['vitamin A'], route: 'oral', dosing }]
      return CHECKS.flatMap((each) => each({ drugs, taken: [], patient }))
        .filter(({ kind }) => kind === 'pregnancy')
        .map(({ rule, key }) => {
          keys.add(key)
          return rule
        })
    }
    expect(warned(10_000, 1)).toEqual([])
    expect(warned(0.8, 1, pregnant(null), 'mg')).toEqual([])
    expect(warned(25_000, 7)).toEqual([])
    expect(warned(25_000, 1)).toEqual(['vitamin_a_pregnant'])
    expect(warned(200_000, null)).toEqual(['vitamin_a_pregnant'])
    expect(warned(30, null, pregnant(null), 'mg')).toEqual(['vitamin_a_pregnant'])
    // a reason for one dose is none for a higher one
    expect(keys.size).toBe(3)
    expect(rulesOf('retinol', pregnant(null))).toEqual(['vitamin_a_pregnant avoid'])
    const unknown = { ...woman, pregnancy: { state: 'not_known', weeks: null, at: null } as const }
    expect(warned(200_000, null, unknown)).toEqual(['not_known'])
    expect(warned(10_000, 1, unknown)).toEqual([])
  })

  test('what passed with "nothing found": enalapril, valproate, methotrexate, warfarin', () => {
    expect(
      rulesOf(
        ['enalapril', 'losartan', 'sodium valproate', 'methotrexate', 'warfarin'],
        pregnant(10),
      ),
    ).toEqual([
      'ras_pregnant must_not',
      'arb_pregnant must_not',
      'valproate_pregnant must_not',
      'methotrexate_pregnant must_not',
      'warfarin_pregnant must_not',
    ])
    expect(check('paracetamol', pregnant(10))).toEqual([])
    expect(check('amoxicillin', pregnant(10))).toEqual([])
  })

  test.each([
    ['ibuprofen', 19, []],
    ['ibuprofen', 20, ['nsaids_20w avoid']],
    ['ibuprofen', 29, ['nsaids_20w avoid']],
    ['ibuprofen', 30, ['nsaids_30w must_not']],
    ['ibuprofen', null, ['nsaids_20w avoid']],
    ['trimethoprim', 12, ['trimethoprim_first avoid']],
    ['trimethoprim', 13, []],
    ['doxycycline', 14, []],
    ['doxycycline', 15, ['tetracyclines_15w avoid']],
    ['nitrofurantoin', 36, []],
    ['nitrofurantoin', 37, ['nitrofurantoin_term must_not']],
    // low-dose aspirin is given in pregnancy on purpose
    ['aspirin', 34, []],
  ])('%s in week %s: %j', (medicine, weeks, rules) => {
    expect(rulesOf(medicine, pregnant(weeks))).toEqual(rules)
  })

  test('where the duration is not known, it is said', () => {
    expect(check('ibuprofen', pregnant(null))[0]?.text.en).toContain(
      'The duration of the pregnancy is not recorded.',
    )
  })

  test.each([
    ['phenytoin', 'antiepileptics_pregnant avoid'],
    ['lithium carbonate', 'lithium_pregnant avoid'],
    ['primaquine', 'primaquine_pregnant must_not'],
    ['griseofulvin', 'griseofulvin_pregnant must_not'],
  ])('%s in pregnancy', (medicine, rule) => {
    expect(rulesOf(medicine, pregnant(24))).toEqual([rule])
  })

  test.each([
    ['methotrexate', 'cytotoxics_breastfeeding must_not'],
    ['amiodarone', 'amiodarone_breastfeeding avoid'],
    ['ethinylestradiol', 'combined_pill_breastfeeding avoid'],
  ])('%s while breastfeeding', (medicine, rule) => {
    const breastfeeding = { state: 'breastfeeding', weeks: null, at: new Date() } as const
    expect(rulesOf(medicine, { ...woman, pregnancy: breastfeeding })).toEqual([rule])
  })

  test('gentamicin by injection in pregnancy is a caution, eye drops are not', () => {
    expect(rulesOf('gentamicin', pregnant(24), 'intramuscular')).toEqual([
      'aminoglycosides_pregnant caution',
    ])
    expect(rulesOf('gentamicin', pregnant(24), 'ophthalmic')).toEqual([])
  })

  test('a diclofenac gel in pregnancy says nothing', () => {
    expect(check('diclofenac', pregnant(32), 'topical')).toEqual([])
  })

  test('breastfeeding has its own rules', () => {
    const feeding: CheckedPatient = {
      ...woman,
      pregnancy: { state: 'breastfeeding', weeks: null, at: new Date() },
    }
    expect(rulesOf(['codeine', 'simvastatin', 'enalapril'], feeding)).toEqual([
      'codeine_tramadol_breastfeeding avoid',
      'statins_breastfeeding avoid',
    ])
  })

  test('valproate asks for contraception only in women who can become pregnant', () => {
    expect(rulesOf('valproic acid', woman)).toEqual(['valproate_women avoid'])
    expect(
      rulesOf('valproic acid', { ...woman, pregnancy: { ...woman.pregnancy, isPossible: false } }),
    ).toEqual([])
    expect(rulesOf('valproic acid', { ...woman, birth: day('1960-01-01') })).toEqual([])
    expect(rulesOf('valproic acid', man)).toEqual([])
  })

  test('an unknown pregnancy is said once, without asking for a reason, for medicines that matter', () => {
    const unknown: CheckedPatient = {
      ...woman,
      pregnancy: { state: 'not_known', weeks: null, at: null },
    }
    const found = check(['enalapril', 'ibuprofen', 'paracetamol'], unknown)
    expect(found).toMatchObject([
      { rule: 'not_known', level: 'caution', key: 'pregnancy:enalapril+ibuprofen:not_known' },
    ])
    expect(found[0]?.text.en).toContain('enalapril, ibuprofen.')
    expect(check('paracetamol', unknown)).toEqual([])
  })
})

describe('kidneys and problems', () => {
  test.each([
    ['metformin', 29, ['metformin_30 must_not']],
    ['metformin', 30, ['metformin_45 avoid']],
    ['metformin', 44, ['metformin_45 avoid']],
    ['metformin', 45, []],
    ['nitrofurantoin', 29, ['nitrofurantoin_30 must_not']],
    ['nitrofurantoin', 40, ['nitrofurantoin_45 avoid']],
    ['ibuprofen', 29, ['nsaids_30 avoid']],
    ['ibuprofen', 59, ['nsaids_60 caution']],
    ['ibuprofen', 60, []],
    ['eplerenone', 30, ['eplerenone_30 must_not']],
    ['dabigatran etexilate', 29, ['dabigatran_30 must_not']],
    ['rivaroxaban', 20, []],
    ['rivaroxaban', 14, ['xa_inhibitors_15 must_not']],
    ['lithium carbonate', 45, ['lithium_60 caution']],
    ['gabapentin', 59, ['gabapentinoids_60 caution']],
    ['tenofovir disoproxil', 29, ['tenofovir_30 avoid']],
    ['tenofovir alafenamide', 29, []],
    ['tenofovir alafenamide', 14, ['tenofovir_alafenamide_15 avoid']],
    ['paracetamol', 10, []],
  ])('%s with an eGFR of %d: %j', (medicine, egfr, rules) => {
    expect(rulesOf(medicine, { ...man, kidneys: { egfr, at: new Date() } })).toEqual(rules)
  })

  test('a recorded stage decides every row: no limit lies within one, but 45 within stage 3', () => {
    const borders = [15, 30, 30.5, 45, 60]
    expect(
      kidneys.rows.filter(
        ({ under, from = 15 }) => !borders.includes(under) || !borders.includes(from),
      ),
    ).toEqual([])
    expect(rulesOf('allopurinol', { ...man, kidneys: null, problems: ['N18.4'] })).toEqual([
      'allopurinol_30 caution',
    ])
  })

  test('an injected aminoglycoside is asked about; eye drops are not', () => {
    const weak = (egfr: number) => ({ ...man, kidneys: { egfr, at: new Date() } })
    const injected = (egfr: number) => rulesOf('gentamicin', weak(egfr), 'intravenous')
    expect(injected(29)).toEqual(['aminoglycosides_30 avoid'])
    expect(injected(40)).toEqual(['aminoglycosides_60 caution'])
    expect(rulesOf('gentamicin', weak(29), 'ophthalmic')).toEqual([])
  })

  test('nothing is said where kidney function is not known', () => {
    expect(check('metformin', { ...man, kidneys: null })).toEqual([])
  })

  test.each([
    ['propranolol', 'J45.9', ['nonselective_asthma must_not']],
    ['bisoprolol', 'J45.9', ['selective_asthma avoid']],
    ['ibuprofen', 'K27', ['nsaids_ulcer avoid']],
    ['aspirin', 'K25.4', ['nsaids_ulcer avoid']],
    ['diclofenac', 'I25.9', ['diclofenac_vessels must_not']],
    ['diclofenac', 'I50.9', ['nsaids_heart_failure avoid', 'diclofenac_vessels must_not']],
    ['verapamil', 'I50.9', ['calcium_heart_failure avoid']],
    ['ibuprofen', 'N18.9', ['nsaids_kidney_disease avoid']],
    ['bupropion', 'G40.9', ['bupropion_epilepsy must_not']],
    ['metoclopramide', 'G20', ['metoclopramide_parkinson must_not']],
    ['primaquine', 'D55.0', ['g6pd must_not']],
    ['co-trimoxazole', 'D55.0', ['g6pd_caution caution']],
    ['methylene blue', 'D55.0', ['g6pd must_not']],
    ['ethinylestradiol', 'C50.9', ['oestrogen_breast_cancer must_not']],
    ['ethinylestradiol', 'G43.1', ['oestrogen_migraine_aura must_not']],
    ['ethinylestradiol', 'G43.9', []],
    ['propranolol', 'I10', []],
  ])('%s with %s: %j', (medicine, code, rules) => {
    expect(rulesOf(medicine, { ...man, problems: ['M54.5', code] })).toEqual(rules)
  })
})

/** Common in primary care. Those with a rule for everybody would be here as an exception; there is none. */
const COMMON =
  `paracetamol ibuprofen diclofenac naproxen aspirin tramadol codeine morphine amoxicillin
  ampicillin flucloxacillin phenoxymethylpenicillin cefalexin ceftriaxone cefixime azithromycin
  erythromycin clarithromycin doxycycline metronidazole ciprofloxacin levofloxacin nitrofurantoin
  trimethoprim gentamicin fluconazole albendazole mebendazole ivermectin praziquantel metformin
  gliclazide glibenclamide amlodipine nifedipine enalapril lisinopril losartan hydrochlorothiazide
  furosemide spironolactone bisoprolol atenolol propranolol simvastatin atorvastatin warfarin
  digoxin salbutamol beclometasone prednisolone omeprazole ranitidine metoclopramide ondansetron
  loperamide levothyroxine carbimazole amitriptyline fluoxetine diazepam carbamazepine phenytoin
  cetirizine chlorphenamine promethazine folic_acid ferrous_sulfate zinc_sulfate insulin`
    .split(/\s+/)
    .map((name) => name.replaceAll('_', ' '))

test('an Arabic sentence begins with an Arabic letter: a Latin name would lay it out from left to right', () => {
  const sick = {
    ...pregnant(24),
    kidneys: { egfr: 25, at: new Date() },
    problems: ['I50.9', 'K27', 'D55.0'],
  }
  const found = check(['ibuprofen', 'metformin', 'nitrofurantoin', 'enalapril', 'codeine'], sick)
  expect(found.length).toBeGreaterThan(6)
  expect(
    found.filter(
      ({ text, todo }) => !/^[\u0600-\u06FF]/.test(text.ar) || !/^[\u0600-\u06FF]/.test(todo.ar),
    ),
  ).toEqual([])
})

test(`no rule speaks about a man of 40 without problems, on ${COMMON.length} common medicines`, () => {
  expect(COMMON.length).toBeGreaterThanOrEqual(60)
  expect(check(COMMON, man)).toEqual([])
  // nor about a woman who is known not to be pregnant
  expect(check(COMMON, woman)).toEqual([])
})

describe('the tables', () => {
  const tables = { ages, pregnancy, kidneys, conditions: conditionRules }
  const rows = Object.values(tables).flatMap(
    (table): readonly (typeof ages.rows)[number][] => table.rows as never,
  )
  test('each row has its sentences in three languages, a source with an address, and a level', () => {
    for (const { version, date } of Object.values(tables)) {
      expect(version).toMatch(/^\d{4}-\d{2}$/)
      expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    }
    const broken = rows.filter(
      ({ why, todo, source, level }) =>
        [why, todo].some(
          (words) => !['en', 'ar', 'es'].every((language) => words[language as 'en'].trim()),
        ) ||
        (source.url !== undefined && !/^https?:\/\/\S+$/.test(source.url)) ||
        !source.text ||
        !LEVELS.includes(level),
    )
    expect(broken).toEqual([])
    // what to do is a whole sentence, why the end of one
    expect(rows.filter(({ why, todo }) => !todo.en.endsWith('.') || why.en.endsWith('.'))).toEqual(
      [],
    )
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  test('each member is named as the checks name it', () => {
    const members = [...new Set(rows.flatMap((row) => row.members))]
    expect(
      members.filter(
        (name) =>
          parseIngredients(name)
            .map((each) => each.name)
            .join() !== name,
      ),
    ).toEqual([])
    expect(members.filter((name) => !isKnownIngredient(name))).toEqual([])
  })

  test('each row is on the list that administrators see', () => {
    const listed = RULE_TABLES.flatMap((table) => table.rows.map(({ id }) => id))
    expect(rows.filter(({ id }) => !listed.includes(id))).toEqual([])
    expect(listed).toContain('not_known')
  })
})

test('dispensing asks for a check of its own for what must not be given to this patient', () => {
  const ofDispensing = (...args: Parameters<typeof check>) => check(...args).map(asksOwnLook)
  expect(rulesOf('enalapril', pregnant(30))).toEqual([expect.stringContaining('must_not')])
  expect(ofDispensing('enalapril', pregnant(30))).toEqual([true])
  expect(ofDispensing('codeine', child('2024-05-01'))).toEqual([true])
  expect(ofDispensing('doxycycline', child('2022-05-01'))).toEqual([false])
})

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

const withProblems = (problems: string[], egfr: number | null = null): CheckedPatient => ({
  birth: { day: '1990-01-01', precision: 'day' },
  sex: 'female',
  today: '2026-11-29',
  weight: null,
  pregnancy: { state: 'not_pregnant', weeks: null, at: null },
  kidneys: egfr === null ? null : { egfr, at: new Date('2026-11-01T09:00:00Z') },
  problems,
})
const given = (name: string) => ({ drugId: name, name, ingredients: [name], route: 'oral' })
const found = (check: typeof checkKidneys, name: string, patient: CheckedPatient) =>
  check({ drugs: [given(name)], taken: [], patient }).map(({ rule, level }) => `${rule} ${level}`)

test('a recorded stage of kidney disease counts as its eGFR; the worse of both counts', () => {
  expect(found(checkKidneys, 'metformin', withProblems(['N18.4']))).toEqual([
    'metformin_30 must_not',
  ])
  expect(found(checkKidneys, 'metformin', withProblems(['N18.4'], 70))).toEqual([
    'metformin_30 must_not',
  ])
  expect(found(checkKidneys, 'metformin', withProblems(['N18.3'], 25))).toEqual([
    'metformin_30 must_not',
  ])
  expect(found(checkKidneys, 'metformin', withProblems(['N18.32']))).toEqual(['metformin_45 avoid'])
  expect(found(checkKidneys, 'metformin', withProblems(['N18.2']))).toEqual([])
  const [warning] = checkKidneys({
    drugs: [given('metformin')],
    taken: [],
    patient: withProblems(['N18.4']),
  })
  for (const language of LANGUAGES) expect(warning!.text[language]).toMatch(/4.*30/)
})

test('the combined pill with thrombosis, stroke, heart disease or hypertension, by the WHO criteria', () => {
  const pill = (code: string) => found(checkConditions, 'ethinylestradiol', withProblems([code]))
  for (const code of ['I80.2', 'I26.9', 'O22.3', 'I64', 'I63.9', 'I21.9'])
    expect([code, pill(code)]).toEqual([code, [expect.stringMatching(/ must_not$/)]])
  expect(pill('I10')).toEqual(['oestrogen_hypertension avoid'])
  // superficial veins are category 2
  expect(pill('I80.0')).toEqual([])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allergy, drug } from '../../../../test/safety-samples'
import programs from '~/features/care/programs/programs.json'
import conditions from './tables/conditions.json'
import { RULE_TABLES } from './rules/checks'
import { parseIngredients, KNOWN_INGREDIENTS } from './rules/ingredients'
import type { CheckedDrug, CheckedPatient } from './rules/rule'
import { ANSWER_TABLES, type AnswerTable } from './rules/warning'
import { type KnownAllergy, runCheck } from './warnings'

/** What a check says that it compared, against what it did. */

const written = (substance: string, id = substance): KnownAllergy => ({
  ...allergy(substance, 'other', null),
  id,
})
const metformin = drug('Metformin', 'metformin')
const check = (allergies: readonly KnownAllergy[], drugs: readonly CheckedDrug[] = [metformin]) =>
  runCheck({ drugs, taken: [], allergies })
const marked = ({ warnings }: ReturnType<typeof check>) =>
  warnings.flatMap((one) => (one.kind === 'unchecked' ? (one.allergy ?? []) : []))

/** Texts that name no medicine: medicines in general, a reaction, how severe it was. */
const NAME_NOTHING = [
  'antibiotics|Antibiotic|all antibiotics|abx|all drugs|any drug|drugs|medicines|all medication',
  'other|anaphylaxis|Anaphylactic shock|severe|rash|severe rash|allergy|drug allergy|to|SJS',
  'swelling|?|??|-|...|()|(rash)|antibiotics (rash)|antibióticos|todos los antibióticos',
  'medicamentos|alergia|anafilaxia|erupción|reacción alérgica|grave|مضاد حيوي|مضادات حيوية',
  'المضادات الحيوية|كل الأدوية|دواء|حساسية شديدة|طفح جلدي|صدمة تأقية|حساسية|شديدة|؟',
].flatMap((line) => line.split('|'))

describe('an allergy', () => {
  test.for(NAME_NOTHING)('"%s" names no medicine: it is marked and not counted', (text) => {
    const amoxicillin = drug('Amoxicillin', 'amoxicillin')
    for (const drugs of [[metformin], [amoxicillin]]) {
      const found = check([written(text)], drugs)
      expect(marked(found)).toEqual([text])
      expect(found.allergies).toMatchObject({ compared: 0, notCompared: [{ substance: text }] })
    }
  })

  const KNOWN = ['penicillin', 'amoxicilina', 'بنسلين', 'sulfa', 'NSAIDs', 'aspirina', 'أسبرين']
  const REMARKS = ['rash', 'severe', 'anaphylaxis', 'erupción', 'طفح جلدي', 'hives']
  const UNKNOWN = ['something', 'Zorbadol', 'all drugs', 'other drugs', 'مضاد حيوي', 'mariscos']
  const part = fc.oneof(
    fc.constantFrom(...KNOWN).map((text) => ({ text, kind: 'known' as const })),
    fc.constantFrom(...REMARKS).map((text) => ({ text, kind: 'remark' as const })),
    fc.constantFrom(...UNKNOWN).map((text) => ({ text, kind: 'unknown' as const })),
  )
  const joined = fc.record({
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    by: fc.constantFrom(', ', ' and ', ' y ', ' / ', ' + ', ' أو '),
    brackets: fc.constantFrom(null, '()', '[]'),
  })

  test('is marked unless each part is known or a remark beside a known one', () => {
    fc.assert(
      fc.property(joined, ({ parts, by, brackets }) => {
        const [first, ...rest] = parts.map(({ text }) => text)
        const text =
          brackets && rest.length > 0
            ? `${first} ${brackets[0]}${rest.join(by)}${brackets[1]}`
            : [first, ...rest].join(by)
        const isWhole =
          parts.some(({ kind }) => kind === 'known') &&
          parts.every(({ kind }) => kind !== 'unknown')
        const found = check([written(text)])
        expect({ text, marked: marked(found) }).toEqual({ text, marked: isWhole ? [] : [text] })
        expect(found.allergies.compared).toBe(isWhole ? 1 : 0)
      }),
      { numRuns: 400 },
    )
  })

  test('of any text is either compared in full or marked, and the count says which', () => {
    const any = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      joined.map(({ parts, by }) => parts.map(({ text }) => text).join(by)),
    )
    fc.assert(
      fc.property(fc.array(any, { maxLength: 4 }), (texts) => {
        const found = check(texts.map((text, at) => written(text, `${at}`)))
        const { compared, notCompared } = found.allergies
        expect(compared + notCompared.length).toBe(texts.length)
        expect(marked(found)).toEqual(notCompared.map(({ substance }) => substance))
      }),
      { numRuns: 200 },
    )
  })

  test('recognized in part says which part was not compared, under a code as well', () => {
    const amoxicillin = drug('Amoxicillin', 'amoxicillin')
    for (const one of [
      written('penicillin and something'),
      allergy('penicillin and something', 'drug_class', 'penicillins'),
    ]) {
      const { warnings, allergies } = check([one], [amoxicillin])
      expect(warnings).toMatchObject([
        { kind: 'allergy', match: 'class' },
        { kind: 'unchecked', allergy: 'penicillin and something', parts: ['something'] },
      ])
      expect(allergies).toMatchObject({
        compared: 0,
        notCompared: [{ substance: 'penicillin and something', parts: ['something'] }],
      })
    }
    // the code of a name that the rules do not know speaks for it
    expect(check([allergy('Clamoxyl', 'ingredient', 'amoxicillin')]).allergies.compared).toBe(1)
  })

  test('counts as compared with the medicines whose ingredients are all known', () => {
    const [foo, nameless] = [drug('Foo', 'foo'), drug('Nameless')]
    const both = [written('Zorbadol'), written('penicillin')]
    expect(check(both).allergies).toEqual({
      compared: 1,
      notCompared: [{ substance: 'Zorbadol' }],
      medicines: { compared: 1, count: 1 },
    })
    expect(check(both, [foo, nameless, metformin]).allergies.medicines).toEqual({
      compared: 1,
      count: 3,
    })
    expect(check(both, [foo, nameless])).toMatchObject({
      allergies: { medicines: { compared: 0, count: 2 } },
    })
  })
})

describe('a written name', () => {
  const warned = (text: string, ...inns: string[]) =>
    check(
      [written(text)],
      inns.map((inn) => drug(inn, inn)),
    ).warnings.flatMap((one) => (one.kind === 'allergy' ? [one.drug] : []))

  test('of another salt, ester or isomer of a medicine warns, in both directions', () => {
    for (const [one, other] of [
      ['Hyoscine', 'butylscopolamine'],
      ['Hyoscine butylbromide', 'scopolamine'],
      ['aciclovir', 'valaciclovir'],
      ['omeprazole', 'esomeprazole'],
      ['Chlorpheniramine', 'dexchlorpheniramine'],
      ['prednisone', 'prednisolone'],
    ] as const)
      expect([one, warned(one, other)]).toEqual([one, [other]])
    // a salt in the name changes no substance
    const SALTS = [
      'maleate',
      'hydrochloride',
      'butylbromide',
      'cypionate',
      'enanthate',
      'acetonide',
    ]
    for (const name of ['testosterone', 'enalapril', 'tramadol', 'triamcinolone'])
      for (const salt of SALTS)
        expect(parseIngredients(`${name} ${salt}`)).toEqual([{ name, isKnown: true }])
  })

  test('as people write it is a medicine or a class', () => {
    expect(warned('cipro', 'ciprofloxacin')).toEqual(['ciprofloxacin'])
    expect(warned('cotrim', 'trimethoprim')).toEqual(['trimethoprim'])
    expect(warned('Bactrim DS', 'sulfamethoxazole')).toEqual(['sulfamethoxazole'])
    expect(warned('all cillins', 'amoxicillin', 'metformin')).toEqual(['amoxicillin'])
    expect(warned('مضادات الالتهاب', 'ibuprofen', 'metformin')).toEqual(['ibuprofen'])
  })

  test('that says that there is none is marked as such, and is no allergy and no answer', () => {
    for (const text of ['NKDA', 'none', 'Ninguna', 'sin alergias', 'لا يوجد', 'لا توجد حساسية']) {
      const { warnings, scope } = check([written(text)])
      expect(warnings.filter(({ kind }) => kind === 'unchecked')).toMatchObject([
        { allergy: text, saysNone: true },
      ])
      expect(scope.medicines[0]!.answers[0]).toMatchObject({ because: 'allergies' })
    }
    expect(check([written('no penicillin')]).warnings).not.toMatchObject([{ saysNone: true }])
  })
})

/** Of the rows about problems and of the programs, each as a code below it, and one of no list. */
const CODES = [
  ...conditions.rows.flatMap(({ codes }) =>
    codes.map((code) => (code.includes('.') ? code : `${code}.9`)),
  ),
  ...programs.programs.flatMap(({ icd10 }) => icd10.map((range) => range.split('-')[0]!)),
  'N18.3',
  'N18.5',
  'Z99.8',
]

describe('a list answers for each medicine', () => {
  const at = new Date('2026-11-20T09:00:00Z')
  const pregnant: CheckedPatient = {
    birth: { day: '1995-01-01', precision: 'day' },
    sex: 'female',
    today: '2026-11-22',
    weight: { kg: 60, at },
    pregnancy: { state: 'pregnant', weeks: 20, at },
    kidneys: { egfr: 15, at },
    problems: ['J45.9'],
  }
  const noneKnown: KnownAllergy = {
    ...allergy('No known allergies', 'none_known', null),
    id: 'none',
  }
  type More = { off?: Set<string>; taken?: CheckedDrug[]; allergies?: KnownAllergy[] }
  const answers = (
    one: string | CheckedDrug,
    patient: CheckedPatient | undefined,
    { off, taken = [], allergies = [noneKnown] }: More = {},
  ) => {
    const drugs = [typeof one === 'string' ? drug(one, one) : one]
    const { scope } = runCheck({ drugs, taken, allergies, patient, ...(off && { off }) })
    return scope.medicines[0]!.answers
  }
  const answerOf = (table: AnswerTable, ...args: Parameters<typeof answers>) =>
    answers(...args).find((one) => one.table === table)!
  const bearing = (...args: Parameters<typeof answers>) =>
    answers(...args).flatMap(({ table, bears }) => (bears ? [table] : []))

  test('a medicine on no row of a list is not on it, and the list is not called compared', () => {
    for (const [name, silent] of [
      ['praziquantel', ['pregnancy', 'kidney', 'condition']],
      ['albendazole', ['pregnancy', 'kidney', 'condition']],
      ['phenytoin', ['kidney', 'condition']],
      ['glibenclamide', ['kidney']],
      ['atenolol', ['pregnancy', 'kidney']],
    ] as const)
      for (const table of silent)
        expect(answerOf(table, name, pregnant)).toMatchObject({
          answer: 'not_listed',
          because: 'list',
        })
    expect(answerOf('kidney', 'metformin', pregnant).answer).toBe('warned')
    const well = { ...pregnant, kidneys: { egfr: 90, at } }
    expect(answerOf('kidney', 'metformin', well)).toMatchObject({
      answer: 'no_limit',
      sources: [{ text: expect.stringContaining('FDA 2016') as string }],
    })
  })

  test('a row about breastfeeding says nothing about a pregnancy', () => {
    expect(answerOf('pregnancy', 'codeine', pregnant)).toMatchObject({ because: 'list' })
    const after = { ...pregnant, pregnancy: { state: 'breastfeeding', weeks: null, at } } as const
    expect(answerOf('pregnancy', 'codeine', after).answer).toBe('warned')
    // a source that says that a medicine may be used answers, also where pregnancy is not known
    const unknown = { ...pregnant, pregnancy: { state: 'not_known', weeks: null, at } } as const
    for (const patient of [pregnant, unknown])
      expect(answerOf('pregnancy', 'amoxicillin', patient)).toMatchObject({
        answer: 'no_limit',
        sources: [{ text: expect.stringContaining('no contra-indication') as string }],
      })
    // what is put on the eye is on no row about what is swallowed
    const child = { ...pregnant, birth: { day: '2022-01-01', precision: 'day' } } as const
    const ointment = { ...drug('tetracycline', 'tetracycline'), route: 'ophthalmic' }
    expect(answerOf('age', ointment, child)).toMatchObject({ because: 'list' })
  })

  test('a missing fact, a rule that is switched off and an unknown other medicine are said', () => {
    const unknown = { ...pregnant, kidneys: null }
    expect(answerOf('kidney', 'metformin', unknown)).toMatchObject({
      because: 'facts',
      facts: ['kidneys'],
    })
    // a recorded stage decides
    const staged = { ...unknown, problems: ['N18.4'] }
    expect(answerOf('kidney', 'metformin', staged).answer).toBe('warned')
    const off = new Set(['kidney:metformin_30'])
    const well = { ...pregnant, kidneys: { egfr: 90, at } }
    expect(answerOf('kidney', 'metformin', well, { off })).toMatchObject({ because: 'off' })
    const crossed = new Set(['cross_reaction:penicillins-cephalosporins'])
    expect(answerOf('allergy', 'amoxicillin', well, { off: crossed })).toMatchObject({
      because: 'off',
    })
    const taken = [drug('Kufnol', 'kufnol')]
    expect(answerOf('interaction', 'warfarin', well, { taken })).toMatchObject({
      because: 'others',
      names: ['Kufnol'],
    })
    expect(answerOf('interaction', 'Kufnol', well)).toMatchObject({ because: 'ingredient' })
    expect(answerOf('allergy', 'metformin', well, { allergies: [] })).toMatchObject({
      because: 'allergies',
    })
    const zorbadol = [written('Zorbadol')]
    expect(answerOf('allergy', 'metformin', well, { allergies: zorbadol })).toMatchObject({
      because: 'allergies',
    })
  })

  test('a dose that is text was not compared', () => {
    expect(answerOf('dose', 'amlodipine', pregnant)).toMatchObject({ because: 'text' })
    const perDose = [{ ingredient: 'amlodipine', quantity: 5, unit: 'mg' as const }]
    const dosed = {
      ...drug('amlodipine', 'amlodipine'),
      dosing: { perDose, dosesPerDay: 1, everyDays: 1 },
    }
    expect(answerOf('dose', dosed, pregnant)).toMatchObject({ answer: 'no_limit' })
  })

  test('silence matters where it bears on the patient', () => {
    const always = ['allergy', 'interaction', 'dose']
    const man: CheckedPatient = {
      ...pregnant,
      sex: 'male',
      pregnancy: { state: 'not_pregnant', weeks: null, at: null },
      kidneys: { egfr: 95, at },
      problems: [],
    }
    const born = (day: string) => ({ ...man, birth: { day, precision: 'day' } as const })
    expect(bearing('phenytoin', man)).toEqual(always)
    expect(bearing('phenytoin', { ...man, kidneys: { egfr: 59, at } })).toContain('kidney')
    for (const code of ['I10', 'E11.9', 'N18.4'])
      expect(bearing('phenytoin', { ...man, kidneys: null, problems: [code] })).toContain('kidney')
    expect(bearing('phenytoin', { ...man, sex: null })).toContain('pregnancy')
    expect(bearing('phenytoin', { ...born('1965-01-01'), sex: 'female' })).toEqual(always)
    expect(bearing('phenytoin', born('2015-01-01'))).toEqual([
      'allergy',
      'interaction',
      'age',
      'dose',
    ])
  })

  test('of any medicine and any patient every list has one answer, and "no limit" only by its rows', () => {
    const patient = fc.record({
      birth: fc.option(
        fc.record({
          day: fc.constantFrom(
            '1940-01-01',
            '1985-06-01',
            '2010-01-01',
            '2023-01-01',
            '2026-11-01',
          ),
          precision: fc.constantFrom('day', 'year', 'age'),
        }),
      ),
      sex: fc.constantFrom('male', 'female', null),
      today: fc.constant('2026-11-22'),
      weight: fc.option(fc.record({ kg: fc.constantFrom(4, 12, 60), at: fc.constant(at) })),
      pregnancy: fc.record({
        state: fc.constantFrom(
          'pregnant',
          'breastfeeding',
          'after_birth',
          'not_pregnant',
          'not_known',
        ),
        weeks: fc.option(fc.constantFrom(8, 25, 38)),
        at: fc.constant(at),
      }),
      kidneys: fc.option(fc.record({ egfr: fc.constantFrom(10, 40, 90), at: fc.constant(at) })),
      // codes below those of the tables, codes of programs, and one that is on no list
      problems: fc.uniqueArray(fc.constantFrom(...CODES), { maxLength: 5 }),
      kidneyStage: fc.constantFrom(null, '3', '5'),
      unusableWeight: fc.constantFrom(null, {
        kg: 75,
        at,
        isConfirmed: false,
        why: 'implausible' as const,
      }),
    }) as fc.Arbitrary<CheckedPatient>
    const route = fc.constantFrom('oral', 'topical', 'intravenous', 'ophthalmic', null)
    const inn = fc.constantFrom(...KNOWN_INGREDIENTS, 'kufnol')
    const medicine = fc
      .record({
        ingredients: fc.uniqueArray(inn, { maxLength: 2 }),
        route,
        quantity: fc.option(fc.constantFrom(0.01, 5, 500, 100_000)),
      })
      .map(({ ingredients, quantity, ...rest }): CheckedDrug => ({
        drugId: ingredients.join('+'),
        name: ingredients.join(' and '),
        ingredients,
        ...rest,
        dosing:
          quantity === null
            ? null
            : {
                perDose: ingredients.map((ingredient) => ({ ingredient, quantity, unit: 'mg' })),
                dosesPerDay: 2,
                everyDays: 1,
              },
      }))
    const taken = fc.array(
      fc
        .tuple(medicine, fc.constantFrom(undefined, 'recorded' as const, 'ended' as const))
        .map(([one, standing]): CheckedDrug => ({
          ...one,
          drugId: `taken ${one.drugId}`,
          dosing: null,
          ...(standing && { standing }),
        })),
      { maxLength: 3 },
    )
    const recorded = fc.constantFrom(
      [noneKnown],
      [],
      [written('penicillin')],
      [written('Zorbadol')],
      [written('all drugs'), written('sulfa')],
    )
    const medicines = fc.array(medicine, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(medicines, patient, taken, recorded, (drugs, facts, others, allergies) => {
        const { scope, warnings } = runCheck({ drugs, taken: others, allergies, patient: facts })
        expect(scope.medicines.map(({ drugId }) => drugId)).toEqual(
          drugs.map(({ drugId }) => drugId),
        )
        scope.medicines.forEach(({ answers: all }, index) => {
          const one = drugs[index]!
          expect(all.map(({ table }) => table)).toEqual(ANSWER_TABLES)
          const names = one.ingredients.flatMap(parseIngredients)
          const isOf = ({ kind, drugId }: (typeof warnings)[number]) =>
            drugId === one.drugId ? kind : []
          const warnedBy = new Set<string>(warnings.flatMap(isOf))
          // a warning is an answer of its own
          expect(
            all.filter(({ table, answer }) => warnedBy.has(table) && answer !== 'warned'),
          ).toEqual([])
          const groundless = all.filter((answer) => {
            if (answer.answer !== 'no_limit') return false
            const rowsAbout = RULE_TABLES.find(({ table }) => table === answer.table)?.rowsAbout
            const hasRow = (ingredient: string) =>
              !rowsAbout || rowsAbout({ drug: one, ingredient, patient: facts }).length > 0
            return (
              answer.sources.length === 0 ||
              names.length === 0 ||
              !names.every(({ name, isKnown }) => isKnown && hasRow(name))
            )
          })
          expect(groundless).toEqual([])
        })
      }),
      { numRuns: 400 },
    )
    // each medicine that the product knows, once
    for (const name of KNOWN_INGREDIENTS)
      expect(answers(name, pregnant).filter(({ answer }) => answer)).toHaveLength(
        ANSWER_TABLES.length,
      )
  })
})

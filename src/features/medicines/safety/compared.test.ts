import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allergy, drug } from '../../../../test/safety-samples'
import type { CheckedDrug, PatientFacts } from './rules/rule'
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
  const UNKNOWN = ['something', 'Cataflam', 'all drugs', 'other drugs', 'مضاد حيوي', 'mariscos']
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
    const both = [written('Cataflam'), written('penicillin')]
    expect(check(both).allergies).toEqual({
      compared: 1,
      notCompared: [{ substance: 'Cataflam' }],
      medicines: { compared: 1, count: 1 },
    })
    expect(check(both, [foo, nameless, metformin]).allergies.medicines).toEqual({
      compared: 1,
      count: 3,
    })
    expect(check(both, [foo, nameless])).toMatchObject({
      allergies: { medicines: { compared: 0, count: 2 } },
      scope: { tables: [], notChecked: expect.arrayContaining(['interaction', 'pregnancy']) },
    })
  })
})

describe('a table of rules', () => {
  const pregnant: PatientFacts = {
    birth: { day: '1995-01-01', precision: 'day' },
    sex: 'female',
    today: '2026-11-22',
    weight: { kg: 60, at: new Date('2026-11-20T09:00:00Z') },
    pregnancy: { state: 'pregnant', weeks: 20, at: new Date('2026-11-20T09:00:00Z') },
    kidneys: { egfr: 15, at: new Date('2026-11-20T09:00:00Z') },
    problems: ['J45.9'],
  }
  const scopeOf = (
    names: readonly string[],
    patient: PatientFacts | undefined,
    off?: Set<string>,
  ) =>
    runCheck({
      drugs: names.map((name) => drug(name, name)),
      taken: [],
      allergies: [],
      patient,
      ...(off && { off }),
    }).scope
  const tablesOf = (...args: Parameters<typeof scopeOf>) =>
    scopeOf(...args).tables.map(({ table }) => table)

  test('that has no row about a medicine was not compared with it, and that is said', () => {
    for (const [name, missing] of [
      ['phenytoin', ['pregnancy', 'kidney', 'condition']],
      ['streptomycin', ['pregnancy', 'kidney', 'condition']],
      ['gentamicin', ['kidney']],
      ['methotrexate', ['kidney']],
    ] as const) {
      const { notListed } = scopeOf([name], pregnant)
      expect(notListed).toMatchObject([
        { drug: name, tables: expect.arrayContaining([...missing]) },
      ])
      expect(tablesOf([name], pregnant)).not.toEqual(expect.arrayContaining([...missing]))
    }
    // two medicines: the table was compared with one of them
    const { tables, notListed } = scopeOf(['metformin', 'gentamicin'], pregnant)
    expect(tables.map(({ table }) => table)).toContain('kidney')
    expect(notListed.find((one) => one.drug === 'gentamicin')?.tables).toContain('kidney')
    expect(notListed.find((one) => one.drug === 'metformin')?.tables ?? []).not.toContain('kidney')
  })

  test('that does not matter for the patient is neither compared nor missed', () => {
    const man: PatientFacts = {
      ...pregnant,
      sex: 'male',
      pregnancy: { state: 'not_pregnant', weeks: null, at: null },
      kidneys: { egfr: 95, at: new Date('2026-11-20T09:00:00Z') },
      problems: [],
    }
    expect(scopeOf(['phenytoin'], man)).toMatchObject({ notListed: [], missing: [] })
    expect(tablesOf(['phenytoin'], man)).not.toContain('pregnancy')
  })

  test('whose fact is not known, or whose rule is switched off, was not compared', () => {
    expect(tablesOf(['metformin'], pregnant)).toContain('kidney')
    const unknown = { ...pregnant, kidneys: null }
    expect(tablesOf(['metformin'], unknown)).not.toContain('kidney')
    expect(scopeOf(['metformin'], unknown).missing).toContainEqual({
      fact: 'kidneys',
      tables: ['kidney'],
    })
    // a fact that no rule about these medicines needs is not missed
    expect(scopeOf(['gentamicin'], unknown).missing).toEqual([])
    const off = new Set(['kidney:metformin_30', 'kidney:metformin_45'])
    expect(tablesOf(['metformin'], pregnant, off)).not.toContain('kidney')
  })
})

import { describe, expect, test } from 'vitest'
import { DRUG_CLASSES, membersOf } from './rules/drug-classes'
import { canonicalIngredient } from './rules/ingredients'
import { asksOwnLook, asksReason, warningLevel } from './rules/warning'
import { recognize } from './rules/substances'
import { allergy, drug, given, kindsOf, warningsOf } from '../../../../test/safety-samples'
import type { KnownAllergy } from './warnings'

describe('substances', () => {
  test.for([
    ['Amoxicillin trihydrate', 'amoxicillin'],
    ['acetaminophen', 'paracetamol'],
    ['  Aspirin ', 'acetylsalicylic acid'],
    ['metformin hydrochloride', 'metformin'],
    ['albuterol sulfate', 'salbutamol'],
    ['ferrous sulfate', 'ferrous sulfate'],
    ['sodium chloride', 'sodium chloride'],
    ['ibuprofen lysine', 'ibuprofen'],
  ])('%s is %s', ([written, inn]) => {
    expect(canonicalIngredient(written!)).toBe(inn)
  })

  test('the bundled data names each substance as the rules compare it', () => {
    const all = Object.values(membersOf).flat()
    expect(all.filter((name) => canonicalIngredient(name) !== name)).toEqual([])
    expect(all.filter((name) => name === '' || /[_,]/.test(name))).toEqual([])
  })

  test('a typed allergy is recognized as a class, a substance or neither', () => {
    expect(recognize('nsaids')).toEqual({ substance_kind: 'drug_class', substance_code: 'nsaids' })
    expect(recognize(' Aspirin')).toEqual({
      substance_kind: 'ingredient',
      substance_code: 'acetylsalicylic acid',
    })
    expect(recognize('Peanuts')).toEqual({ substance_kind: 'other', substance_code: null })
  })
})

describe('allergies', () => {
  test('the substance itself is warned of, under any of its names, in a combination too', () => {
    const [warning] = warningsOf(
      [drug('Augmentin', 'amoxicillin trihydrate', 'clavulanic acid')],
      [],
      [allergy('amoxicillin')],
    )
    expect(warning).toMatchObject({
      kind: 'allergy',
      match: 'same',
      ingredient: 'amoxicillin',
      reaction: 'rash',
    })
    expect(
      kindsOf([drug('Panadol', 'acetaminophen')], [], [allergy('Paracetamol', 'other', null)]),
    ).toEqual(['allergy'])
  })

  test.for(DRUG_CLASSES)('%s: every member is warned of, and nothing else', (name) => {
    const known = [allergy(name, 'drug_class', name)]
    for (const member of membersOf[name]) {
      expect(warningsOf([drug(member, member)], [], known)).toMatchObject([
        { match: 'class', drugClass: name },
      ])
    }
    expect(warningsOf([drug('metformin', 'metformin')], [], known)).toEqual([])
  })

  test('an allergy to one of a class speaks against the others', () => {
    expect(
      warningsOf([drug('Ampicillin', 'ampicillin')], [], [allergy('amoxicillin')]),
    ).toMatchObject([{ match: 'class', drugClass: 'penicillins' }])
    expect(
      kindsOf([drug('Ibuprofen', 'ibuprofen')], [], [allergy('acetylsalicylic acid')]),
    ).toEqual(['allergy'])
    expect(kindsOf([drug('Azithromycin', 'azithromycin')], [], [allergy('amoxicillin')])).toEqual(
      [],
    )
  })

  test('penicillins and cephalosporins are alike; a sulfonamide antibiotic and a diuretic are not', () => {
    expect(
      warningsOf([drug('Ceftriaxone', 'ceftriaxone')], [], [allergy('amoxicillin')]),
    ).toMatchObject([{ match: 'related', drugClass: 'penicillins' }])
    const sulfa = [allergy('Sulfonamides', 'drug_class', 'sulfonamides')]
    expect(
      kindsOf([drug('Co-trimoxazole', 'sulfamethoxazole', 'trimethoprim')], [], sulfa),
    ).toEqual(['allergy'])
    expect(kindsOf([drug('Furosemide', 'furosemide')], [], sulfa)).toEqual([])
  })

  test('“no known allergies” warns of nothing', () => {
    expect(
      kindsOf([drug('Amoxil', 'amoxicillin')], [], [allergy('amoxicillin', 'none_known', null)]),
    ).toEqual([])
  })
})

describe('duplicate therapy', () => {
  test('the same substance twice is warned of, in one prescription or with what is taken already', () => {
    const [panadol, syrup] = [
      drug('Panadol', 'paracetamol'),
      drug('Syrup', 'acetaminophen', 'codeine'),
    ]
    const [warning] = warningsOf([panadol, syrup], [], [])
    expect(warning).toMatchObject({
      kind: 'duplicate',
      rule: 'same',
      level: 'avoid',
      drug: 'Syrup',
      other: 'Panadol',
    })
    expect((warning as { text: { en: string } }).text.en).toContain('paracetamol')
    expect(kindsOf([panadol], [syrup], [])).toEqual(['duplicate'])
    expect(warningsOf([panadol, panadol], [], [])).toMatchObject([{ rule: 'same' }])
  })

  test('a pair of combinations is one warning that names every substance they share', () => {
    const [one, two] = [
      drug('One', 'amoxicillin', 'clavulanic acid'),
      drug('Two', 'clavulanic acid', 'amoxicillin'),
    ]
    const warnings = warningsOf([one], [two], [])
    expect(warnings).toHaveLength(1)
    expect((warnings[0] as { text: { en: string } }).text.en).toContain(
      'amoxicillin, clavulanic acid',
    )
  })

  test('two different substances are none', () => {
    expect(kindsOf([drug('Panadol', 'paracetamol')], [drug('Brufen', 'ibuprofen')], [])).toEqual([])
  })

  test.for([
    ['ibuprofen', 'diclofenac', 'nsaids', 'avoid'],
    ['enalapril', 'lisinopril', 'ace_inhibitors', 'avoid'],
    ['simvastatin', 'atorvastatin', 'statins', 'avoid'],
    ['omeprazole', 'pantoprazole', 'ppis', 'caution'],
    ['diazepam', 'zolpidem', 'benzodiazepines', 'avoid'],
    ['morphine', 'tramadol', 'opioids', 'caution'],
    ['fluoxetine', 'sertraline', 'ssri_snri', 'avoid'],
    ['glibenclamide', 'gliclazide', 'sulfonylureas', 'avoid'],
    ['losartan', 'valsartan', 'arbs', 'avoid'],
    ['bisoprolol', 'atenolol', 'beta_blockers', 'avoid'],
    ['warfarin', 'apixaban', 'anticoagulants', 'avoid'],
    ['furosemide', 'torasemide', 'loop_diuretics', 'avoid'],
    ['prednisolone', 'dexamethasone', 'corticosteroids', 'caution'],
    ['promethazine', 'chlorphenamine', 'sedating_antihistamines', 'caution'],
  ] as const)('%s and %s are two of one class', ([a, b, rule, level]) => {
    expect(warningsOf([drug('A', a)], [drug('B', b)], [])).toMatchObject([
      { kind: 'duplicate', rule, level },
    ])
  })

  test('a renewal near the end of the supply gives no warning; an earlier one needs no reason', () => {
    const tablet = drug('Amlodipine 5', 'amlodipine')
    const takenFor = (supplyUsed: number | null) =>
      warningsOf([tablet], [{ ...tablet, supplyUsed }], [])
    expect(takenFor(0.75)).toEqual([])
    expect(takenFor(1.2)).toEqual([])
    for (const used of [0.2, null]) {
      const [warning] = takenFor(used)
      expect(warning).toMatchObject({ kind: 'duplicate', rule: 'renewal', level: 'caution' })
      expect(asksReason(warning!)).toBe(false)
    }
  })

  test('insulins, a dose in steps and a cream beside a tablet ask for no reason', () => {
    const insulins = [
      drug('Actrapid', 'insulin human'),
      drug('Insulatard', 'insulin human'),
      drug('NPH', 'insulin isophane'),
    ]
    expect(warningsOf(insulins, [], [])).toEqual([])
    const [high, low] = [
      drug('Prednisolone 20', 'prednisolone'),
      drug('Prednisolone 5', 'prednisolone'),
    ]
    expect(warningsOf([high, low], [], [])).toEqual([])
    expect(warningsOf([low], [high], [])).toMatchObject([{ rule: 'steps', level: 'caution' }])
    const [gel, tablet] = [given('diclofenac', 'topical', 'gel'), given('diclofenac', 'oral')]
    expect(warningsOf([gel], [tablet], [])).toMatchObject([{ rule: 'local', level: 'caution' }])
    expect(warningsOf([gel], [given('ibuprofen', 'oral')], [])).toEqual([])
  })
})

describe('cross-reactions', () => {
  const known = (substance: string, severity: string) => [{ ...allergy(substance), severity }]
  test('a shared side chain, a severe reaction and angio-oedema are graver than the class', () => {
    const levels = (name: string, allergies: KnownAllergy[]) =>
      warningsOf([drug('A', name)], [], allergies).map(warningLevel)
    expect(levels('ceftriaxone', known('amoxicillin', 'mild'))).toEqual(['caution'])
    expect(levels('ceftriaxone', known('amoxicillin', 'severe'))).toEqual(['avoid'])
    expect(levels('cefalexin', known('amoxicillin', 'mild'))).toEqual(['avoid'])
    expect(levels('amoxicillin', known('cefalexin', 'mild'))).toEqual(['avoid'])
    expect(levels('aztreonam', known('ceftazidime', 'mild'))).toEqual(['avoid'])
    expect(levels('aztreonam', known('ceftriaxone', 'mild'))).toEqual([])
    expect(levels('sacubitril', known('enalapril', 'mild'))).toEqual(['must_not'])
    expect(levels('hydroxychloroquine', known('chloroquine', 'mild'))).toEqual(['avoid'])
    expect(levels('ketoprofen', known('AINS', 'mild'))).toEqual(['must_not'])
    expect(levels('amoxicillin', known('ampicillin', 'mild'))).toEqual(['must_not'])
  })

  test('a reaction that turns out graver is another warning', () => {
    const keyOf = (severity: string) =>
      warningsOf([drug('A', 'amoxicillin')], [], known('amoxicillin', severity))[0]!.key
    expect(keyOf('mild')).not.toBe(keyOf('severe'))
  })

  test('dispensing asks for a look of its own at allergies and at what must not be given, not at the rest', () => {
    const of = (...args: Parameters<typeof warningsOf>) => warningsOf(...args).map(asksOwnLook)
    expect(of([drug('A', 'amoxicillin')], [], [allergy('ampicillin')])).toEqual([true])
    expect(of([drug('A', 'ceftriaxone')], [], [allergy('ampicillin')])).toEqual([false])
    expect(of([drug('A', 'simvastatin')], [drug('B', 'clarithromycin')], [])).toEqual([true])
    expect(of([drug('A', 'warfarin')], [drug('B', 'ibuprofen')], [])).toEqual([false])
  })
})

test('a medicine without named substances is reported as unchecked, not as safe', () => {
  expect(warningsOf([drug('Herbal mix')], [], [allergy('amoxicillin')])).toEqual([
    { key: 'unchecked:Herbal mix', kind: 'unchecked', drugId: 'Herbal mix', drug: 'Herbal mix' },
  ])
})

test('the gravest stands first', () => {
  const drugs = [
    drug('Mix'),
    drug('Tramal', 'tramadol'),
    drug('Aurorix', 'moclobemide'),
    drug('Tramal 2', 'tramadol'),
  ]
  expect(kindsOf(drugs, [], [allergy('codeine')])).toEqual([
    'allergy',
    'allergy',
    'interaction',
    'interaction',
    'duplicate',
    'unchecked',
  ])
})

test('medicines are called by their INN: epinephrine, and butylscopolamine apart from scopolamine', () => {
  expect(
    ['Adrenaline', 'epinefrina', 'إبينفرين', 'Noradrenaline'].map(canonicalIngredient),
  ).toEqual(['epinephrine', 'epinephrine', 'epinephrine', 'norepinephrine'])
  const butyl = [
    'Hyoscine butylbromide',
    'butilescopolamina',
    'butilhioscina',
    'هيوسين بوتيل بروميد',
    'N-butylscopolamine',
  ]
  expect(butyl.map(canonicalIngredient)).toEqual(butyl.map(() => 'butylscopolamine'))
  expect(['hyoscine', 'hyoscine hydrobromide'].map(canonicalIngredient)).toEqual([
    'scopolamine',
    'scopolamine',
  ])
})

import { describe, expect, test } from 'vitest'
import { DRUG_CLASSES, membersOf } from './drug-classes'
import { canonical } from './ingredients'
import { INTERACTIONS, interactingIngredients, interactionOf } from './interactions'
import { recognize } from './substances'
import type { CheckedDrug } from './rule'
import { type KnownAllergy, warningsOf } from './warnings'

const drug = (name: string, ...ingredients: string[]): CheckedDrug => ({ drugId: name, name, ingredients })
const allergy = (substance: string, kind = 'ingredient', code: string | null = substance): KnownAllergy => ({
  id: substance,
  substance,
  substance_kind: kind,
  substance_code: code,
  reaction: 'rash',
  severity: 'mild',
})
const kindsOf = (...args: Parameters<typeof warningsOf>) => warningsOf(...args).map(({ kind }) => kind)

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
    expect(canonical(written!)).toBe(inn)
  })

  test('the bundled data names each substance as the rules compare it', () => {
    const all = [...Object.values(membersOf).flat(), ...interactingIngredients]
    expect(all.filter((name) => canonical(name) !== name)).toEqual([])
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
    expect(warning).toMatchObject({ kind: 'allergy', match: 'same', ingredient: 'amoxicillin', reaction: 'rash' })
    expect(kindsOf([drug('Panadol', 'acetaminophen')], [], [allergy('Paracetamol', 'other', null)])).toEqual([
      'allergy',
    ])
  })

  test.for(DRUG_CLASSES)('%s: every member is warned of, and nothing else', (name) => {
    const known = [allergy(name, 'drug_class', name)]
    for (const member of membersOf[name]) {
      expect(warningsOf([drug(member, member)], [], known)).toMatchObject([{ match: 'class', drugClass: name }])
    }
    expect(warningsOf([drug('metformin', 'metformin')], [], known)).toEqual([])
  })

  test('an allergy to one of a class speaks against the others', () => {
    expect(warningsOf([drug('Ampicillin', 'ampicillin')], [], [allergy('amoxicillin')])).toMatchObject([
      { match: 'class', drugClass: 'penicillins' },
    ])
    expect(kindsOf([drug('Ibuprofen', 'ibuprofen')], [], [allergy('acetylsalicylic acid')])).toEqual(['allergy'])
    expect(kindsOf([drug('Azithromycin', 'azithromycin')], [], [allergy('amoxicillin')])).toEqual([])
  })

  test('penicillins and cephalosporins are alike; a sulfonamide antibiotic and a diuretic are not', () => {
    expect(warningsOf([drug('Ceftriaxone', 'ceftriaxone')], [], [allergy('amoxicillin')])).toMatchObject([
      { match: 'related', drugClass: 'penicillins' },
    ])
    const sulfa = [allergy('Sulfonamides', 'drug_class', 'sulfonamides')]
    expect(kindsOf([drug('Co-trimoxazole', 'sulfamethoxazole', 'trimethoprim')], [], sulfa)).toEqual(['allergy'])
    expect(kindsOf([drug('Furosemide', 'furosemide')], [], sulfa)).toEqual([])
  })

  test('“no known allergies” warns of nothing', () => {
    expect(kindsOf([drug('Amoxil', 'amoxicillin')], [], [allergy('amoxicillin', 'none_known', null)])).toEqual([])
  })
})

describe('duplicate therapy', () => {
  test('the same substance twice is warned of, in one prescription or with what is taken already', () => {
    const [panadol, syrup] = [drug('Panadol', 'paracetamol'), drug('Syrup', 'acetaminophen', 'codeine')]
    expect(warningsOf([panadol, syrup], [], [])).toMatchObject([
      { kind: 'duplicate', ingredient: 'paracetamol', drug: 'Syrup', other: 'Panadol' },
    ])
    expect(kindsOf([panadol], [syrup], [])).toEqual(['duplicate'])
    expect(kindsOf([panadol], [panadol], [])).toEqual(['duplicate'])
  })

  test('a pair of combinations is one warning that names every substance they share', () => {
    const [one, two] = [drug('One', 'amoxicillin', 'clavulanic acid'), drug('Two', 'clavulanic acid', 'amoxicillin')]
    expect(warningsOf([one], [two], [])).toMatchObject([
      { kind: 'duplicate', ingredient: 'amoxicillin, clavulanic acid' },
    ])
  })

  test('two different substances are none', () => {
    expect(kindsOf([drug('Panadol', 'paracetamol')], [drug('Brufen', 'ibuprofen')], [])).toEqual([])
  })
})

describe('pairs that must not be given together', () => {
  const pairs: Record<(typeof INTERACTIONS)[number]['id'], { yes: [string, string]; no: [string, string] }> = {
    'amphetamine-mao': { yes: ['methylphenidate', 'phenelzine'], no: ['methylphenidate', 'sertraline'] },
    'atazanavir-ppi': { yes: ['atazanavir', 'omeprazole'], no: ['atazanavir', 'ranitidine'] },
    'febuxostat-thiopurine': { yes: ['febuxostat', 'azathioprine'], no: ['febuxostat', 'methotrexate'] },
    'ssri-mao': { yes: ['fluoxetine', 'linezolid'], no: ['fluoxetine', 'diazepam'] },
    'irinotecan-cyp3a4': { yes: ['irinotecan', 'ketoconazole'], no: ['irinotecan', 'fluconazole'] },
    'opioid-mao': { yes: ['tramadol', 'moclobemide'], no: ['morphine', 'paracetamol'] },
    'tricyclic-mao': { yes: ['amitriptyline', 'tranylcypromine'], no: ['amitriptyline', 'gabapentin'] },
    'qt-qt': { yes: ['haloperidol', 'erythromycin'], no: ['haloperidol', 'amoxicillin'] },
    'ramelteon-cyp1a2': { yes: ['ramelteon', 'fluvoxamine'], no: ['ramelteon', 'sertraline'] },
    'inducer-protease': { yes: ['rifampicin', 'lopinavir'], no: ['rifampicin', 'isoniazid'] },
    'statin-cyp3a4': { yes: ['simvastatin', 'clarithromycin'], no: ['atorvastatin', 'azithromycin'] },
    'ergot-cyp3a4': { yes: ['ergotamine', 'erythromycin'], no: ['ergotamine', 'amoxicillin'] },
    'tizanidine-cyp1a2': { yes: ['tizanidine', 'ciprofloxacin'], no: ['tizanidine', 'levofloxacin'] },
    'tranylcypromine-procarbazine': { yes: ['tranylcypromine', 'procarbazine'], no: ['tranylcypromine', 'metformin'] },
    'triptan-mao': { yes: ['sumatriptan', 'moclobemide'], no: ['sumatriptan', 'paracetamol'] },
  }

  test.for(INTERACTIONS.map(({ id }) => id))('%s fires on its pair, either way round, and not on another', (id) => {
    const [a, b] = pairs[id].yes
    expect(interactionOf(a, b)?.id).toBe(id)
    expect(interactionOf(b, a)?.id).toBe(id)
    expect(warningsOf([drug('A', a)], [drug('B', b)], [])).toMatchObject([
      { kind: 'interaction', rule: id, other: 'B' },
    ])
    expect(interactionOf(...pairs[id].no)).toBeUndefined()
  })

  test('a substance of a group is no pair with itself', () => {
    expect(interactionOf('haloperidol', 'haloperidol')).toBeUndefined()
  })
})

test('a medicine whose substances nobody named is said to be unchecked, not safe', () => {
  expect(warningsOf([drug('Herbal mix')], [], [allergy('amoxicillin')])).toEqual([
    { key: 'unchecked:Herbal mix', kind: 'unchecked', drugId: 'Herbal mix', drug: 'Herbal mix' },
  ])
})

test('the gravest kind stands first', () => {
  const drugs = [drug('Mix'), drug('Tramal', 'tramadol'), drug('Aurorix', 'moclobemide'), drug('Tramal 2', 'tramadol')]
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
  expect(['Adrenaline', 'epinefrina', 'إبينفرين', 'Noradrenaline'].map(canonical)).toEqual([
    'epinephrine',
    'epinephrine',
    'epinephrine',
    'norepinephrine',
  ])
  const butyl = [
    'Hyoscine butylbromide',
    'butilescopolamina',
    'butilhioscina',
    'هيوسين بوتيل بروميد',
    'N-butylscopolamine',
  ]
  expect(butyl.map(canonical)).toEqual(butyl.map(() => 'butylscopolamine'))
  expect(['hyoscine', 'hyoscine hydrobromide'].map(canonical)).toEqual(['scopolamine', 'scopolamine'])
})

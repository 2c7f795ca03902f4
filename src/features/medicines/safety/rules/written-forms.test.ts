import { describe, expect, test } from 'vitest'
import ar from '../../../../../messages/ar.json'
import en from '../../../../../messages/en.json'
import es from '../../../../../messages/es.json'
import { DRUG_CLASSES, membersOf } from './drug-classes'
import { parseIngredients, KNOWN_INGREDIENTS, substancesNamed } from './ingredients'
import { spellingKey } from './spelling'
import { recognize, resolveAllergy } from './substances'
import substanceNames from '../tables/substance-names.json'
import type { CheckedDrug } from './rule'
import { asksReason } from './warning'
import { type KnownAllergy, findWarnings } from '../warnings'
import forms from '../tables/written-forms.json'
import { countForms, judgeForms } from '../../../../../scripts/prove/written-forms'

const drug = (ingredient: string): CheckedDrug => ({
  drugId: `drug ${ingredient}`,
  name: ingredient,
  ingredients: [ingredient],
})
/** As a phone or an older version stores free text. */
const own = (substance: string): KnownAllergy => ({
  id: 'allergy',
  substance,
  substance_kind: 'other',
  substance_code: null,
  reaction: null,
  severity: null,
})
const namesOf = (form: string) =>
  parseIngredients(form)
    .map(({ name, isKnown }) => (isKnown ? name : `unknown: ${name}`))
    .toSorted()
const check = (written: string, ingredient: string) =>
  findWarnings([drug(ingredient)], [], [own(written)])
const isWarned = (written: string, ingredient: string) =>
  check(written, ingredient).some(({ kind }) => kind === 'allergy')
const marksOf = (written: string, ingredient = 'metformin') =>
  check(written, ingredient).filter(
    (warning) => warning.kind === 'unchecked' && warning.allergy === written,
  )

describe('200 written forms of allergies and ingredients, in three languages', () => {
  const written = forms.allergies.flatMap(({ written, warns, silent }) =>
    written.map((form) => ({ form, warns, silent })),
  )
  const ingredients = forms.ingredients.flatMap(({ written, is }) =>
    written.map((form) => ({ form, is })),
  )

  test('every one is recognized and nothing else is warned of: recall 100 %, false warnings 0', () => {
    const missed = written.flatMap(({ form, warns }) =>
      warns.filter((one) => !isWarned(form, one)).map((one) => `${form} -> ${one}`),
    )
    const falseWarnings = written.flatMap(({ form, silent }) =>
      silent.filter((one) => isWarned(form, one)).map((one) => `${form} -> ${one}`),
    )
    const misread = ingredients.filter(
      ({ form, is }) => JSON.stringify(namesOf(form)) !== JSON.stringify(is.toSorted()),
    )
    expect(written.length + ingredients.length + forms.unrecognized.length).toBeGreaterThanOrEqual(
      200,
    )
    expect({ missed, falseWarnings, misread }).toEqual({
      missed: [],
      falseWarnings: [],
      misread: [],
    })
  })

  test('what is recognized in full carries no mark', () => {
    expect(written.filter(({ form }) => marksOf(form).length > 0).map(({ form }) => form)).toEqual(
      [],
    )
  })

  test('an allergy that is not recognized is said to be unchecked, at every check, and asks for no reason', () => {
    for (const form of forms.unrecognized) {
      expect(check(form, 'amoxicillin')).toMatchObject([{ kind: 'unchecked', allergy: form }])
      expect(marksOf(form).filter(asksReason)).toEqual([])
    }
  })

  test('of an allergy recognized in part, the part warns and the rest is said to be unchecked', () => {
    for (const { written: form, warns } of forms.partly) {
      expect(warns.filter((one) => !isWarned(form, one))).toEqual([])
      expect(marksOf(form)).toHaveLength(1)
    }
  })

  test('an allergy one letter away from one name warns of it and keeps its mark', () => {
    for (const [form, ingredient] of [
      ['asprin', 'acetylsalicylic acid'],
      ['codiene', 'codeine'],
      ['ibuprofin rash', 'diclofenac'],
    ] as const) {
      expect({ form, isWarned: isWarned(form, ingredient) }).toEqual({ form, isWarned: true })
      expect(check(form, ingredient)).toMatchObject([{ kind: 'allergy' }, { kind: 'unchecked' }])
    }
    // two vowels apart is not one letter apart
    for (const form of ['aspartame', 'erythrocin x', 'sulfites'])
      expect(isWarned(form, 'acetylsalicylic acid')).toBe(false)
  })

  test('a medicine is read without its strength, form and route, and no Arabic brand as another substance', () => {
    for (const [form, name] of [
      ['Furosemida 40', 'furosemide'],
      ['Diclofenaco potásico 50', 'diclofenac'],
      ['Ketorolaco 10 mg SL', 'ketorolac'],
      ['amoxicillin 250mg/5ml susp', 'amoxicillin'],
      ['ماريفان', 'warfarin'],
      ['كوتريموكسازول ٤٨٠', 'sulfamethoxazole'],
    ] as const)
      expect({ form, names: namesOf(form) }).toMatchObject({
        form,
        names: expect.arrayContaining([name]),
      })
    expect(namesOf('مورفن بلس')).not.toContain('morphine')
  })

  test('an allergy to substances joined by hyphens is one to each, if all of them are known', () => {
    for (const form of ['trimetoprima-sulfametoxazol', 'amoxicillin-clavulanate'])
      expect(resolveAllergy(form)).toMatchObject({ ingredients: { length: 2 }, unknown: [] })
    expect(resolveAllergy('amoxicillin-something').unknown).toEqual(['amoxicillin-something'])
    expect(resolveAllergy('amoxicillin clavulanic acid rash')).toMatchObject({
      ingredients: ['amoxicillin', 'clavulanic acid'],
      unknown: [],
    })
    for (const form of ['painkillers except paracetamol', 'مسكنات الا باراسيتامول'])
      expect({ form, ...resolveAllergy(form) }).toMatchObject({ form, ingredients: [] })
  })

  test('two known names side by side are two, and the esters of an INN are that INN', () => {
    for (const [form, names] of [
      ['artemether lumefantrine', ['artemether', 'lumefantrine']],
      ['amoxicillin clavulanic acid 625', ['amoxicillin', 'clavulanic acid']],
      ['dabigatran etexilate', ['dabigatran']],
      ['candesartán cilexetilo', ['candesartan']],
    ] as const)
      expect({ form, names: namesOf(form) }).toEqual({ form, names })
    expect(parseIngredients('amoxicillin zorbadol')).toEqual([
      { name: 'amoxicillin zorbadol', isKnown: false },
    ])
  })

  test('a word with the consonants of one name, as they sound, warns of it and stays marked', () => {
    for (const [form, name] of [
      ['ibobrofen', 'ibuprofen'],
      ['diklofinac', 'diclofenac'],
      ['amoksisilin', 'amoxicillin'],
      ['karbamazebin', 'carbamazepine'],
    ] as const)
      expect({ form, ...resolveAllergy(form) }).toMatchObject({
        form,
        ingredients: [name],
        unknown: [form],
      })
    expect(resolveAllergy('penicelin').classes).toEqual(['penicillins'])
    // a short word is near to a brand by chance: Ceftin, Tikosyn
    for (const form of ['Softin', 'Thiozin', 'thiozin'])
      expect(resolveAllergy(form)).toEqual({ classes: [], ingredients: [], unknown: [form] })
    expect(resolveAllergy('Augmentim').ingredients).toContain('amoxicillin')
    for (const form of ['perfume', 'strawberry', 'mosquito', 'cinnamon', 'esparadrapo'])
      expect(resolveAllergy(form)).toEqual({ classes: [], ingredients: [], unknown: [form] })
  })

  test('a class beside a form or a noise word is known, however ta marbuta is written', () => {
    for (const form of ['penicillin injection', 'penecillin inj', 'حساسيه بنسيلين'])
      expect({ form, ...resolveAllergy(form) }).toMatchObject({ form, unknown: [] })
    expect(resolveAllergy('penicillin shot')).toMatchObject({
      classes: ['penicillins'],
      unknown: ['penicillin shot'],
    })
    expect(resolveAllergy('penicillen shot').classes).toEqual(['penicillins'])
    expect(resolveAllergy('no penicillin').classes).toEqual([])
  })

  test('the Arabic spelling of an INN follows from its consonants; other words name nothing', () => {
    for (const [form, name] of [
      ['سيفبودوكسيم', 'cefpodoxime'],
      ['سيفبودوكسيم ١٠٠ مجم', 'cefpodoxime'],
      ['تيلميسارتان', 'telmisartan'],
    ] as const)
      expect({ form, ingredients: resolveAllergy(form).ingredients }).toEqual({
        form,
        ingredients: [name],
      })
    for (const form of ['سيلان', 'دوار', 'فانيليا', 'شوكولاتة', 'الفراولة', 'المكسرات', 'البيض'])
      expect(resolveAllergy(form)).toEqual({ classes: [], ingredients: [], unknown: [form] })
  })

  test('the beginning of one INN warns of it and stays marked; that of two names nothing', () => {
    for (const [form, name] of [
      ['roxithro', 'roxithromycin'],
      ['Nitrofur rash', 'nitrofurantoin'],
      ['lamotri', 'lamotrigine'],
    ] as const)
      expect(resolveAllergy(form)).toMatchObject({ ingredients: [name], unknown: { length: 1 } })
    for (const form of ['sulfameth', 'chlor', 'mango', 'latex', 'penta'])
      expect({ form, ...resolveAllergy(form) }).toMatchObject({
        form,
        classes: [],
        ingredients: [],
      })
  })

  test('the stem of a class, as people write it, is the class', () => {
    expect(resolveAllergy('all prils').classes).toEqual(['ace_inhibitors'])
    expect(resolveAllergy('floxacins').classes).toEqual(['fluoroquinolones'])
    expect(resolveAllergy('fluroquinolones')).toMatchObject({
      classes: ['fluoroquinolones'],
      unknown: [],
    })
  })

  test('a name that only sounds like an abbreviation is not read as it', () => {
    expect(resolveAllergy('ACE').classes).toEqual(['ace_inhibitors'])
    expect(resolveAllergy('Acey')).toEqual({ classes: [], ingredients: [], unknown: ['Acey'] })
  })

  test('brands of five countries are read as their substances', () => {
    for (const [brand, ...ingredients] of [
      ['Hibiotic 1gm', 'amoxicillin', 'clavulanic acid'],
      ['Azee', 'azithromycin'],
      ['Novidat', 'ciprofloxacin'],
      ['Cifran', 'ciprofloxacin'],
      ['Lonart', 'artemether', 'lumefantrine'],
      ['Atamel', 'paracetamol'],
      ['كيتوفان', 'ketoprofen'],
    ] as const)
      expect(resolveAllergy(brand)).toEqual({ classes: [], ingredients, unknown: [] })
    // another medicine in another country, or perhaps two substances
    expect(['Provas', 'Megafen'].flatMap((brand) => resolveAllergy(brand).unknown)).toHaveLength(2)
  })

  test('an allergy to a substance beside a word that is not known warns and stays marked', () => {
    for (const form of ['Emzor Paracetamol', 'AD-paracetamol'])
      expect(resolveAllergy(form)).toEqual({
        classes: [],
        ingredients: ['paracetamol'],
        unknown: [form.toLowerCase()],
      })
    expect(resolveAllergy('takes paracetamol without trouble').ingredients).toEqual([])
  })

  test('each unknown ingredient is named as unchecked, also in a combination', () => {
    for (const form of forms.unknownIngredients)
      expect(findWarnings([drug(form)], [], [])).toMatchObject([
        { kind: 'unchecked', ingredient: form },
      ])
    const mix = { drugId: 'mix', name: 'Mix', ingredients: ['paracetamol', 'foo', 'bar/caffeine'] }
    expect(findWarnings([mix], [], [])).toMatchObject([
      { ingredient: 'foo' },
      { ingredient: 'bar' },
    ])
  })
})

describe('the tables of names', () => {
  test('keep vitamin K apart from vitamin C', () => {
    const named = ['vitamin K', 'Vitamina K', 'vitamin C'].flatMap((name) => substancesNamed(name))
    expect(named).toEqual(['phytomenadione', 'phytomenadione', 'ascorbic acid'])
    expect(resolveAllergy('vitamin-K')).toMatchObject({
      ingredients: ['phytomenadione'],
      unknown: [],
    })
    expect(resolveAllergy('vitaminK')).toEqual({
      classes: [],
      ingredients: [],
      unknown: ['vitaminK'],
    })
  })

  test('no two substances share a spelling', () => {
    const byKey = Map.groupBy(KNOWN_INGREDIENTS, spellingKey)
    expect([...byKey.values()].filter((names) => names.length > 1)).toEqual([])
  })

  test('every alias leads to substances of the tables, and never away from a substance of the rules', () => {
    const aliases = substanceNames.aliases.flatMap(({ names }) =>
      Object.entries<string | string[]>(names as never),
    )
    for (const [alias, meant] of aliases) {
      expect({ alias, found: substancesNamed(alias) }).toEqual({ alias, found: [meant].flat() })
      for (const name of [meant].flat()) expect(substancesNamed(name)).toEqual([name])
    }
    for (const name of Object.values(membersOf).flat())
      expect(substancesNamed(name)).toEqual([name])
  })

  test('every table names its source and its date', () => {
    for (const { source, date } of [...substanceNames.known, ...substanceNames.aliases]) {
      expect(source).not.toBe('')
      expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    }
  })

  test.for([en, es, ar].map((messages) => [messages.safety.classes] as const))(
    'a class is recognized by its label in any language, whatever language is on the screen',
    ([labels]) => {
      for (const name of DRUG_CLASSES)
        expect(recognize(labels[name])).toEqual({
          substance_kind: 'drug_class',
          substance_code: name,
        })
    },
  )

  test('what is several classes or substances stays in its words and is resolved at each check', () => {
    expect(recognize('beta-lactams')).toEqual({ substance_kind: 'other', substance_code: null })
    expect(resolveAllergy('beta-lactams').classes).toEqual([
      'penicillins',
      'cephalosporins',
      'carbapenems',
    ])
  })
})

// First measured, unseen: 87 of 200 warned of, 2 missed without a mark. `npm run prove --
// written-forms --rows` lists them
test('of 280 written forms kept aside, no fewer are warned of than before, none is missed without a mark', () => {
  const counts = countForms(judgeForms())
  expect(counts).toMatchObject({ toWarn: 200, toLeave: 80, missedInSilence: 0, falseWarnings: 0 })
  expect(counts.marked).toBe(counts.toMark)
  expect(counts.warned).toBeGreaterThanOrEqual(172)
})

import { printedForm } from '~/features/medicines/drugs/drug'
import type { Language, MessageKey } from '~/shared/language'
import { LOINC } from '~/shared/loinc'
import { sentence } from '~/shared/sentence'
import type { Vaccine } from '~/shared/vaccines'
import type { Fhir } from './resource'
import { nameOfObserved } from './resources/observation'

type Coding = { system?: string; code?: string; display?: string }
type Concept = { text?: string; coding?: Coding[] }
type Strength = { denominator?: { unit?: string | undefined } }
type Ingredient = { strength?: Strength }
/** What the row of a resource may have, of which names follow. */
type Row = { key?: string; vaccine?: Vaccine; substance_kind?: string; form?: string }

/** With the names that screens have in the language of the reader; codes stay. */
export function localizeResource(language: Language, resource: Fhir, row: object): Fhir {
  const named = withNames(language, resource, row)
  // programs show the published English name before the text
  return language === 'en' ? named : withoutPublishedNames(named)
}

function withNames(language: Language, resource: Fhir, row: object): Fhir {
  const { key, vaccine, substance_kind, form } = row as Row
  const withText = (name: string, message: MessageKey) => ({
    ...resource,
    [name]: { ...(resource[name] as Concept), text: sentence(language, { key: message }) },
  })
  switch (resource.resourceType) {
    case 'Observation':
      return key ? withUnits(language, withText('code', nameOfObserved(key))) : resource
    case 'Immunization':
      return vaccine ? withText('vaccineCode', `immunizations.vaccines.${vaccine}`) : resource
    case 'AllergyIntolerance':
      return substance_kind === 'none_known' ? withText('code', 'allergies.noneKnown') : resource
    case 'Medication': {
      const message = form === undefined ? null : printedForm(form)
      const words = message ? sentence(language, { key: message }) : undefined
      const { ingredient } = resource as Fhir & { ingredient?: Ingredient[] }
      return {
        ...resource,
        form: { text: words },
        ingredient: ingredient?.map((one) => perForm(one, form, words)),
      }
    }
    default:
      return resource
  }
}

/** UCUM codes of `loinc.ts` and the words of screens; a score has neither. */
const UNITS: Readonly<Record<string, MessageKey>> = {
  'mm[Hg]': 'vitals.unitMmHg',
  cm: 'vitals.unitCm',
  kg: 'vitals.unitKg',
  'kg/m2': 'vitals.unitBmi',
  '/min': 'vitals.unitPerMinute',
  '%': 'vitals.unitPercent',
  Cel: 'vitals.unitC',
  'umol/L': 'vitals.unitMicromol',
}
type Measured = { valueQuantity?: { code?: string; unit?: string } }
function withUnits(language: Language, observation: Fhir): Fhir {
  const inWords = <M extends Measured>(measured: M): M => {
    const { valueQuantity: of } = measured
    const message = of && UNITS[of.code ?? '']
    return message
      ? { ...measured, valueQuantity: { ...of, unit: sentence(language, { key: message }) } }
      : measured
  }
  const { component, ...rest } = observation as Fhir & { component?: Measured[] }
  return {
    ...rest,
    ...inWords(rest as Measured),
    ...(component && { component: component.map(inWords) }),
  } as Fhir
}

/** A strength for each tablet, in the words of the reader. */
function perForm(
  ingredient: Ingredient,
  form: string | undefined,
  words: string | undefined,
): Ingredient {
  const { denominator } = ingredient.strength ?? {}
  return denominator?.unit !== undefined && denominator.unit === form
    ? {
        ...ingredient,
        strength: { ...ingredient.strength, denominator: { ...denominator, unit: words } },
      }
    : ingredient
}

const PUBLISHED = [LOINC, 'http://snomed.info/sct', 'http://terminology.hl7.org/']
const unnamed = (concept: Concept): Concept => ({
  ...concept,
  coding: concept.coding?.map(({ display, ...coding }) =>
    PUBLISHED.some((system) => coding.system?.startsWith(system)) ? coding : { ...coding, display },
  ),
})
/** What has a text, and what kind of entry it is. */
const withoutPublishedNames = (resource: Fhir): Fhir => {
  const { code, category } = resource as Fhir & { code?: Concept; category?: unknown }
  return {
    ...resource,
    ...(code?.text && { code: unnamed(code) }),
    ...(Array.isArray(category) && {
      category: category.map((one: string | Concept) =>
        typeof one === 'string' ? one : unnamed(one),
      ),
    }),
  }
}

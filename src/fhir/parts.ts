import { isDay } from '~/shared/zone'
import type { Element } from './element'
import { invalidElement } from './outcome'
import { compact } from './resource'

export type Coding = { system: string; code: string; display?: string }

/** A list of the values that there are. */
export const presentValues = <T>(...values: (T | null | undefined)[]): NonNullable<T>[] =>
  values.filter((value): value is NonNullable<T> => value !== null && value !== undefined)

/** A CodeableConcept; undefined without a text and a code. */
export const concept = (text: string | null | undefined, ...coding: Coding[]) =>
  text || coding.length > 0 ? compact({ coding, text }) : undefined

/** Sanad's own names of substances; no published system has them all. */
export const INGREDIENT = 'urn:sanad:ingredient'

/** Free text as the notes of a resource. */
export const note = (text: string | null | undefined) => (text ? [{ text }] : undefined)

const UNITS_OF_MEASURE = 'http://unitsofmeasure.org'
/** A Quantity in a UCUM unit. */
export const toQuantity = (value: number, code: string, unit = code) => ({
  value,
  unit,
  system: UNITS_OF_MEASURE,
  code,
})

/** https://hl7.org/fhir/R4/extension-data-absent-reason.html */
export const ABSENT = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason'

/** http://terminology.hl7.org/CodeSystem/data-absent-reason */
export const UNKNOWN = {
  system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason',
  code: 'unknown',
}

/** In place of a value that is not known. */
export const NOT_KNOWN = { extension: [{ url: ABSENT, valueCode: UNKNOWN.code }] }

/** When a medicine is taken, which the International Patient Summary asks for. */
export const takenDuring = (start: string | null, end: string | null) =>
  start || end ? { effectivePeriod: { start, end } } : { _effectiveDateTime: NOT_KNOWN }

const WITH_CLOCK = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** A dateTime with a clock and a zone. A day, a month or a year alone is refused: the clock would be made up. */
export function readDateTime(element: Element, name: string): Date | undefined {
  const text = element.text(name)
  if (text === undefined) return undefined
  const at = parseMoment(text)
  if (at) return at
  throw invalidElement(
    element.at(name),
    'Give a date with a time and a zone, such as 2026-03-01T09:30:00Z.',
  )
}

/** A dateTime that is a day (`yyyy-MM-dd`) or a moment. */
export function dayOrMomentIn(element: Element, name: string): string | Date | undefined {
  const text = element.text(name)
  if (text === undefined || isDay(text)) return text
  const at = parseMoment(text)
  if (at) return at
  throw invalidElement(
    element.at(name),
    'Give a day (2026-03-01), or a date with a time and a zone.',
  )
}

function parseMoment(text: string): Date | undefined {
  const at = WITH_CLOCK.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at)
}

/** The code of a required or fixed value set: one of `known`. */
export function readKnownCode<const C extends string>(
  element: Element,
  name: string,
  known: readonly C[],
): C | undefined {
  const code = element.text(name)
  if (code === undefined) return undefined
  const found = known.find((each) => each === code)
  if (!found) throw invalidElement(element.at(name), `Use one of: ${known.join(', ')}.`)
  return found
}

/** The code that a concept has in one system; another system is refused. */
export function codedIn<const C extends string>(
  element: Element | undefined,
  system: string,
  known: readonly C[],
): C | undefined {
  if (!element) return undefined
  element.ignore('text')
  const coding = element.only('coding')
  if (!coding) return undefined
  coding.ignore('display', 'version', 'userSelected')
  if (coding.text('system') !== system) throw invalidElement(coding.at('system'), `Use ${system}.`)
  return readKnownCode(coding, 'code', known)
}

/** Throws 422 when a required element is absent. */
export function requireElement<T>(value: T | null | undefined, expression: string): T {
  if (value === null || value === undefined)
    throw invalidElement(expression, 'This element is needed.')
  return value
}

/** The notes of a resource as one text. */
export const notesIn = (element: Element): string | null => {
  const [first, ...more] = element.list('note').map((each) => each.text('text'))
  return first === undefined ? null : [first, ...more].join('\n')
}

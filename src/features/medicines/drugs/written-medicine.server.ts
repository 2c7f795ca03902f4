import { plainWords } from '~/fields/plain-words'
import { latinDigits, numberFrom } from '~/fields/typed'
import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import type { DrugColumn } from '~/records/drug'
import { isSameStrength, type ReadStrength, readStrength } from '~/records/strength'
import {
  DOSAGE_FORMS,
  DOSE_UNITS,
  type DosageForm,
  type DoseUnit,
  type AdministrationRoute,
  ROUTES,
} from '~/shared/dosage'
import type { Message } from '~/shared/errors'
import { LANGUAGES, type MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { parseDrugCells } from './catalogue-file'
import writtenOptions from './written-options.json'

/** `words` are how lists write the options: in English, Spanish, Portuguese, French and Arabic, and abbreviated. */
function lookup<O extends string>(
  options: readonly O[],
  words: Readonly<Partial<Record<string, readonly string[]>>>,
  label: (option: O) => MessageKey,
) {
  const known = new Map<string, O>()
  for (const option of options) {
    known.set(plainWords(option), option)
    for (const language of LANGUAGES)
      known.set(plainWords(sentence(language, { key: label(option) })), option)
    for (const word of words[option] ?? []) known.set(plainWords(word), option)
  }
  return known
}

let forms: ReadonlyMap<string, DosageForm> | undefined
let routes: ReadonlyMap<string, AdministrationRoute> | undefined
let units: ReadonlyMap<string, DoseUnit> | undefined
const knownForms = () =>
  (forms ??= lookup(DOSAGE_FORMS, writtenOptions.forms, (form) => `drugs.form_${form}`))
const knownRoutes = () =>
  (routes ??= lookup(ROUTES, writtenOptions.routes, (route) => `drugs.route_${route}`))
const knownUnits = () =>
  (units ??= lookup(DOSE_UNITS, writtenOptions.units, (unit) => `drugs.unit_${unit}`))

/** The only option that the words of a text name; undefined if they name none, or two. */
function optionIn<O extends string>(known: ReadonlyMap<string, O>, text: string): O | undefined {
  const words = plainWords(text).split(' ').filter(Boolean)
  const found = new Set<O>()
  for (let at = 0; at < words.length;) {
    let length = Math.min(4, words.length - at)
    while (length > 0 && !known.has(words.slice(at, at + length).join(' '))) length -= 1
    const option = known.get(words.slice(at, at + length).join(' '))
    if (length > 0 && option && option !== 'other') found.add(option)
    at += Math.max(length, 1)
  }
  return found.size === 1 ? [...found][0] : undefined
}

/** The dosage form that a cell names: "Tablets", "Comprimido", "Film coated tablet"; undefined if it is not certain. */
export const formIn = (text: string): DosageForm | undefined =>
  knownForms().get(plainWords(text)) ?? optionIn(knownForms(), text)

/** The route that a cell names: "IV", "Oral use"; undefined if it is not certain. */
export const routeIn = (text: string): AdministrationRoute | undefined =>
  knownRoutes().get(plainWords(text)) ?? optionIn(knownRoutes(), text)

const unitIn = (text: string): DoseUnit | undefined => knownUnits().get(plainWords(text))

/**
 * The route by which a form is always given; the others have several, or are taken by a route that only the label says.
 */
const ROUTE_BY_FORM: Partial<Record<DosageForm, AdministrationRoute>> = {
  capsule: 'oral',
  syrup: 'oral',
  inhaler: 'inhalation',
  patch: 'transdermal',
}
/** Tablets are swallowed unless the text says something else, such as "vaginal tablet". */
const routeOfForm = (form: DosageForm, text: string): AdministrationRoute =>
  routeIn(text) ?? (form === 'tablet' ? 'oral' : ROUTE_BY_FORM[form]) ?? 'other'

/** An abbreviation of two letters within a name may mean something else. */
const keepLongWords = (text: string) =>
  text
    .split(/\s+/)
    .filter((word) => word.length > 3)
    .join(' ')

const NUMBER = String.raw`\d[\d.,٫]*`
const UNIT_WORDS = [
  'mcg|µg|μg|ug|micrograms?|mg|gm|g|ml|l',
  'iu|i\\.u\\.?|ui|units?|u',
  'ملغم|ملغ|مغ|مل|غ|وحدة',
]
const PER_WORDS = 'ml|g|dose|dosis|puff|actuation|drop|hr|h|hour|vial|sachet|sobre|spray|مل'
const UNIT = String.raw`(?:${UNIT_WORDS.join('|')})(?![\p{L}\p{N}])`
const PER = String.raw`\s*(?:\/|per\s|por\s)\s*(?:${NUMBER}\s*)?(?:${PER_WORDS})(?![\p{L}\p{N}])`
const PARTS = String.raw`(?:${NUMBER}\s*(?:${UNIT})?\s*[+\/&]\s*)*`
/** "500mg", "250 mg/5 mL", "500 mg + 125 mg", "400/57 mg per 5 mL", "10%". */
const STRENGTH = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${PARTS}${NUMBER}\s*${UNIT}(?:${PER})?|${NUMBER}\s*%)`,
  'iu',
)

/** The amount in one piece is the strength of the medicine. */
const PER_PIECE = /\s*(?:per|\/|por)\s*(?:tablet|tab|capsule|cap|comprimido|tableta)s?\s*$/i

/** The strength in a sentence that holds no other number: "each tablet contains: 250 mg of abiraterone". */
function onlyStrengthIn(text: string): ReadStrength | null {
  const numbers = latinDigits(text).match(/\d+(?:[.,]\d+)*/g) ?? []
  const found = numbers.length === 1 ? STRENGTH.exec(latinDigits(text)) : null
  return found && strengthIn(found[0])
}

/** A written strength, also as lists write it: "500mg", "1gm", "5 I.U."; null for what is none, or is a percentage. */
function strengthIn(text: string): ReadStrength | null {
  const clean = latinDigits(text)
    .replaceAll(/i\.\s?u\.?/gi, 'IU')
    .replaceAll(/(?<=\d)\s*gms?\b/gi, ' g')
    .replaceAll(/(?<=\d)\s*mgs\b/gi, ' mg')
    .replaceAll(/(?<=\d)\s*mls\b/gi, ' mL')
    .replaceAll(/(?<=\d)\s*u\b/gi, ' units')
    .replaceAll(/\s*&\s*/g, ' + ')
    .replace(PER_PIECE, '')
    // a thousands separator in a strength of units: 100,000 IU has one meaning only for whole groups of two commas
    .replaceAll(/\b(\d{1,3})((?:,\d{3}){2,})\b/g, (all) => all.replaceAll(',', ''))
  return readStrength(clean)
}

/** Strengths by weight in a weight, and by weight in a volume. */
const PER_GRAM = new Set<string>(['cream', 'gel'])
const PER_VOLUME = new Set<string>(['injection', 'ampule', 'drops'])

/**
 * 1% is 10 mg in a gram of a cream or gel, and 10 mg in a millilitre of an injection or drops (USP General Notices,
 * "Percentage concentrations"). Of another form it may be by volume: null.
 */
function percentIn(text: string, form: string): ReadStrength | null {
  const [, digits] = /^\s*([\d.,٫٠-٩]+)\s*[%٪]\s*(?:w\/[wv])?\s*$/i.exec(text) ?? []
  const percent = digits === undefined ? null : numberFrom(digits)
  if (typeof percent !== 'number' || percent <= 0 || percent > 100) return null
  const perVolume = PER_VOLUME.has(form) ? 'mL' : null
  const per_unit = PER_GRAM.has(form) ? 'g' : perVolume
  if (!per_unit) return null
  const dosage_quantity = Number((percent * 10).toPrecision(9))
  return { dosage_quantity, dosage_units: 'mg', per_quantity: 1, per_unit }
}

type ReadName = {
  name: string
  strength: string | null
  form: DosageForm | undefined
  /** The words after the strength that name no form. */
  rest: string
}

/**
 * The parts of "Amoxicillin 500mg capsules": the text before the strength names the medicine, and the form is in the
 * rest. A text without a strength or a form is a name as a whole.
 */
export function partsOfName(text: string): ReadName {
  const clean = text.replaceAll(/\s+/g, ' ').trim()
  const found = STRENGTH.exec(latinDigits(clean))
  const before = found ? clean.slice(0, found.index) : clean
  const after = found ? clean.slice(found.index + found[0].length) : ''
  const form = formIn(after) ?? formIn(before)
  const name = tidyName(found && formIn(after) ? before : withoutForm(before))
  if (!name) return { name: clean, strength: null, form, rest: '' }
  const rest = formIn(after) ? '' : tidyName(after)
  return { name, strength: found ? found[0].trim() : null, form, rest }
}

const tidyName = (text: string) => text.replace(/^[\s,;:/(-]+|[\s,;:/(-]+$/gu, '').trim()

/** Without the words of the form at the beginning or the end: "Tab. Paracetamol", "Paracetamol tablets". */
function withoutForm(text: string): string {
  const words = text.split(' ').filter(Boolean)
  const isForm = (some: string[]) => some.length > 0 && knownForms().has(plainWords(some.join(' ')))
  let [from, to] = [0, words.length]
  for (let length = Math.min(3, words.length - 1); length > 0; length -= 1)
    if (isForm(words.slice(-length))) {
      to -= length
      break
    }
  if (to - from > 1 && isForm(words.slice(0, 1))) from += 1
  return words.slice(from, to).join(' ')
}

/**
 * The active ingredients that a generic name is made of, if the safety checks know each of them: "Amoxicillin /
 * clavulanic acid". Otherwise none, and the catalogue lists the medicine for completion.
 */
function ingredientsIn(name: string): string[] {
  const found = parseIngredients(name.toLowerCase())
  return found.every(({ isKnown }) => isKnown) ? [...new Set(found.map((one) => one.name))] : []
}

/** The cells of a row by the name of their column in the catalogue; `strength` holds a written one. */
export type MedicineCells = Readonly<Partial<Record<DrugColumn | 'id' | 'strength', string>>>

type ReadMedicine = {
  /** What the row states. */
  given: Record<string, unknown>
  /** What follows from it for a new medicine: a stored one keeps its own values. */
  assumed: Record<string, unknown>
  /** What could not be read, or was not in the list. */
  notes: Message[]
}

const LONGEST_NAME = 200

const LIQUID =
  /(?<!\p{L})(?:susp|suspension|suspensi[oó]n|sol|soln|solution|soluci[oó]n|معلق|محلول)(?!\p{L})/iu

/** "250 mg/5 mL susp": by the spoon. A suspension per millilitre may be one for injection. */
const isOralLiquid = (text: string, strength: ReadStrength | null) =>
  LIQUID.test(text) && strength?.per_unit === 'mL' && strength.per_quantity === 5

/**
 * Reads a row of a list of medicines as people write it: options in three languages or abbreviated, strength and form
 * in columns of their own or within the name. A text that is no known form, route or strength is kept, in the notes or
 * in the name, and asserts nothing. `headings` names the columns for the reader.
 */
export function readWrittenMedicine(
  cells: MedicineCells,
  headings: Readonly<Partial<Record<string, string>>>,
): ReadMedicine {
  const notes: Message[] = []
  const kept: string[] = []
  const note = (key: MessageKey, column?: DrugColumn | 'strength') =>
    notes.push(
      column
        ? { key, values: { value: cells[column]!, column: headings[column] ?? column } }
        : { key },
    )
  const plain = Object.fromEntries(
    Object.entries(cells).filter(
      ([name, cell]) => cell && !READ_HERE.has(name as DrugColumn | 'strength'),
    ),
  ) as Record<string, string>
  const given: Record<string, unknown> = parseDrugCells(plain)
  const text = cells.generic_name ?? cells.brand_name ?? ''
  const split = partsOfName(text)

  const formCell = cells.form ?? ''
  const statedForm = formCell ? formIn(formCell) : undefined
  let form = formCell ? statedForm : split.form
  if (!form && formCell) {
    note('imports.reasons.formUnknown', 'form')
    kept.push(`${headings['form'] ?? 'form'}: ${formCell}`)
    form = 'other'
  }
  const unit = cells.dosage_units ? unitIn(cells.dosage_units) : undefined
  const found = strengthInCells(cells, split.strength, unit, form ?? 'other')
  const { strength, unread } = found
  const isOral = !form && isOralLiquid(text, strength)
  if (isOral) form = 'syrup'
  const hasForm = form !== undefined
  const used: DosageForm = form ?? 'other'
  if (found.from) note('imports.reasons.strengthKept', found.from)
  else if (unread) notes.push({ key: 'imports.reasons.strengthInName', values: { value: unread } })
  else if (!strength) note('imports.reasons.strengthMissing')

  const isSplit = !cells.strength && !cells.dosage_quantity && split.strength !== null
  const short = [split.name, isOral ? '' : split.rest].filter(Boolean).join(' ')
  const name = (isSplit && strength) || (!formCell && split.form && !split.strength) ? short : text
  const full = unread && !text.includes(unread) ? `${name} ${unread}` : name
  given['generic_name'] = full.slice(0, LONGEST_NAME)
  const named = cells.generic_name ? 'generic_name' : 'brand_name'
  const others = otherStrengths(cells, split.strength, unit, found).map(({ column, ...other }) => ({
    ...other,
    column: column === 'name' ? named : column,
  }))
  for (const { column, text: value, isSame } of others)
    if (!isSame)
      notes.push({
        key: 'imports.reasons.strengthDiffers',
        values: { value, column: headings[column] ?? column, used: found.readFrom },
      })
  const isSaidElsewhere = (column: string) =>
    (column === 'dosage_units' && unit) || others.some((one) => one.isSame && one.column === column)
  for (const column of ['strength', 'dosage_quantity', 'dosage_units'] as const)
    if (!isSaidElsewhere(column) && !isSaid(cells[column], `${found.readFrom} ${full}`))
      kept.push(`${headings[column] ?? column}: ${cells[column]}`)
  if (cells.brand_name && cells.generic_name) given['brand_name'] = cells.brand_name

  const assumed: Record<string, unknown> = { dosage_quantity: null, dosage_units: unit ?? 'mg' }
  const ingredients = (given['ingredients'] as string[] | undefined) ?? ingredientsIn(name)
  if (!given['ingredients']) assumed['ingredients'] = ingredients
  const parts = strength?.ingredient_strengths
  if (typeof parts === 'string' && parts.split(' + ').length !== ingredients.length) {
    // the strengths of a combination need the name of each ingredient
    notes.push({ key: 'imports.reasons.strengthInName', values: { value: parts } })
    given['generic_name'] = `${full} ${parts}`.slice(0, LONGEST_NAME)
  } else if (strength) Object.assign(given, strength)

  if (hasForm) (statedForm ? given : assumed)['form'] = used
  else {
    note('imports.reasons.formMissing')
    assumed['form'] = 'other'
  }
  const route = cells.route ? routeIn(cells.route) : undefined
  if (route) given['route'] = route
  else if (cells.route) {
    note('imports.reasons.routeUnknown', 'route')
    kept.push(`${headings['route'] ?? 'route'}: ${cells.route}`)
    assumed['route'] = 'other'
  } else {
    assumed['route'] = routeOfForm(used, formCell || keepLongWords(text))
    note('imports.reasons.routeByForm')
  }
  if (kept.length > 0) given['notes'] = [given['notes'], ...kept].filter(Boolean).join('; ')
  return { given, assumed, notes }
}

type StrengthInCells = {
  strength: ReadStrength | null
  /** The text that says the strength; "" if there is none. */
  readFrom: string
  /** A text that is none; it stays in the name. */
  unread: string
  /** The cell of that text, if it is not of the name. */
  from?: 'strength' | 'dosage_quantity' | undefined
}

/** The strength of its columns, or else within the name. A written one ("250 mg/5 mL") says more than a number. */
function strengthInCells(
  cells: MedicineCells,
  inName: string | null,
  unit: DoseUnit | undefined,
  form: DosageForm,
): StrengthInCells {
  const read = (text: string) => strengthIn(text) ?? percentIn(text, form)
  const found = (strength: ReadStrength | null, text: string): StrengthInCells =>
    strength ? { strength, readFrom: text, unread: '' } : { strength, readFrom: '', unread: text }
  const { from, text, column, cell } = strengthCells(cells)
  const written = read(text) ?? onlyStrengthIn(text)
  if (written) return found(written, text)

  const whole = [cell, unit ?? cells.dosage_units].filter(Boolean).join(' ')
  const number = numberFrom(cell, { min: 0.0001 })
  const size = positive(number)
  const beside = size && unit ? { dosage_quantity: size, dosage_units: unit } : read(whole)
  if (cell && beside) return { ...found(beside, whole), unread: text, from }
  if (from) return { ...found(null, text), from }
  // a number of an unknown unit, or of none, says nothing of a strength in the name
  const isEmpty = !cell || number === 0
  if (inName !== null && (isEmpty || size)) return found(read(inName), inName)
  return isEmpty ? found(null, '') : { ...found(null, whole), from: column }
}

/** The other strengths that a row states beside the one that counts, and whether they say the same. */
function otherStrengths(
  cells: MedicineCells,
  inName: string | null,
  unit: DoseUnit | undefined,
  { strength, readFrom }: StrengthInCells,
) {
  if (!strength) return []
  const number = [cells.dosage_quantity, unit ?? cells.dosage_units].filter(Boolean).join(' ')
  return (
    [
      { column: 'name', text: inName ?? '' },
      { column: 'strength', text: cells.strength ?? '' },
      { column: 'dosage_quantity', text: cells.dosage_quantity ? number : '' },
    ] as const
  ).flatMap(({ column, text }) => {
    const read = text === readFrom ? null : strengthIn(text)
    return read ? [{ column, text, isSame: isSameStrength(read, strength) }] : []
  })
}

const positive = (number: unknown) => (typeof number === 'number' && number > 0 ? number : null)

/** The cell that says a strength in words (`from`, `text`), and the one beside it (`column`, `cell`). */
function strengthCells(cells: MedicineCells) {
  const columns = (['strength', 'dosage_quantity'] as const).filter((name) => cells[name])
  const from = columns.find((name) => /[\p{L}%٪]/u.test(cells[name]!))
  const column = columns.findLast((name) => name !== from)
  return { from, text: from ? cells[from]! : '', column, cell: column ? cells[column]! : '' }
}

/** Whether a text says what the cell says: its words, or its numbers alone. */
function isSaid(cell: string | undefined, text: string): boolean {
  if (!cell || numberFrom(cell) === 0) return true
  if (/[\p{L}%٪]/u.test(cell)) return text.includes(cell)
  const said = numbersIn(text)
  return numbersIn(cell).every((number) => said.includes(number))
}

const numbersIn = (text: string) =>
  (latinDigits(text).match(/\d[\d.,٫]*/g) ?? []).map((digits) => numberFrom(digits))

const READ_HERE = new Set<DrugColumn | 'strength'>([
  'generic_name',
  'brand_name',
  'strength',
  'dosage_quantity',
  'dosage_units',
  'form',
  'route',
])

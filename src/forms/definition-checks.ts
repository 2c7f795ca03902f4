import type { FormField, Translation } from './definition'
import { type Condition, givesDay, SUBJECT_FIELDS, takesDayAt, testsOf } from './definition-rules'
import { fitsVital, isLayout, RESERVED_NAMES } from './field-kinds'
import { parseFormula } from './formula'

type Complaint = { path: (string | number)[]; message: string }
const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase()

/** What is wrong with fields that are each right by themselves: names and ids taken twice, rules that point nowhere. */
export function checkFields(fields: readonly FormField[]): Complaint[] {
  const ids = new Set<string>()
  const names = new Set<string>()
  const vitals = new Set<string>()
  const above = new Map<string, FormField>()
  return fields.flatMap((field, at) => {
    const complaints = [...checkField(field), ...checkRules(field, above)]
    if (ids.has(field.id)) complaints.push({ path: ['id'], message: 'formBuilder.sameId' })
    ids.add(field.id)
    const name = plain(field.name)
    if (!isLayout(field.fieldType)) {
      if (names.has(name)) complaints.push({ path: ['name'], message: 'formBuilder.sameName' })
      names.add(name)
      const reserved = RESERVED_NAMES.find((word) => word === name)
      if (reserved && reserved !== field.fieldType)
        complaints.push({ path: ['name'], message: 'formBuilder.reservedName' })
    }
    const vital = field.rules?.vital
    if (vital && vitals.has(vital))
      complaints.push({ path: ['rules', 'vital'], message: 'formBuilder.sameVital' })
    if (vital) vitals.add(vital)
    above.set(field.id, field)
    return complaints.map(({ path, message }) => ({ path: [at, ...path], message }))
  })
}

function checkField(field: FormField): Complaint[] {
  const complaints: Complaint[] = []
  const complain = (path: string, message: string) => complaints.push({ path: [path], message })
  if (
    field.fieldType === 'free-text' &&
    (field.inputType === 'textarea') !== (field.length === 'long')
  )
    complain('length', 'formBuilder.longText')
  if (field.fieldType === 'options' && field.multi && field.inputType === 'radio')
    complain('multi', 'formBuilder.radioSingle')
  if (field.fieldType === 'file') {
    if (field.maxItems < Math.max(field.minItems, 1))
      complain('maxItems', 'formBuilder.limitsCross')
    if (!field.multiple && field.maxItems > 1) complain('maxItems', 'formBuilder.oneFile')
  }
  if (!('options' in field)) return complaints
  if ((field.fieldType === 'options' || field.fieldType === 'binary') && field.options.length === 0)
    complain('options', 'formBuilder.optionsNeeded')
  if (field.fieldType === 'binary' && field.options.length > 2)
    complain('options', 'formBuilder.binaryTwo')
  const unlike = (texts: string[]) => new Set(texts).size === texts.length
  if (!unlike(field.options.map(({ id }) => id))) complain('options', 'formBuilder.sameId')
  else if (!unlike(field.options.map(({ value }) => plain(value))))
    complain('options', 'formBuilder.sameOption')
  else if (!unlike(field.options.map(({ label }) => plain(label))))
    complain('options', 'formBuilder.sameOption')
  return complaints
}

const isNumber = (field: FormField) =>
  field.fieldType === 'free-text' && field.inputType === 'number'
/** What a sum or a formula may take: numbers, and choices whose values are numbers (scores). */
const isCounted = (field: FormField) =>
  isNumber(field) || field.fieldType === 'options' || field.fieldType === 'binary'

function checkRules(field: FormField, above: ReadonlyMap<string, FormField>): Complaint[] {
  const { showIf, requiredIf, refuseIf, urgency, limits, normal, days, compute, vital } =
    field.rules ?? {}
  const complaints: Complaint[] = []
  const complain = (message: string, ...path: string[]) =>
    complaints.push({ path: ['rules', ...path], message })
  if (showIf && !refersAbove(showIf, above)) complain('formBuilder.ruleAbove', 'showIf')
  if (requiredIf && !refersAbove(requiredIf, above)) complain('formBuilder.ruleAbove', 'requiredIf')
  if (requiredIf && isLayout(field.fieldType)) complain('formBuilder.ruleKind', 'requiredIf')
  if (refuseIf && !refersAbove(refuseIf, new Map([...above, [field.id, field]])))
    complain('formBuilder.ruleAbove', 'refuseIf')
  if (refuseIf && (isLayout(field.fieldType) || compute))
    complain('formBuilder.ruleKind', 'refuseIf')
  if (urgency && field.fieldType !== 'text') complain('formBuilder.ruleKind', 'urgency')
  if ((limits || normal) && !isNumber(field)) complain('formBuilder.ruleKind', 'limits')
  if (days && field.fieldType !== 'date') complain('formBuilder.ruleKind', 'days')
  if (vital && !isNumber(field)) complain('formBuilder.ruleKind', 'vital')
  else if (vital && !fitsVital(vital, unitOf(field))) complain('formBuilder.vitalUnit', 'vital')
  if (!compute) return complaints

  const isRight = givesDay(compute.function) ? field.fieldType === 'date' : isNumber(field)
  if (!isRight) complain('formBuilder.ruleKind', 'compute')
  const used = compute.fields.map((id) => above.get(id))
  const fits = (one: FormField, at: number) =>
    takesDayAt(compute.function, at) ? one.fieldType === 'date' : isCounted(one)
  if (used.some((one) => one === undefined)) complain('formBuilder.ruleAbove', 'compute')
  else if (used.some((one, at) => one && !fits(one, at)))
    complain('formBuilder.computeKind', 'compute')
  if (compute.function === 'formula' && !parseFormula(compute.formula, compute.fields.length))
    complain('formBuilder.formulaWrong', 'compute')
  return complaints
}

const unitOf = (field: FormField) => ('units' in field ? field.units?.[0] : undefined)

const refersAbove = (condition: Condition, above: ReadonlyMap<string, FormField>) =>
  testsOf(condition).every(({ fieldId }) => {
    const field = above.get(fieldId)
    return field ? !isLayout(field.fieldType) : SUBJECT_FIELDS.some((name) => name === fieldId)
  })

type Translated = { form_fields: readonly FormField[]; translations: readonly Translation[] }

/** Names that are taken twice in another language would be two equal questions to a reader of that language. */
export function checkTranslations({ form_fields, translations }: Translated): Complaint[] {
  const complaints: Complaint[] = []
  const kinds = new Map(form_fields.map((field) => [field.id, field.fieldType]))
  const seen = new Set<string>()
  const names = new Map<string, string>()
  translations.forEach(({ fieldId, name }, at) => {
    if (seen.has(fieldId))
      complaints.push({ path: ['translations', at, 'fieldId'], message: 'formBuilder.sameId' })
    seen.add(fieldId)
    const kind = kinds.get(fieldId)
    if (kind === undefined || isLayout(kind)) return
    for (const [language, text] of Object.entries(name)) {
      const key = `${language} ${plain(text ?? '')}`
      if (names.has(key) && names.get(key) !== fieldId)
        complaints.push({
          path: ['translations', at, 'name', language],
          message: 'formBuilder.sameName',
        })
      names.set(key, fieldId)
    }
  })
  return complaints
}

import type { EventFormField, Translation } from './definition'
import {
  type Condition,
  givesDay,
  SUBJECT_FIELDS,
  takesDayAt,
  listConditionTests,
} from './definition-rules'
import { fitsVital, isLayout, RESERVED_NAMES } from './field-kinds'
import { keysIn } from '~/shared/object'
import { parseFormula } from './formula'

type Issue = { path: (string | number)[]; message: string }
const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase()

/** What is wrong with fields that are each right by themselves: names and ids taken twice, rules that point nowhere. */
export function checkFields(fields: readonly EventFormField[]): Issue[] {
  const ids = new Set<string>()
  const names = new Set<string>()
  const vitals = new Set<string>()
  const doses = new Set<string>()
  const above = new Map<string, EventFormField>()
  return fields.flatMap((field, at) => {
    const issues = [...checkField(field), ...checkRules(field, above)]
    if (ids.has(field.id)) issues.push({ path: ['id'], message: 'formBuilder.sameId' })
    ids.add(field.id)
    const name = plain(field.name)
    if (!isLayout(field.fieldType)) {
      if (names.has(name)) issues.push({ path: ['name'], message: 'formBuilder.sameName' })
      names.add(name)
      const reserved = RESERVED_NAMES.find((word) => word === name)
      if (reserved && reserved !== field.fieldType)
        issues.push({ path: ['name'], message: 'formBuilder.reservedName' })
    }
    const vital = field.rules?.vital
    if (vital && vitals.has(vital))
      issues.push({ path: ['rules', 'vital'], message: 'formBuilder.sameVital' })
    if (vital) vitals.add(vital)
    const vaccine = field.rules?.vaccine
    const dose = vaccine && `${field.fieldType} ${vaccine}`
    if (dose && doses.has(dose))
      issues.push({ path: ['rules', 'vaccine'], message: 'formBuilder.sameVaccine' })
    if (dose) doses.add(dose)
    above.set(field.id, field)
    return issues.map(({ path, message }) => ({ path: [at, ...path], message }))
  })
}

function checkField(field: EventFormField): Issue[] {
  const issues: Issue[] = []
  const addIssue = (path: string, message: string) => issues.push({ path: [path], message })
  if (
    field.fieldType === 'free-text' &&
    (field.inputType === 'textarea') !== (field.length === 'long')
  )
    addIssue('length', 'formBuilder.longText')
  if (field.fieldType === 'options' && field.multi && field.inputType === 'radio')
    addIssue('multi', 'formBuilder.radioSingle')
  if (field.fieldType === 'file') {
    if (field.maxItems < Math.max(field.minItems, 1))
      addIssue('maxItems', 'formBuilder.limitsCross')
    if (!field.multiple && field.maxItems > 1) addIssue('maxItems', 'formBuilder.oneFile')
  }
  if (!('options' in field)) return issues
  if ((field.fieldType === 'options' || field.fieldType === 'binary') && field.options.length === 0)
    addIssue('options', 'formBuilder.optionsNeeded')
  if (field.fieldType === 'binary' && field.options.length > 2)
    addIssue('options', 'formBuilder.binaryTwo')
  const unlike = (texts: string[]) => new Set(texts).size === texts.length
  if (!unlike(field.options.map(({ id }) => id))) addIssue('options', 'formBuilder.sameId')
  else if (!unlike(field.options.map(({ value }) => plain(value))))
    addIssue('options', 'formBuilder.sameOption')
  else if (!unlike(field.options.map(({ label }) => plain(label))))
    addIssue('options', 'formBuilder.sameOption')
  return issues
}

const isNumber = (field: EventFormField) =>
  field.fieldType === 'free-text' && field.inputType === 'number'
/** What a sum or a formula may take: numbers, and choices whose values are numbers (scores). */
const isCounted = (field: EventFormField) =>
  isNumber(field) || field.fieldType === 'options' || field.fieldType === 'binary'

/** Whether the field can say of the vaccine which dose, which batch or which day it was. */
export const fitsVaccine = (field: EventFormField, vaccine: string) =>
  field.fieldType === 'date' ||
  (vaccine !== 'all' &&
    (field.fieldType === 'options'
      ? !field.multi
      : field.fieldType === 'free-text' && field.inputType === 'text'))

type Rules = NonNullable<EventFormField['rules']>
type Above = ReadonlyMap<string, EventFormField>

/** Whether a field of this kind can have the rule, if it has it. `limits` stands for `normal`, too. */
const FITS: { [R in keyof Rules]?: (field: EventFormField, rules: Rules) => boolean } = {
  requiredIf: (field) => !isLayout(field.fieldType),
  refuseIf: (field, { compute }) => !isLayout(field.fieldType) && !compute,
  urgency: (field) => field.fieldType === 'text',
  limits: (field) => isNumber(field),
  whole: (field, { compute }) => isNumber(field) && !compute,
  exclusive: (field, { exclusive = [] }) => hasOptions(field, exclusive),
  days: (field) => field.fieldType === 'date',
  vital: (field) => isNumber(field),
  vaccine: (field, { vaccine }) => !vaccine || fitsVaccine(field, vaccine),
}

const aFault = (message: string, rule: string): Issue => ({ path: ['rules', rule], message })

function checkRules(field: EventFormField, above: Above): Issue[] {
  const rules = field.rules ?? {}
  const { vital, compute } = rules
  const given = { ...rules, limits: rules.limits ?? rules.normal }
  return [
    ...checkConditions(field, above),
    ...keysIn(FITS).flatMap((rule) =>
      given[rule] && !FITS[rule]!(field, rules) ? aFault('formBuilder.ruleKind', rule) : [],
    ),
    ...(vital && isNumber(field) && !fitsVital(vital, fixedUnit(field))
      ? [aFault('formBuilder.vitalUnit', 'vital')]
      : []),
    ...(compute ? checkComputation(field, compute, above) : []),
  ]
}

/** A condition is about questions above the field; what a field refuses, also about its own answer. */
function checkConditions(field: EventFormField, above: Above): Issue[] {
  const { showIf, requiredIf, refuseIf } = field.rules ?? {}
  const conditions = { showIf, requiredIf, refuseIf }
  return keysIn(conditions).flatMap((rule) => {
    const condition = conditions[rule]
    if (!condition) return []
    const known = rule === 'refuseIf' ? new Map([...above, [field.id, field]]) : above
    return !refersAbove(condition, known) ? aFault('formBuilder.ruleAbove', rule) : []
  })
}

function checkComputation(
  field: EventFormField,
  compute: NonNullable<Rules['compute']>,
  above: Above,
): Issue[] {
  const issues: Issue[] = []
  const addIssue = (message: string, rule: string) => issues.push(aFault(message, rule))
  const isRight = givesDay(compute.function) ? field.fieldType === 'date' : isNumber(field)
  if (!isRight) addIssue('formBuilder.ruleKind', 'compute')
  const used = compute.fields.map((id) => above.get(id))
  const fits = (one: EventFormField, at: number) =>
    takesDayAt(compute.function, at) ? one.fieldType === 'date' : isCounted(one)
  if (used.some((one) => one === undefined)) addIssue('formBuilder.ruleAbove', 'compute')
  else if (used.some((one, at) => one && !fits(one, at)))
    addIssue('formBuilder.computeKind', 'compute')
  if (compute.function === 'formula' && !parseFormula(compute.formula, compute.fields.length))
    addIssue('formBuilder.formulaWrong', 'compute')
  return issues
}

/** Whether several of the field's options may be chosen, and each of these ids is one of them. */
const hasOptions = (field: EventFormField, ids: readonly string[]) =>
  field.fieldType === 'options' &&
  field.multi &&
  ids.every((id) => field.options.some((option) => option.id === id))

const fixedUnit = (field: EventFormField) => ('units' in field ? field.units?.[0] : undefined)

const refersAbove = (condition: Condition, above: ReadonlyMap<string, EventFormField>) =>
  listConditionTests(condition).every(({ fieldId }) => {
    const field = above.get(fieldId)
    return field ? !isLayout(field.fieldType) : SUBJECT_FIELDS.some((name) => name === fieldId)
  })

type Translated = { form_fields: readonly EventFormField[]; translations: readonly Translation[] }

/** Names that are taken twice in another language would be two equal questions to a reader of that language. */
export function checkTranslations({ form_fields, translations }: Translated): Issue[] {
  const issues: Issue[] = []
  const kinds = new Map(form_fields.map((field) => [field.id, field.fieldType]))
  const seen = new Set<string>()
  const names = new Map<string, string>()
  translations.forEach(({ fieldId, name }, at) => {
    if (seen.has(fieldId))
      issues.push({ path: ['translations', at, 'fieldId'], message: 'formBuilder.sameId' })
    seen.add(fieldId)
    const kind = kinds.get(fieldId)
    if (kind === undefined || isLayout(kind)) return
    for (const [language, text] of Object.entries(name)) {
      const key = `${language} ${plain(text ?? '')}`
      if (names.has(key) && names.get(key) !== fieldId)
        issues.push({
          path: ['translations', at, 'name', language],
          message: 'formBuilder.sameName',
        })
      names.set(key, fieldId)
    }
  })
  return issues
}

import { DOSE_UNITS, DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { answerKind, type Diagnosis, type FormAnswer, type Json, type Medicine } from './answers'
import type { EventFormField } from './definition'
import { DURATION_UNITS } from './field-kinds'
import { unitName } from './unit'

type Say = (what: Sayable) => string

/** The text of an answer to a field of the localized form. Texts that users wrote are unchanged. */
export const answerTexts = (field: EventFormField, answer: FormAnswer, say: Say): string[] =>
  answerParts(field, answer, say).map((parts) => parts.join(' · '))

/** The text of each part of an answer: those of a medicine may be in different languages. */
export function answerParts(field: EventFormField, answer: FormAnswer, say: Say): string[][] {
  if (answer === null) return []
  if (field.fieldType === 'free-text' && field.inputType === 'password') return [['••••••••']]
  return [answer].flat().map((one) => {
    if (typeof one === 'number') return [withUnit(String(one), field, say)]
    if (typeof one === 'string') return [chosenOptionLabel(field, one) ?? withUnit(one, field, say)]
    return 'desc' in one && answerKind(field) !== 'medicines'
      ? [diagnosisText(one as Diagnosis)]
      : medicineTexts(one as Medicine, say, field)
  })
}

const chosenOptionLabel = (field: EventFormField, value: string) =>
  'options' in field ? field.options.find((option) => option.value === value)?.label : undefined

/** The unit of an answer, if the form names exactly one; with several it is unknown. */
const withUnit = (text: string, field: EventFormField, say: Say) => {
  const [unit, ...more] = (field.fieldType === 'free-text' && field.units) || []
  return unit && more.length === 0 && /^[-+]?\d/.test(text)
    ? `${text} ${unitName(unit, say)}`
    : text
}

export const diagnosisText = ({ code, desc }: Diagnosis) =>
  code && code !== desc ? `${desc} (${code})` : desc

/** "Amoxicillin", "500 mg", "Capsule", "Oral", "three times a day", "7 days" */
export function medicineTexts(medicine: Medicine, say: Say, field?: EventFormField): string[] {
  const part = (name: string) => partText(medicine[name])
  const of = (name: string, known: readonly string[], key: (value: string) => MessageKey) => {
    const value = part(name)
    return known.includes(value) ? say(key(value)) : value
  }
  const pair = (...texts: string[]) => texts.filter(Boolean).join(' ')
  return [
    (field && chosenOptionLabel(field, part('name'))) ?? part('name'),
    pair(part('dose'), part('dose') && of('doseUnits', DOSE_UNITS, doseUnitKey)),
    of('form', DOSAGE_FORMS, medicineFormKey),
    of('route', ROUTES, routeKey),
    pair(part('frequency'), part('intervals')),
    pair(
      part('duration'),
      part('duration') && of('durationUnits', DURATION_UNITS, durationUnitKey),
    ),
  ].filter(Boolean)
}

const partText = (value: Json | undefined) => {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return String(value)
  return ''
}

export const doseUnitKey = (unit: string) => `drugs.unit_${unit}` as MessageKey
export const medicineFormKey = (form: string) => `drugs.form_${form}` as MessageKey
export const routeKey = (route: string) => `drugs.route_${route}` as MessageKey
export const durationUnitKey = (unit: string) => `answers.unit_${unit}` as MessageKey

import type { AnswersByField } from '~/forms/answers'
import type { EventFormField } from '~/forms/definition'
import type { Message } from '~/shared/errors'
import { firstErrors } from '~/shared/problems'
import {
  betweenMeasures,
  type Entered,
  isWithUnits,
  measureField,
  VITAL_INPUT_UNITS,
  type Unit,
  type Units,
  WHOLE,
} from './vital'

/** A number of a form that is recorded as a vital sign, in the unit that the form asks for. */
export type FormVital = { fieldId: string; measure: Entered; value: number; unit?: Unit }

/** The vital signs among the answers of a form. */
export const vitalsIn = (fields: readonly EventFormField[], answers: AnswersByField): FormVital[] =>
  fields.flatMap((field) => {
    const measure = field.rules?.vital
    const value = answers[field.id]
    if (!measure || typeof value !== 'number') return []
    const unit = chosenUnit(field, measure)
    // a mean of whole readings may not be whole, and no user could correct it
    const isRounded = field.rules?.compute !== undefined && WHOLE.has(measure)
    const recorded = isRounded ? Math.round(value) : value
    return [{ fieldId: field.id, measure, value: recorded, ...(unit && { unit }) }]
  })

/** Undefined where the form's unit is the one that is stored, or the vital sign has one unit only. */
function chosenUnit(field: EventFormField, measure: Entered): Unit | undefined {
  const unit = 'units' in field ? field.units?.[0] : undefined
  return isWithUnits(measure) ? VITAL_INPUT_UNITS[measure].find((one) => one === unit) : undefined
}

/** What no patient can have, by the id of the question; the same limits as on the screen of vital signs. */
export function impossibleIn(vitals: readonly FormVital[]): Record<string, Message> {
  const found: Record<string, Message> = {}
  for (const { fieldId, measure, value, unit } of vitals) {
    const units: Units = unit ? { [measure]: unit } : {}
    const { error } = measureField(measure, units).schema.safeParse(value)
    const message = error && firstErrors(error)['']
    if (message) found[fieldId] = message
  }
  const between = betweenMeasures(
    Object.fromEntries(vitals.map(({ measure, value }) => [measure, value])),
  )
  for (const { fieldId, measure } of vitals) {
    const message = between[measure]
    if (message) found[fieldId] ??= message
  }
  return found
}

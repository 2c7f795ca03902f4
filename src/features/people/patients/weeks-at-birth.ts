import { birthFrom } from '~/fields/birth'
import { number, optional } from '~/fields/field'
import { monthsBetween } from '~/shared/zone'

const weeks = number('patients.weeksAtBirth', {
  min: 20,
  max: 45,
  hint: 'patients.weeksAtBirthHint',
})
/** Asked by the web beside the registration form: phones do not know the column. */
export const weeksAtBirthField = optional({
  ...weeks,
  schema: weeks.schema.int('validation.whole'),
})

/** Whether the weeks are asked: of a child below two years, by the text of the date of birth. */
export function asksWeeksAtBirth(typedBirth: unknown, today: string): boolean {
  const birth = typeof typedBirth === 'string' ? birthFrom(typedBirth, today) : null
  return birth !== null && birth.day <= today && monthsBetween(birth.day, today) < 24
}

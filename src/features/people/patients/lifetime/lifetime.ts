import { invalid } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { type Born, isBeforeBirth } from '../patient'

/** Nothing happens to a patient after the death; what happened before may be written down late. */
export function requireLivingOn(
  { died_on }: { died_on: string | null },
  day: string,
  field: string,
) {
  if (died_on && day > died_on) throw invalid({ [field]: { key: 'patients.hasDied' } })
}

/** Also nothing before the birth. */
export function requireAliveOn(
  patient: Born & { died_on: string | null },
  day: string,
  field: string,
  beforeBirth: MessageKey = 'vitals.beforeBirth',
) {
  if (isBeforeBirth(patient, day)) throw invalid({ [field]: { key: beforeBirth } })
  requireLivingOn(patient, day, field)
}

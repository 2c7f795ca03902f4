import { date, optional } from '~/fields/field'

/** The day box of a dialog. Empty: now. */
export const earlierFields = {
  day: optional(date('earlierDay.day', { hint: 'earlierDay.hint' })),
}

import { NO_EXPIRY } from '~/shared/readable-values'

export { NO_EXPIRY }

/**
 * Articles without batch and expiry date, such as syringes. The columns require both, and phones cannot hold null, so
 * one batch of a medicine has this number and this day. Screens and paper say "no expiry".
 */
export const NO_BATCH_NUMBER = '-'

/** The day alone is enough: no package names it. */
export const hasNoExpiry = (expiryDate: string) => expiryDate === NO_EXPIRY

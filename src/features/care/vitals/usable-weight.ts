import type { Birth } from '~/fields/birth'
import type { Sex } from '~/fields/sex'
import { isImplausibleWeight } from '~/forms/weight-for-age'
import { LAST_OF_STANDARDS } from '~/forms/weight-for-height'
import { clinicTimeZone } from '~/shared/zone'
import { ageSpanAt, correctedAt } from './marks'
import { isInFuture, LIMITS } from './vital'

/** A weight as it is stored. `isConfirmed`: a user was asked about this value and said that it is right. */
export type Weighed = { kg: number; at: Date; isConfirmed: boolean }

/**
 * Why a weight counts as not measured. `impossible`: no person weighs that. `implausible`: beyond the flags of WHO at
 * the age. `date`: measured before the birth, or in the future. `unconfirmed`: an unusual change that no user has
 * confirmed.
 */
type WeightDoubt = {
  why: 'impossible' | 'implausible' | 'date' | 'unconfirmed'
  /** Of an unusual change: the weight before, in kg. */
  before?: number
}
export type UnusableWeight = Weighed & WeightDoubt

type Whose = { birth: Birth | null; sex: Sex | null }

/**
 * A change beyond this within three months marks malnutrition in adults (NICE CG32, 2006), or a mistyped weight: pounds
 * for kilograms, a digit twice. A child of five years and more grows by less (WHO Reference 2007); for younger
 * children the flags alone find such a mistake.
 */
const WEIGHT_CHANGE = 0.1
const THREE_MONTHS_MS = 91 * 86_400_000

/** An evident error of the scale, the date or the typing; no user can confirm it. */
function mistakeIn({ kg, at }: Weighed, { birth, sex }: Whose): WeightDoubt | undefined {
  const [least, most] = LIMITS.weight_kg
  if (kg < least || kg > most) return { why: 'impossible' }
  const ages = ageSpanAt(birth, at, clinicTimeZone())
  if (isInFuture(at) || (birth && !ages)) return { why: 'date' }
  const days = [...(ages ?? []), ...correctedAt(birth, at, clinicTimeZone())].map((age) => age.days)
  return isImplausibleWeight(kg, days, sex) ? { why: 'implausible' } : undefined
}

/**
 * Whether a weight may not be used, and why; undefined if it may. `earlier`: the weights before it, newest first. Only
 * an unusual change can be confirmed: beyond the flags no dose is computed, even if a user confirms the weight.
 */
export function weightDoubt(
  weighed: Weighed,
  earlier: readonly Weighed[],
  whose: Whose,
): WeightDoubt | undefined {
  const mistake = mistakeIn(weighed, whose)
  if (mistake || weighed.isConfirmed) return mistake
  const [youngest] = ageSpanAt(whose.birth, weighed.at, clinicTimeZone()) ?? []
  if (!youngest || youngest.days < LAST_OF_STANDARDS) return undefined
  const before = lastSound(earlier, whose)
  return before && isUnusualChange(before, weighed)
    ? { why: 'unconfirmed', before: before.kg }
    : undefined
}

const isUnusualChange = (before: Weighed, { kg, at }: Weighed) =>
  at.getTime() - before.at.getTime() <= THREE_MONTHS_MS &&
  Math.abs(kg - before.kg) > WEIGHT_CHANGE * before.kg

/**
 * The newest of these weights (newest first) that may be compared with. An unconfirmed change is none: sent twice by a
 * device, it would confirm itself.
 */
function lastSound(weights: readonly Weighed[], whose: Whose): Weighed | undefined {
  let sound: Weighed | undefined
  for (const weighed of weights.toReversed()) {
    if (mistakeIn(weighed, whose)) continue
    if (!sound || weighed.isConfirmed || !isUnusualChange(sound, weighed)) sound = weighed
  }
  return sound
}

/**
 * The one rule for every use of a patient's weight. `weights`: newest first, as they are stored, whichever way they
 * came. An evident mistake is passed over for the weight before it. An unconfirmed change is not: the weight before it
 * may no longer be true. `unusable`: the newest weight that was left out.
 */
export function usableWeight(
  whose: Whose,
  weights: readonly Weighed[],
): { weight: Weighed | null; unusable: UnusableWeight | null } {
  let unusable: UnusableWeight | null = null
  for (const [index, weighed] of weights.entries()) {
    const doubt = weightDoubt(weighed, weights.slice(index + 1), whose)
    if (!doubt) return { weight: weighed, unusable }
    unusable ??= { ...weighed, ...doubt }
    if (doubt.why === 'unconfirmed') break
  }
  return { weight: null, unusable }
}

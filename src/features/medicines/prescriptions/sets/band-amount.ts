import { parseStrengthParts } from '~/records/strength'
import type { DosageForm } from '~/shared/dosage'
import {
  type AmountUnit,
  asMass,
  COUNTED_BY_FORM,
  type Dosed,
  inOtherMeasure,
  roundDose,
  singleStrength,
} from '../writing/dose'

/** What can be given of one piece. */
const PART_OF: Partial<Record<AmountUnit, number>> = {
  tablet: 0.5,
  capsule: 1,
  suppository: 1,
  sachet: 1,
}

/**
 * The amount of a medicine that holds so many milligrams of each substance: whole and half tablets, or millilitres.
 * Null if none can be measured, or if the substances do not agree.
 */
export function amountOfBand(
  singles: readonly number[],
  drug: Dosed,
): { amount: number; unit: AmountUnit } | null {
  const piece = COUNTED_BY_FORM[drug.form as DosageForm]
  const part = piece && PART_OF[piece]
  if (piece && part && drug.per_unit === null) {
    const one = singleStrength(drug)
    const strengths = one
      ? [one]
      : parseStrengthParts(drug.ingredient_strengths).map(({ quantity, unit }) =>
          asMass(quantity, unit),
        )
    if (strengths.length !== singles.length) return null
    const pieces = strengths.map((held, at) =>
      held?.unit === 'mg' && held.quantity > 0
        ? roundDose(singles[at]! / held.quantity)
        : Number.NaN,
    )
    const [amount = Number.NaN] = pieces
    const isOne = pieces.every((each) => each === amount)
    return isOne && amount > 0 && Number.isInteger(amount / part) ? { amount, unit: piece } : null
  }
  const [single] = singles
  if (singles.length !== 1 || single === undefined) return null
  const volume = inOtherMeasure(single, 'mg', drug)
  // a syringe shows hundredths
  return volume?.unit === 'mL' && Number(volume.quantity.toFixed(2)) === volume.quantity
    ? { amount: volume.quantity, unit: 'mL' }
    : null
}

import type { WrittenDose } from '~/features/medicines/safety/rules/rule'
import { inEach, sayIn } from '~/shared/in-words'
import { amountText, isInsulin, strength } from '~/records/strength'
import type { DosageForm } from '~/shared/dosage'
import {
  amountOf,
  asMass,
  COUNTED_BY_FORM,
  type Dose,
  type Dosed,
  fitsForm,
  inOtherMeasure,
  isCounted,
  proposedQuantity,
  rounded,
  singleStrength,
} from '../writing/dose'

/** An infusion in a bottle is larger than an injection. */
const INJECTED_FORMS = new Set(['ampule', 'injection'])
const INJECTED_ROUTES = new Set(['intravenous', 'intramuscular', 'subcutaneous', 'intradermal'])
/** Units of mass in micrograms. */
const MICROGRAMS: Partial<Record<string, number>> = { mcg: 1, mg: 1000, g: 1_000_000 }

type Catalogued = Dosed & { route: string | null }

/** The dose as it is written beside the form and the strength, for the rules against slips. */
export function writtenOf(dose: Dose, drug: Catalogued): WrittenDose {
  const { amount, unit } = dose
  const held = singleStrength(drug)
  const given = isCounted(unit) || unit === 'mL' ? null : asMass(amount, unit)
  const isOneKind = held !== null && held.quantity > 0 && given?.unit === held.unit
  const portions = isOneKind ? rounded(given.quantity / held.quantity) : null
  const [ofDose, ofStrength] = [MICROGRAMS[unit], MICROGRAMS[drug.dosage_units]]
  return {
    dose: inEach((language) =>
      isCounted(unit)
        ? amountOf(dose, drug, sayIn(language))
        : amountText(amount, unit, sayIn(language)),
    ),
    strength: inEach((language) => strength(drug, sayIn(language))),
    pieces: piecesIn(dose, drug, portions),
    vials: vialsIn(dose, drug, portions),
    injectedMl: injectedMlIn(dose, drug),
    insulinUnits: unit === 'units' && isInsulin(drug) ? amount : null,
    quantity: proposedQuantity(dose, drug),
    portionsByLargerUnit: ofDose && ofStrength && ofDose > ofStrength ? portions : null,
    isOtherKind: given !== null && held !== null && given.unit !== held.unit,
    isOtherForm: !fitsForm(unit, drug.form),
  }
}

function piecesIn({ amount, unit }: Dose, { form, per_unit }: Dosed, portions: number | null) {
  if (unit === 'tablet' || unit === 'capsule') return amount
  const piece = COUNTED_BY_FORM[form as DosageForm]
  const isPiece = (piece === 'tablet' || piece === 'capsule') && per_unit === null
  return isPiece ? portions : null
}

function vialsIn(
  { amount, unit }: Dose,
  { per_unit, per_quantity }: Dosed,
  portions: number | null,
) {
  if (unit === 'ampule') return amount
  return per_unit === 'vial' && per_quantity && portions !== null
    ? rounded(portions * per_quantity)
    : null
}

function injectedMlIn(dose: Dose, drug: Catalogued) {
  if (!INJECTED_FORMS.has(drug.form) || !INJECTED_ROUTES.has(dose.route ?? drug.route ?? ''))
    return null
  if (dose.unit === 'mL') return dose.amount
  const other = inOtherMeasure(dose.amount, dose.unit, drug)
  return other?.unit === 'mL' ? other.quantity : null
}

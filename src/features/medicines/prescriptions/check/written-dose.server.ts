import type { WrittenDose } from '~/features/medicines/safety/rules/rule'
import { inEach, sayIn } from '~/shared/in-words'
import { amountText, isInsulin, strength } from '~/records/strength'
import type { DosageForm } from '~/shared/dosage'
import {
  formatDoseAmount,
  asMass,
  COUNTED_BY_FORM,
  type Dose,
  type Dosed,
  fitsForm,
  inOtherMeasure,
  isCounted,
  proposedQuantity,
  roundDose,
  singleStrength,
} from '../writing/dose'

/** An infusion in a bottle is larger than an injection. */
const INJECTED_FORMS = new Set(['ampule', 'injection'])
const INJECTED_ROUTES = new Set(['intravenous', 'intramuscular', 'subcutaneous', 'intradermal'])
/** Forms that nobody injects. */
const NEVER_INJECTED = new Set(
  'tablet capsule syrup suppository drops cream gel lotion inhaler spray patch'.split(' '),
)
/** Forms that nobody swallows. */
const NEVER_SWALLOWED = new Set(['suppository', 'cream', 'lotion', 'patch', 'inhaler'])
const SWALLOWED_ROUTES = new Set(['oral', 'sublingual'])
const SWALLOWED_FORMS = new Set(['syrup', 'drops'])
const DROPPED_INTO = new Set(['otic', 'nasal'])
/** A content from so many millilitres on is that of a bottle for an infusion. */
const BOTTLE_ML = 50
const COUNTED_TIMES = new Set<string>(['tablet', 'capsule', 'suppository'])
/** Units of mass in micrograms. */
const MICROGRAMS: Partial<Record<string, number>> = { mcg: 1, mg: 1000, g: 1_000_000 }

type Catalogued = Dosed & { route: string | null }

/** The dose as it is written beside the form and the strength, for the rules against slips. */
export function toWrittenDose(dose: Dose, drug: Catalogued): WrittenDose {
  const { amount, unit } = dose
  const held = singleStrength(drug)
  const given = isCounted(unit) || unit === 'mL' ? null : asMass(amount, unit)
  const isOneKind = held !== null && held.quantity > 0 && given?.unit === held.unit
  const portions = isOneKind ? roundDose(given.quantity / held.quantity) : null
  const route = dose.route ?? drug.route ?? ''
  const [ofDose, ofStrength] = [MICROGRAMS[unit], MICROGRAMS[drug.dosage_units]]
  return {
    dose: inEach((language) =>
      isCounted(unit)
        ? formatDoseAmount(dose, drug, sayIn(language))
        : amountText(amount, unit, sayIn(language)),
    ),
    strength: inEach((language) => strength(drug, sayIn(language))),
    pieces: piecesIn(dose, drug, portions),
    vials: vialsIn(dose, drug, portions),
    ampouleContents: isOnePortion(drug) ? contentsIn(dose, drug, portions) : null,
    timesPerDay: COUNTED_TIMES.has(drug.form) ? timesPerDay(dose) : null,
    injectedMl: injectedMlIn(dose, drug),
    isIntoVein: route === 'intravenous',
    isBelowSkin: route === 'subcutaneous',
    swallowedMl: swallowedMlIn(dose, drug),
    puffs: unit === 'actuation' ? amount : null,
    drops: unit === 'drop' && DROPPED_INTO.has(route) ? amount : null,
    eyeDrops: unit === 'drop' && route === 'ophthalmic' ? amount : null,
    applied: appliedIn(dose, drug, portions),
    insulinUnits: isInsulin(drug) ? insulinUnitsIn(dose, drug) : null,
    quantity: proposedQuantity(dose, drug),
    portionsByLargerUnit: ofDose && ofStrength && ofDose > ofStrength ? portions : null,
    isOtherKind: given !== null && held !== null && given.unit !== held.unit,
    isOtherForm: !fitsForm(unit, drug.form),
    isOtherRoute: isOtherRoute(drug.form, route),
  }
}

function piecesIn({ amount, unit }: Dose, { form, per_unit }: Dosed, portions: number | null) {
  if (unit === 'tablet' || unit === 'capsule') return amount
  const piece = COUNTED_BY_FORM[form as DosageForm]
  const isPiece = (piece === 'tablet' || piece === 'capsule') && per_unit === null
  return isPiece ? portions : null
}

function appliedIn({ amount, unit }: Dose, { form, per_unit }: Dosed, portions: number | null) {
  if (unit === 'suppository' || unit === 'patch') return amount
  return form === 'suppository' && per_unit === null ? portions : null
}

function vialsIn(
  { amount, unit }: Dose,
  { per_unit, per_quantity }: Dosed,
  portions: number | null,
) {
  if (unit === 'ampule') return amount
  return per_unit === 'vial' && per_quantity && portions !== null
    ? roundDose(portions * per_quantity)
    : null
}

function injectedMlIn(dose: Dose, drug: Catalogued) {
  if (!INJECTED_FORMS.has(drug.form) || !INJECTED_ROUTES.has(dose.route ?? drug.route ?? ''))
    return null
  const isBottle = drug.per_unit === 'mL' && Number(drug.per_quantity) >= BOTTLE_ML
  return isBottle ? null : millilitresIn(dose, drug)
}

const swallowedMlIn = (dose: Dose, drug: Catalogued) =>
  SWALLOWED_FORMS.has(drug.form) && (dose.route ?? drug.route) === 'oral'
    ? millilitresIn(dose, drug)
    : null

function millilitresIn({ amount, unit }: Dose, drug: Catalogued) {
  if (unit === 'mL') return amount
  const other = inOtherMeasure(amount, unit, drug)
  return other?.unit === 'mL' ? other.quantity : null
}

/** An ampoule, or a syringe whose strength is that of its part of a millilitre: "40 mg/0.4 mL". */
const isOnePortion = ({ form, per_unit, per_quantity }: Dosed) =>
  form === 'ampule' ||
  (form === 'injection' && per_unit === 'mL' && per_quantity !== null && per_quantity < 1)

/** An ampoule of "10 mg/1 mL" may hold more than one millilitre: how many millilitres are in it is not recorded. */
function contentsIn(
  { amount, unit }: Dose,
  { per_unit, per_quantity }: Dosed,
  portions: number | null,
) {
  if (unit === 'mL')
    return per_unit === 'mL' && per_quantity ? roundDose(amount / per_quantity) : null
  return portions
}

const timesPerDay = ({ often }: Dose) => {
  if (often.kind === 'times') return often.n
  if (often.kind === 'hours') return roundDose(24 / often.n)
  return null
}

function insulinUnitsIn({ amount, unit }: Dose, drug: Dosed) {
  if (unit === 'units') return amount
  const measured = unit === 'mL' ? inOtherMeasure(amount, unit, drug) : null
  return measured?.unit === 'units' ? measured.quantity : null
}

const isOtherRoute = (form: string, route: string) =>
  INJECTED_ROUTES.has(route)
    ? NEVER_INJECTED.has(form)
    : SWALLOWED_ROUTES.has(route) && NEVER_SWALLOWED.has(form)

import { findDoseBand, isChild, dosingWeight } from '~/features/medicines/safety/rules/doses'
import type { CheckedPatient } from '~/features/medicines/safety/rules/rule'
import { largest, smallest } from '~/shared/any-length'

/** Why no dose of a weight band is known. */
export type BandLack = 'age' | 'weight' | 'old_weight' | 'band'

/** One dose of each substance by the published bands of weight, in mg, and how many of it a day has. */
type BandDose = {
  singles: number[]
  timesADay: number | null
  fromKg: number
  underKg: number
  source: string
}

/** A chart gives a dose so many times a day; more is the highest number for an emergency, and no frequency. */
const MOST_TIMES = 6

/**
 * The dose that the published bands of weight give this child. Only where each substance has a band, all give the same
 * number of doses a day, and the weight is recent enough for the age: the highest doses of the table are no proposals.
 */
export function bandDose(
  drug: { ingredients: readonly string[]; route: string | null },
  patient: CheckedPatient,
  isOn: (row: string) => boolean,
): BandDose | { lack: BandLack } {
  if (!patient.birth) return { lack: 'age' }
  const weight = dosingWeight(patient)
  if (!weight) return { lack: 'weight' }
  if (weight.isOld) return { lack: 'old_weight' }
  const found = drug.ingredients.map((ingredient) =>
    findDoseBand(drug, ingredient, weight.kg, isOn),
  )
  const bands = found.flatMap((band) => band ?? [])
  const [first] = bands
  if (!first || bands.length !== found.length || !isChild(patient)) return { lack: 'band' }
  const times = bands.map(({ single, day }) => day / single)
  if (new Set(times).size > 1) return { lack: 'band' }
  const timesADay = Number.isInteger(times[0]) && times[0]! <= MOST_TIMES ? times[0]! : null
  return {
    singles: bands.map(({ single }) => single),
    timesADay,
    fromKg: largest(bands.map(({ fromKg }) => fromKg)),
    underKg: smallest(bands.map(({ underKg }) => underKg)),
    source: first.source.text,
  }
}

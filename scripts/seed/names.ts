import names from './names.json'

/** Names that people of a region have, as its clinics write them. */
export type Region = {
  male: readonly string[]
  female: readonly string[]
  family: readonly string[]
  towns: readonly string[]
  citizenships: readonly string[]
  camps: readonly string[]
  /** How many family names a person has; two in Spanish. */
  families: number
}

export const arabic: Region = names.arabic
export const latinArabic: Region = names.latinArabic
export const spanish: Region = names.spanish

/** A clinic picks from these evenly. Arabic names come in both scripts, because one clinic has both. */
export const regions = [arabic, arabic, latinArabic, spanish] as const

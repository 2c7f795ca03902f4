import { buildCare } from './care'
import { type SeedClinic, type SeedPerson, buildPerson } from './people'

export type SeedValue = string | number | boolean | Date | object | null | undefined
export type SeedRow = Record<string, SeedValue>

/** Everything about one person, made once, for the nouns below to take from. */
export type SeedSubject = { seed: string; person: SeedPerson; today: Date } & ReturnType<
  typeof buildCare
>

export function buildSubject(
  seed: string,
  number: number,
  clinics: readonly SeedClinic[],
  today: Date,
): SeedSubject {
  const person = buildPerson(seed, number, clinics, today)
  return { seed, person, today, ...buildCare(person, seed, today) }
}

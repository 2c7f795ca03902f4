import { careOf } from './care'
import { type Clinic, type Person, personOf } from './people'

export type Value = string | number | boolean | Date | object | null | undefined
export type Row = Record<string, Value>

/** Everything about one person, made once, for the nouns below to take from. */
export type Subject = { seed: string; person: Person; today: Date } & ReturnType<typeof careOf>

export function subjectOf(
  seed: string,
  number: number,
  clinics: readonly Clinic[],
  today: Date,
): Subject {
  const person = personOf(seed, number, clinics, today)
  return { seed, person, today, ...careOf(person, seed, today) }
}

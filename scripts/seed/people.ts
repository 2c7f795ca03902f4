import { stableId } from '~/features/exchange/imports/stable-id'
import { arabic, type Region, regions, spanish } from './names'
import { type Random, seededRandom } from './random'

export type SeedClinic = {
  id: string
  name: string
  staff: readonly { id: string; name: string }[]
}
export type SeedPerson = {
  id: string
  random: Random
  clinic: SeedClinic
  region: Region
  sex: 'male' | 'female'
  given_name: string
  surname: string
  born: Date
  registered: Date
  number: number
}

export const DAY = 86_400_000
export const YEAR = 365.25 * DAY
/** How many years back the clinics' records go. */
const RECORDED_YEARS = 5

/**
 * The person of that number: the same for the same seed, independent of the others, so that a
 * seed can continue after an interruption.
 */
export function buildPerson(
  seed: string,
  number: number,
  clinics: readonly SeedClinic[],
  today: Date,
): SeedPerson {
  const random = seededRandom(seed, number)
  const region = random.pick(regions)
  const sex = random.chance(0.52) ? 'female' : 'male'
  const born = new Date(today.getTime() - ageIn(random) * YEAR)
  const registered = new Date(
    today.getTime() -
      random.between(0, Math.min(RECORDED_YEARS * YEAR, today.getTime() - born.getTime())),
  )
  const family = () => random.pick(region.family)
  return {
    id: stableId('seed', seed, 'patient', String(number)),
    random,
    clinic: random.pick(clinics),
    region,
    sex,
    given_name: random.pick(region[sex]),
    surname: region.families === 2 ? `${family()} ${family()}` : family(),
    born,
    registered,
    number,
  }
}

/** Years. Babies, children and old people are more frequent than in the population, as in waiting rooms. */
function ageIn(random: Random): number {
  const kind = random.between(0, 1)
  if (kind < 0.08) return random.between(0, 2)
  if (kind < 0.3) return random.between(2, 15)
  if (kind < 0.78) return random.between(15, 60)
  return random.between(60, 97)
}

export function randomPhoneNumber({ random, region }: SeedPerson): string | null {
  if (random.chance(0.12)) return null
  if (region === spanish) return `${random.pick(['961', '55', '664', '951'])}${random.digits(7)}`
  return random.pick([
    `+9627${random.pick(['7', '8', '9'])}${random.digits(7)}`,
    `09${random.digits(8)}`,
    `07${random.digits(8)}`,
  ])
}

export function randomGovernmentId({ random, region, born }: SeedPerson): string | null {
  if (random.chance(0.3)) return null
  if (region === spanish)
    return [
      random.pick(['GARM', 'HELJ', 'MASC', 'LOPR']),
      born.toISOString().slice(2, 10).replaceAll('-', ''),
      random.digits(8),
    ].join('')
  return region === arabic ? random.digits(11) : random.digits(10)
}

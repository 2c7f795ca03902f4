import { arabic, latinArabic, spanish } from '../seed/names'
import { type Random, seededRandom } from '../seed/random'
import names from './names.json'

/** What a registration form says of a person; "" if a field is empty. A birth is a day, a year, or "~" and a year. */
export type RegistrationEntry = {
  given_name: string
  surname: string
  date_of_birth: string
  sex: string
  phone: string
  government_id: string
  hometown: string
}
type Pair = { registered: RegistrationEntry; typedAgain: RegistrationEntry }
type DuplicateSet = { pairs: Pair[]; strangers: RegistrationEntry[] }

/**
 * People, a second registration of each with typing errors, and strangers who are not registered.
 *
 * The kinds of error follow Damerau (1964): four of five misspelled words have one letter inserted,
 * left out, replaced or two adjacent letters exchanged; and Christen and Pudjijono (2009),
 * "Accurate synthetic generation of realistic personal information": exchanged given name and
 * surname, missing values, another spelling of the same sound, another address. Each second
 * registration has at least one error, half of them two or three.
 */
export function duplicateSet(seed: number, size: number, strangers: number): DuplicateSet {
  const people = Array.from({ length: size }, (_, number) =>
    makeEntry(seededRandom('duplicates', seed, number)),
  )
  return {
    pairs: people.map((person, number) =>
      typedTwice(person, seededRandom('duplicates', seed, number, 'again')),
    ),
    strangers: Array.from({ length: strangers }, (_, number) =>
      makeEntry(seededRandom('duplicates', seed, 'stranger', number)),
    ),
  }
}

/** Each beginning with each end. */
const combined = ({ begin, end }: { begin: string[]; end: string[] }, join: string) =>
  begin.flatMap((first) => end.map((last) => first + join + last))
const english = {
  ...names.english,
  family: [...names.english.family, ...combined(names.english.furtherFamily, '')],
  towns: combined(names.english.towns, ' '),
}

/** Beside the invented people of `npm run seed`, or every third person would have a namesake. */
const { more } = names
const wider = <R extends typeof arabic>(
  region: R,
  { male, female, family }: (typeof more)['arabic'],
) => ({
  ...region,
  male: [...region.male, ...male],
  female: [...region.female, ...female],
  family: [...region.family, ...family],
})
const regions = [
  { ...english, families: 1 },
  { ...english, families: 1 },
  wider(arabic, more.arabic),
  wider(latinArabic, more.latinArabic),
  wider(spanish, more.spanish),
]

/** The first of a list is met far more often than the last, as names are. */
const popular = (random: Random, list: readonly string[]) =>
  list[Math.floor(random.between(0, 1) ** 1.6 * list.length)]!

function makeEntry(random: Random): RegistrationEntry {
  const region = random.pick(regions)
  const sex = random.chance(0.5) ? 'female' : 'male'
  const family = () => popular(random, region.family)
  // Synthea's exports number their names: "Curt84 Schmidt332"
  const number =
    region.family === english.family && random.chance(0.15) ? () => random.digits(2) : () => ''
  const [year, month, day] = [random.whole(1926, 2024), random.whole(1, 12), random.whole(1, 28)]
  const kind = random.between(0, 1)
  const known =
    kind < 0.9
      ? formatDay(year, month, day)
      : kind < 0.94
        ? String(year)
        : kind < 0.97
          ? `~${year}`
          : ''
  return {
    given_name: popular(random, region[sex]) + number(),
    surname: (region.families === 2 ? `${family()} ${family()}` : family()) + number(),
    date_of_birth: known,
    sex: random.chance(0.1) ? '' : sex,
    phone: random.chance(0.3) ? '' : `09${random.digits(8)}`,
    government_id: random.chance(0.5) ? random.digits(7) : random.digits(10),
    hometown: random.chance(0.05) ? '' : popular(random, region.towns),
  }
}

const formatDay = (year: number, month: number, day: number) =>
  [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')

function typedTwice(person: RegistrationEntry, random: Random): Pair {
  const registered = { ...person }
  const typedAgain = { ...person }
  const errors = random.chance(0.5) ? 1 : random.chance(0.6) ? 2 : 3
  for (let i = 0; i < errors; i += 1) {
    const kind = random.between(0, 1)
    if (kind < 0.2) typedAgain.given_name = misspelled(typedAgain.given_name, random)
    else if (kind < 0.42) typedAgain.surname = misspelled(typedAgain.surname, random)
    else if (kind < 0.47)
      [typedAgain.given_name, typedAgain.surname] = [typedAgain.surname, typedAgain.given_name]
    else if (kind < 0.65) typedAgain.date_of_birth = wrongBirth(typedAgain.date_of_birth, random)
    else if (kind < 0.7) typedAgain.date_of_birth = ''
    else if (kind < 0.72) registered.date_of_birth = ''
    else if (kind < 0.75)
      typedAgain.date_of_birth = typedAgain.date_of_birth.slice(0, 4).replace('~', '')
    else if (kind < 0.77) [typedAgain.given_name, typedAgain.surname] = inOtherScript(typedAgain)
    else if (kind < 0.85) typedAgain.hometown = misspelled(typedAgain.hometown, random)
    else if (kind < 0.95) typedAgain.hometown = popular(random, random.pick(regions).towns)
    else typedAgain.sex = ''
  }
  if (random.chance(0.35)) typedAgain.government_id = misspelled(typedAgain.government_id, random)
  if (random.chance(0.05)) typedAgain.government_id = misspelled(typedAgain.government_id, random)
  if (random.chance(0.3)) typedAgain.phone = `09${random.digits(8)}`
  return { registered, typedAgain }
}

const SOUNDS: readonly [string, string][] = [
  ['ph', 'f'],
  ['y', 'i'],
  ['ck', 'k'],
  ['c', 'k'],
  ['ee', 'ea'],
  ['ou', 'u'],
  ['z', 's'],
  ['mm', 'm'],
  ['ll', 'l'],
  ['أ', 'ا'],
  ['إ', 'ا'],
  ['ة', 'ه'],
  ['ى', 'ي'],
  ['ئ', 'ي'],
  ['ال', ''],
  ['é', 'e'],
  ['í', 'i'],
  ['ñ', 'n'],
]

/** One error in one word of the text; one time in twelve a second. */
function misspelled(text: string, random: Random): string {
  if (text.length < 2) return text
  const letters = [...text]
  const at = random.whole(0, letters.length - 2)
  const letter = () =>
    /\d/.test(text[at]!)
      ? random.digits(1)
      : random.pick(
          /[\u0600-\u06ff]/.test(text) ? [...'ابتجحدرسعفكلمنهوي'] : [...'abcdefghijklmnoprstuvwyz'],
        )
  const kind = random.between(0, 1)
  if (kind < 0.25) letters.splice(at, 2, letters[at + 1]!, letters[at]!)
  else if (kind < 0.5) letters.splice(random.whole(at, at + 1), 1)
  else if (kind < 0.7) letters.splice(at + 1, 1, letter())
  else if (kind < 0.85) letters.splice(at + 1, 0, letter())
  else {
    const heard = SOUNDS.filter(([from]) => text.includes(from))
    const [from, to] =
      heard.length > 0 ? random.pick(heard) : [letters[at]!, letters[at]! + letters[at]!]
    return text.replace(from, to)
  }
  const once = letters.join('')
  return random.chance(1 / 12) ? misspelled(once, random) : once
}

function wrongBirth(birth: string, random: Random): string {
  if (birth.length !== 10) return birth
  const [year, month, day] = birth.split('-').map(Number) as [number, number, number]
  const kind = random.between(0, 1)
  if (kind < 0.25 && day <= 12) return formatDay(year, day, month)
  if (kind < 0.55) return formatDay(year, month, random.whole(1, 28))
  if (kind < 0.75) return formatDay(year, random.whole(1, 12), day)
  if (kind < 0.85) return formatDay(year + random.pick([-10, -1, 1, 10]), month, day)
  return formatDay(year, random.whole(1, 12), random.whole(1, 28))
}

const scripts = (['male', 'female', 'family'] as const).flatMap((kind) =>
  arabic[kind].slice(0, 28).map((name, at) => [name, latinArabic[kind][at]!] as const),
)
const otherScript = new Map(
  scripts.flatMap(([a, b]) => [
    [a, b],
    [b, a],
  ]),
)

function inOtherScript({ given_name, surname }: RegistrationEntry): [string, string] {
  const both = [otherScript.get(given_name), otherScript.get(surname)]
  return both[0] && both[1] ? [both[0], both[1]] : [given_name, surname]
}

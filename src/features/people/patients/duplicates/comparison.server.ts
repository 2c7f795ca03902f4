import { type Kysely, type RawBuilder, sql } from 'kysely'
import { forEachName } from '~/shared/object'
import type { DB } from '~/db/types'
import { birthFrom } from '~/fields/birth'
import { clinicToday } from '~/shared/zone'
import type { Sought } from './duplicates'
import {
  birthSlips,
  FOLDED_COLUMNS,
  FOLDED_NAMES,
  type FoldedName,
  computeLikeness,
  type Population,
  type ComparedProfile,
} from './likeness'
import type { NameWord } from './names'
import { readBirthPrecision } from '../patient'

/** The most candidates that each search contributes. */
const CANDIDATES = 60
/** Names are counted up to this number: more patients with the name do not lower its weight. */
const COUNTED = 1000

type TypedWord = NameWord & { people: number; heard: number }
export type SoughtPerson = ComparedProfile & {
  /**
   * Spellings and sounds of the given name and the surname, as `patient_search.words` holds them.
   */
  givenKeys: string[]
  surnameKeys: string[]
  people: number
}

/** Read by one statement. */
const READ_AT_ONCE = 100

/**
 * The typed values, folded by the database like the stored ones. Null if they are too few to
 * compare.
 */
export async function readSought(db: Kysely<DB>, input: Sought): Promise<SoughtPerson | null> {
  return (await readEachSought(db, [input]))[0]!
}

/** The same for several people: what a name stands for is looked up once. */
export async function readEachSought(
  db: Kysely<DB>,
  inputs: readonly Sought[],
): Promise<(SoughtPerson | null)[]> {
  const names = new Map<string, TypedName>()
  const sought: (SoughtPerson | null)[] = []
  for (let at = 0; at < inputs.length; at += READ_AT_ONCE)
    for (const person of await readSome(db, inputs.slice(at, at + READ_AT_ONCE), names))
      sought.push(person)
  return sought
}

type TypedName = { words: TypedWord[]; keys: string[] }
type FoldedPerson = Record<FoldedName, string | null> & { phones: string[] }

async function readSome(
  db: Kysely<DB>,
  inputs: readonly Sought[],
  known: Map<string, TypedName>,
): Promise<(SoughtPerson | null)[]> {
  const all = new Set(
    inputs.flatMap(({ given_name, surname }) => [given_name ?? '', surname ?? '']),
  )
  const asked = [...all].filter((name) => !known.has(name))
  const column = (name: 'phone' | (typeof FOLDED_COLUMNS)[FoldedName]) =>
    sql`${inputs.map((input) => input[name] ?? null)}::text[]`
  const folded = FOLDED_NAMES.map(
    (name) => sql`${sql.lit(name)}, id_text(${sql.id(FOLDED_COLUMNS[name])})`,
  )
  const { rows } = await sql<{ names: TypedName[]; folded: FoldedPerson[]; people: number }>`
    with names as materialized (
      select * from unnest(${asked}::text[]) with ordinality names (name, at)
    ), counted as materialized (
      select at, place, word ->> 'text' as text, array(select jsonb_array_elements_text(word -> 'sounds')) as sounds
      from names, jsonb_array_elements(name_words_of(name)) with ordinality words (word, place)
    ), spelled as (
      -- patient_search.words keep the article, and names are compared without numbers such as Synthea's
      select counted.*, array[written, 'al' || written, 'el' || written,
        regexp_replace(written, '(\\D\\D)\\d+$', '\\1')] as spellings
      from counted, lateral (select search_text(text) as written) folded
    ), words as (
      select at, jsonb_agg(jsonb_build_object('text', text, 'sounds', sounds,
        'people', (select count(*) from (select from patient_search where words && spellings limit ${COUNTED})),
        'heard', (select count(*) from (select from patient_search
          where words && array(select '~' || sound from unnest(sounds) sound) limit ${COUNTED})))
        order by place) as words
      from spelled group by at
    ), keys as (
      select at, jsonb_agg(distinct key) as keys from names, lateral (
        select '~' || sound as key
        from unnest(name_sounds(name)) forms, string_to_table(forms, '|') sound where length(sound) > 1
        union all
        select unnest(array_append(case when length(word) > 2 then words_like(word) else '{}' end, word))
        from string_to_table(search_text(name), ' ') word where word <> ''
      ) written group by at
    )
    select coalesce((
        select jsonb_agg(jsonb_build_object('words', coalesce(words, '[]'), 'keys', coalesce(keys, '[]')) order by at)
        from names left join words using (at) left join keys using (at)), '[]') as names,
      (select jsonb_agg(jsonb_build_object('phones', coalesce(phone_numbers(phone), '{}'), ${sql.join(folded)})
          order by at)
        from unnest(${column('phone')}, ${sql.join(FOLDED_NAMES.map((name) => column(FOLDED_COLUMNS[name])))})
          with ordinality people (phone, ${sql.join(FOLDED_NAMES.map((name) => sql.id(FOLDED_COLUMNS[name])))}, at)
      ) as folded,
      -- as the planner estimates it, without counting
      (select case when reltuples > 0 and relpages > 0 then reltuples / relpages * pg_relation_size(oid) / 8192
        else (select count(*) from patient_search) end
        from pg_class where oid = 'patient_search'::regclass)::int as people`.execute(db)
  const { names, folded: people, people: count } = rows[0]!
  for (const [at, name] of asked.entries()) known.set(name, names[at]!)
  return inputs.map((input, at) =>
    soughtPerson(input, people[at]!, {
      given: known.get(input.given_name ?? '')!,
      surname: known.get(input.surname ?? '')!,
      people: count,
    }),
  )
}

function soughtPerson(
  input: Sought,
  folded: FoldedPerson,
  { given, surname, people }: { given: TypedName; surname: TypedName; people: number },
): SoughtPerson | null {
  const birth = birthFrom(input.date_of_birth ?? '', clinicToday())
  const sought: SoughtPerson = {
    ...folded,
    given: given.words,
    surname: surname.words,
    givenKeys: given.keys,
    surnameKeys: surname.keys,
    people,
    birth: birth && birth.day >= '1800' ? birth.day : null,
    sex: input.sex || null,
    isApproximate: input.approximate === true || (birth !== null && birth.precision !== 'day'),
  }
  const names = sought.given.length + sought.surname.length
  const isEnough =
    names > 1 || sought.phones.length > 0 || sought.government !== null || sought.external !== null
  return isEnough || (names > 0 && sought.birth !== null) ? sought : null
}

/** The candidates, each with the likeness to the sought patient. */
export async function comparedWith(
  db: Kysely<DB>,
  sought: SoughtPerson,
  exceptId: string | undefined,
) {
  const rows = await findCandidates(db, sought, exceptId)
  const words = await wordsOf(
    db,
    rows.flatMap(({ given_name, surname }) => [given_name, surname]),
  )
  const text = await loadFolding(
    db,
    rows.flatMap((row) => FOLDED_NAMES.map((name) => row[name])),
  )
  const people = rows.map((row) => ({
    id: row.id,
    profile: {
      ...row,
      ...foldedTexts((name) => text(row[name])),
      given: words(row.given_name) ?? [],
      surname: words(row.surname) ?? [],
      isApproximate: readBirthPrecision(row.metadata) !== 'day',
    } satisfies ComparedProfile,
  }))
  const population = buildPopulation(
    sought,
    people.map(({ profile }) => profile),
  )
  return people.map(({ id, profile }) => ({ id, ...computeLikeness(sought, profile, population) }))
}

const foldedTexts = (of: (name: FoldedName) => string | null) => forEachName(FOLDED_NAMES, of)

function buildPopulation(sought: SoughtPerson, compared: readonly ComparedProfile[]): Population {
  const counts = new Map(
    [...sought.given, ...sought.surname].map((word) => [word.text, word as TypedWord]),
  )
  return {
    people: sought.people,
    bearers: (word, isByEar) => {
      const counted = counts.get(word.text)
      return counted ? Math.max(counted.people, isByEar ? counted.heard : 0) : 0
    },
    compared,
  }
}

type Candidate = Record<FoldedName, string | null> & {
  id: string
  given_name: string | null
  surname: string | null
  birth: string | null
  sex: string | null
  metadata: unknown
  phones: string[]
}

/**
 * The candidates: patients with the same phone or id; with a given name and a surname that are
 * spelled or sound alike; with nearly the same government id; or with a date of birth one typing
 * error away, those with the most similar names first. Each search has an index and a limit.
 */
async function findCandidates(db: Kysely<DB>, sought: SoughtPerson, exceptId: string | undefined) {
  const { givenKeys, surnameKeys, birth } = sought
  const keys = [
    ...sought.phones.map((phone) => `p:${phone.slice(-7)}`),
    ...[sought.government, sought.external].filter((id) => id !== null).map((id) => `i:${id}`),
  ]
  const written = [...givenKeys, ...surnameKeys].filter((key) => !key.startsWith('~')).join(' ')
  const [some, others] =
    givenKeys.length > 0 && surnameKeys.length > 0 ? [givenKeys, surnameKeys] : [[], []]
  const near = (day: string) =>
    sought.isApproximate
      ? [day, `${day.slice(0, 4)}-01-01`, `${day.slice(0, 4)}-07-01`]
      : birthSlips(day)
  const days = birth ? near(birth) : []
  const folded = FOLDED_NAMES.map(
    (name) => sql`${sql.id('p', FOLDED_COLUMNS[name])} as ${sql.id(name)}`,
  )
  const { rows } = await sql<Candidate>`
    with found as (
      (select patient_id as id from patient_search where keys && ${keys}::text[] limit ${CANDIDATES})
      union (select id from (
          select p.id, p.date_of_birth from patient_search s join patients p on p.id = s.patient_id
          where s.words && ${some}::text[] and s.words && ${others}::text[] limit ${COUNTED}) named
        order by abs(date_of_birth - ${birth}::date) nulls last, id limit ${CANDIDATES})
      union (select patient_id from patient_search where ids like any(${idHalves(sought)}::text[])
        order by similarity(names, ${written}) desc, patient_id limit ${CANDIDATES})
      union (select p.id from patients p join patient_search s on s.patient_id = p.id
        where not p.is_deleted and p.date_of_birth = any(${days}::date[])
        order by (s.words && ${givenKeys}::text[])::int + (s.words && ${surnameKeys}::text[])::int
          + 2 * similarity(s.names, ${written}) desc, p.id limit ${CANDIDATES})
    )
    select p.id, p.given_name, p.surname, p.date_of_birth as birth, p.sex, p.metadata, s.phones,
      ${sql.join(folded)}
    from found join patients p on p.id = found.id join patient_search s on s.patient_id = p.id
    where not p.is_deleted and p.id is distinct from ${exceptId ?? null}::uuid`.execute(db)
  return rows
}

/** If one digit of an id is wrong, its first or its second half is right. */
const idHalves = ({ government }: ComparedProfile) => {
  const half = Math.max(4, Math.floor((government?.length ?? 0) / 2))
  return government && government.length > 5
    ? [`%${government.slice(0, half)}%`, `%${government.slice(-half)}%`]
    : []
}

/** Caches folded texts: folding is slow and deterministic, and names and towns repeat. */
function foldedBy<T extends string | object | null>(
  fold: (texts: readonly string[]) => RawBuilder<{ text: string; folded: T }>,
) {
  const kept = new Map<string, T>()
  return async (db: Kysely<DB>, texts: readonly (string | null)[]) => {
    const wanted = new Set(texts.filter((text) => text !== null))
    const found = new Map(
      [...wanted].flatMap((text) => (kept.has(text) ? [[text, kept.get(text) as T] as const] : [])),
    )
    const missing = [...wanted].filter((text) => !found.has(text))
    if (missing.length > 0) {
      const { rows } = await fold(missing).execute(db)
      if (kept.size > KEPT) kept.clear()
      for (const { text, folded } of rows) {
        kept.set(text, folded)
        found.set(text, folded)
      }
    }
    return (text: string | null): T | null => (text === null ? null : (found.get(text) ?? null))
  }
}
const KEPT = 50_000

const wordsOf = foldedBy<NameWord[]>(
  (names) => sql`select text, name_words_of(text) as folded from unnest(${names}::text[]) text`,
)
const loadFoldingOfOthers = foldedBy<string | null>(
  (texts) => sql`select text, id_text(text) as folded from unnest(${texts}::text[]) text`,
)
/** Most IDs are digits and capitals already and each is unique, so they are not cached. */
const isPlain = (text: string) => /^[0-9A-Za-z-]+$/.test(text)
async function loadFolding(db: Kysely<DB>, texts: readonly (string | null)[]) {
  const folded = await loadFoldingOfOthers(
    db,
    texts.filter((text) => text === null || !isPlain(text)),
  )
  return (text: string | null) =>
    text && isPlain(text) ? text.toLowerCase().replaceAll('-', '') || null : folded(text)
}

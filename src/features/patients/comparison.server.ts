import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { birthFrom } from '~/fields/birth'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import type { Sought } from './duplicates'
import { birthSlips, likenessOf, type Population, type Profile } from './likeness'
import type { NameWord } from './names'
import { birthPrecisionOf } from './patient'

/** Candidates of each way of finding them. */
const CANDIDATES = 60
/** A name that so many people bear says no less for more of them. */
const COUNTED = 1000

type TypedWord = NameWord & { people: number; heard: number }
type SoughtPerson = Profile & {
  /** What the words of the given name and of the surname may be written as in `patient_search.words`. */
  givenKeys: string[]
  surnameKeys: string[]
  people: number
}

/** What has been typed, folded by the database as it folds what is stored. Null when it is too little to compare. */
export async function readSought(db: Kysely<DB>, input: Sought): Promise<SoughtPerson | null> {
  const birth = birthFrom(input.date_of_birth ?? '', dayIn(new Date(), clinicTimeZone()))
  const { rows } = await sql<{
    given: TypedWord[]
    surname: TypedWord[]
    givenKeys: string[]
    surnameKeys: string[]
    phones: string[]
    government: string | null
    external: string | null
    hometown: string | null
    people: number
  }>`
    with sides (side, name) as (values ('given', ${input.given_name ?? ''}::text), ('surname', ${input.surname ?? ''})),
    counted as materialized (
      select side, place, word ->> 'text' as text, array(select jsonb_array_elements_text(word -> 'sounds')) as sounds
      from sides, jsonb_array_elements(name_words_of(name)) with ordinality words (word, place)
    ), spelled as (
      -- patient_search.words keep the article, and names are compared without numbers such as Synthea's
      select counted.*, array[written, 'al' || written, 'el' || written, regexp_replace(written, '(\\D\\D)\\d+$', '\\1')] as spellings
      from counted, lateral (select search_text(text) as written) folded
    ), words as (
      select side, jsonb_agg(jsonb_build_object('text', text, 'sounds', sounds,
        'people', (select count(*) from (select from patient_search where words && spellings limit ${COUNTED})),
        'heard', (select count(*) from (select from patient_search
          where words && array(select '~' || sound from unnest(sounds) sound) limit ${COUNTED}))) order by place) as words
      from spelled group by side
    ), keys as (
      select side, array_agg(distinct key) as keys from sides, lateral (
        select '~' || sound as key from unnest(name_sounds(name)) forms, string_to_table(forms, '|') sound where length(sound) > 1
        union all
        select unnest(array_append(case when length(word) > 2 then words_like(word) else '{}' end, word))
        from string_to_table(search_text(name), ' ') word where word <> ''
      ) written group by side
    )
    select coalesce((select words from words where side = 'given'), '[]') as given,
      coalesce((select words from words where side = 'surname'), '[]') as surname,
      coalesce((select keys from keys where side = 'given'), '{}') as "givenKeys",
      coalesce((select keys from keys where side = 'surname'), '{}') as "surnameKeys",
      coalesce(phone_numbers(${input.phone ?? null}::text), '{}') as phones, id_text(${input.government_id ?? null}::text) as government,
      id_text(${input.external_patient_id ?? null}::text) as external, id_text(${input.hometown ?? null}::text) as hometown,
      -- as the planner estimates it, without counting
      (select case when reltuples > 0 and relpages > 0 then reltuples / relpages * pg_relation_size(oid) / 8192
        else (select count(*) from patient_search) end from pg_class where oid = 'patient_search'::regclass)::int as people`.execute(
    db,
  )
  const sought: SoughtPerson = {
    ...rows[0]!,
    birth: birth && birth.day >= '1800' ? birth.day : null,
    sex: input.sex || null,
    isApproximate: input.approximate === true || (birth !== null && birth.precision !== 'day'),
  }
  const names = sought.given.length + sought.surname.length
  const isEnough =
    names > 1 || sought.phones.length > 0 || sought.government !== null || sought.external !== null
  return isEnough || (names > 0 && sought.birth !== null) ? sought : null
}

/** Everybody who is worth comparing, with how likely each is the person sought. */
export async function comparedWith(
  db: Kysely<DB>,
  sought: SoughtPerson,
  exceptId: string | undefined,
) {
  const rows = await candidatesOf(db, sought, exceptId)
  const words = await wordsOf(
    db,
    rows.flatMap(({ given_name, surname }) => [given_name, surname]),
  )
  const text = await textOf(
    db,
    rows.flatMap(({ government, external, hometown }) => [government, external, hometown]),
  )
  const people = rows.map((row) => ({
    id: row.id,
    profile: {
      ...row,
      given: words(row.given_name) ?? [],
      surname: words(row.surname) ?? [],
      government: text(row.government),
      external: text(row.external),
      hometown: text(row.hometown),
      isApproximate: birthPrecisionOf(row.metadata) !== 'day',
    } satisfies Profile,
  }))
  const population = populationOf(
    sought,
    people.map(({ profile }) => profile),
  )
  return people.map(({ id, profile }) => ({ id, ...likenessOf(sought, profile, population) }))
}

function populationOf(sought: SoughtPerson, others: readonly Profile[]): Population {
  const counts = new Map(
    [...sought.given, ...sought.surname].map((word) => [word.text, word as TypedWord]),
  )
  return {
    people: sought.people,
    bearers: (word, isByEar) => {
      const counted = counts.get(word.text)
      return counted ? Math.max(counted.people, isByEar ? counted.heard : 0) : 0
    },
    hometowns: others.map(({ hometown }) => hometown),
  }
}

type Candidate = {
  id: string
  given_name: string | null
  surname: string | null
  birth: string | null
  sex: string | null
  metadata: unknown
  phones: string[]
  government: string | null
  external: string | null
  hometown: string | null
}

/**
 * Who is worth comparing: the same phone or id; a given name and a surname written or heard alike; or a birth that may have
 * been meant, and of those the names most alike. Each way has an index and a limit.
 */
async function candidatesOf(db: Kysely<DB>, sought: SoughtPerson, exceptId: string | undefined) {
  const { givenKeys, surnameKeys, birth } = sought
  const keys = [
    ...sought.phones.map((phone) => `p:${phone.slice(-7)}`),
    ...[sought.government, sought.external].filter((id) => id !== null).map((id) => `i:${id}`),
  ]
  const written = [...givenKeys, ...surnameKeys].filter((key) => !key.startsWith('~')).join(' ')
  const [some, others] =
    givenKeys.length > 0 && surnameKeys.length > 0 ? [givenKeys, surnameKeys] : [[], []]
  const days = birth
    ? sought.isApproximate
      ? [birth, `${birth.slice(0, 4)}-01-01`, `${birth.slice(0, 4)}-07-01`]
      : birthSlips(birth)
    : []
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
      p.government_id as government, p.external_patient_id as external, p.hometown
    from found join patients p on p.id = found.id join patient_search s on s.patient_id = p.id
    where not p.is_deleted and p.id is distinct from ${exceptId ?? null}::uuid`.execute(db)
  return rows
}

/** With one wrong digit in an id, its beginning or its end is right. */
const idHalves = ({ government }: Profile) => {
  const half = Math.max(4, Math.floor((government?.length ?? 0) / 2))
  return government && government.length > 5
    ? [`%${government.slice(0, half)}%`, `%${government.slice(-half)}%`]
    : []
}

/** Texts that were folded last, kept: folding takes long, always gives the same, and names and towns repeat. */
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
const textOfOthers = foldedBy<string | null>(
  (texts) => sql`select text, id_text(text) as folded from unnest(${texts}::text[]) text`,
)
/** Most IDs are digits and capitals already and each is unique, so they are not cached. */
const isPlain = (text: string) => /^[0-9A-Za-z-]+$/.test(text)
async function textOf(db: Kysely<DB>, texts: readonly (string | null)[]) {
  const folded = await textOfOthers(
    db,
    texts.filter((text) => text === null || !isPlain(text)),
  )
  return (text: string | null) =>
    text && isPlain(text) ? text.toLowerCase().replaceAll('-', '') || null : folded(text)
}

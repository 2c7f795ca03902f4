import { type Kysely, type RawBuilder, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { patientOfCard } from '../card/card'
import { birthsIn } from './births'
import { containing } from '~/server/scope'

/**
 * Matches of a search: `patient_id`, `clinics`, `rank` (higher is better) and `names` (order within
 * a rank).
 */
export type Matching = RawBuilder<{
  patient_id: string
  clinics: string[]
  rank: number
  names: string
}>

type Read = {
  typed: string
  words: string[]
  sounds: string[]
  id: string | null
  digits: string
  /** The births that the text may mean, and the name beside them. */
  born: { births: string[]; words: string[]; sounds: string[] } | null
}

/**
 * Matches any part of any name in any order, the sound of names (across scripts and spellings),
 * phones, ids, births, villages, and the answers to searchable fields.
 */
export const patientMatchSql = (read: Read): Matching =>
  peopleWho(
    [asWritten(read), asItSounds(read), asNumber(read), asCard(read), asBorn(read)].filter(
      (way) => way !== null,
    ),
  )

/**
 * Matches of similar spellings, used if the search has no matches. Each word stands for the most
 * similar names. Null if there are none; numbers are never guessed.
 */
export async function guessPatientMatchSql(
  db: Kysely<DB>,
  { words }: Read,
): Promise<Matching | null> {
  if (words.some((word) => /\d/.test(word))) return null
  const { rows } = await sql<{ word: string; meant: string[]; sounds: string[] }>`
    select word, meant, name_sounds(array_to_string(meant, ' ')) as sounds
    from unnest(${words}::text[]) word, lateral (select words_like(word) as meant) w`.execute(db)
  const names = rows.map(({ word, meant, sounds }) => ({
    word,
    meant,
    forms: sounds.flatMap(soundForms).filter((form) => form.length > 2),
  }))
  if (names.some(({ word, meant }) => meant.length === 0 && word.length > 2)) return null
  const sought = names.filter(({ meant }) => meant.length > 0)
  return sought.length > 0 ? peopleWho([asMeant(sought)]) : null
}

const peopleWho = (ways: Way[]): Matching =>
  sql`(select patient_id, names, clinics, greatest(${sql.join(ways.map(({ rank }) => rank))}) as rank
    from patient_search where ${either(ways.map(({ where }) => where))})`

/**
 * The words, sounds and numbers of a search; null if there are none. The database folds search texts and stored texts
 * alike. At most eight words count.
 */
export async function readPatientSearch(db: Kysely<DB>, typed: string): Promise<Read | null> {
  const found = birthsIn(typed)
  const name = found?.name ?? ''
  const { rows } = await sql<{
    words: string
    sounds: string[]
    id: string | null
    digits: string
    name: string
    nameSounds: string[]
  }>`${asPrepared()}
    select search_text(${typed}::text) as words, name_sounds(${typed}::text) as sounds,
      id_text(${typed}::text) as id, id_digits(${typed}::text) as digits,
      search_text(${name}::text) as name, name_sounds(${name}::text) as "nameSounds"`.execute(db)
  const { sounds, id, digits, nameSounds, ...folded } = rows[0]!
  const words = searchWords(folded.words)
  if (words.length === 0) return null
  const ofName = { words: searchWords(folded.name), sounds: nameSounds.slice(0, MOST_WORDS) }
  const born = found && { births: found.births, ...ofName }
  return { typed, words, sounds: sounds.slice(0, MOST_WORDS), id, digits, born }
}

const MOST_WORDS = 8
const searchWords = (folded: string) => folded.split(' ').filter(Boolean).slice(0, MOST_WORDS)

/** The record that a scanned card opens: after a merge, the one that stayed. */
function asCard({ typed }: Read): Way | null {
  const id = patientOfCard(typed)
  if (!id) return null
  return {
    where: sql`patient_id = coalesce((select winner_id from patient_merges
      where loser_id = ${id}::uuid and unmerged_at is null limit 1), ${id}::uuid)`,
    rank: sql`1000`,
  }
}

/** Born on a day or in a month that the text means; with a name beside it, only patients of that name. */
function asBorn({ born }: Read): Way | null {
  if (!born) return null
  const isBorn = sql<boolean>`keys && ${born.births.map((birth) => `b:${birth}`)}::text[]`
  if (born.words.length === 0)
    return { where: isBorn, rank: sql`case when ${isBorn} then 15 else 0 end` }
  const named = [asWritten(born), asItSounds(born)].filter((way) => way !== null)
  const where = all([isBorn, either(named.map((way) => way.where))])
  return {
    where,
    rank: sql`case when ${where} then 15 + greatest(${sql.join(named.map(({ rank }) => rank))})
    else 0 end`,
  }
}

type Way = { where: RawBuilder<boolean>; rank: RawBuilder<number> }
const all = (conditions: RawBuilder<boolean>[]) =>
  sql<boolean>`(${sql.join(conditions, sql` and `)})`
const either = (conditions: RawBuilder<boolean>[]) =>
  sql<boolean>`(${sql.join(conditions, sql` or `)})`

/**
 * Every word occurs in the names or the searchable answers. A word of up to two letters must start
 * a word. Of equal matches, a name that begins with a typed word comes first: the mother before "Baby of" her.
 */
function asWritten({ words }: Pick<Read, 'words'>): Way {
  const anywhere = (word: string) => (word.length > 2 ? containing(word) : `% ${word}%`)
  return {
    where: all(
      words.map(
        (word) => sql<boolean>`(names like ${anywhere(word)} or more like ${anywhere(word)})`,
      ),
    ),
    rank: sql<number>`(${average(
      words.map(
        (
          word,
        ) => sql<number>`case when names like ${`% ${word} %`} then 8 when names like ${`% ${word}%`} then 6
      when names like ${anywhere(word)} then 3 when more like ${anywhere(word)} then 2 else 0 end`,
      ),
    )} + case when ${either(words.map((word) => sql<boolean>`names like ${` ${word}%`}`))} then 0.5 else 0 end)`,
  }
}

/** Each word sounds like a name of the patient; numbers match an id or a phone. */
function asItSounds({ words, sounds }: Pick<Read, 'words' | 'sounds'>): Way | null {
  const numbers = words.filter((word) => /^\d+$/.test(word))
  const names = sounds.filter((sound) => sound.length > 1)
  if (names.length === 0) return null
  // two consonants are too few for the start of a name, but enough for a whole name (Ali, علي)
  const likePattern = (form: string) => (form.length > 2 ? `% ${form}%` : `% ${form} %`)
  const matchesAnyForm = (forms: string[]) =>
    either(forms.map((form) => sql<boolean>`skeletons like ${form}`))
  return {
    where: all([
      ...names.map((name) => matchesAnyForm(soundForms(name).map(likePattern))),
      ...numbers.map(
        (number) => sql<boolean>`ids like ${containing(number.replace(/^0+(?=.)/, ''))}`,
      ),
    ]),
    rank: average(
      names.map(
        (
          name,
        ) => sql<number>`case when ${matchesAnyForm(soundForms(name).map((form) => `% ${form} %`))} then 5
      when ${matchesAnyForm(soundForms(name).map(likePattern))} then 2 else 0 end`,
      ),
    ),
  }
}

/**
 * The whole text is part of an id or phone, or a phone with another prefix (+963 944… equals
 * 0944…).
 */
function asNumber({ id, digits }: Read): Way | null {
  if (!id || !/\d/.test(id)) return null
  const sought = id === digits || /^0+/.test(id) ? digits || id : id
  const part = sql<boolean>`ids like ${containing(sought)}`
  const keys = [`i:${id}`, ...(isPhone(id, digits) ? [`p:${digits.slice(-7)}`] : [])]
  const phone = sql<boolean>`exists (select from unnest(phones) phone
    where phone like '%' || ${digits}::text or ${digits}::text like '%' || phone)`
  const exact = isPhone(id, digits)
    ? sql<boolean>`(keys && ${keys}::text[] and (keys @> ${[`i:${id}`]}::text[] or ${phone}))`
    : sql<boolean>`keys && ${keys}::text[]`
  const where = sought.length > 2 ? sql<boolean>`(${exact} or ${part})` : exact
  return { where, rank: sql<number>`case when ${exact} then 20 when ${part} then 7 else 0 end` }
}

/** A similarly spelled or similar sounding name for each word. */
function asMeant(names: { word: string; meant: string[]; forms: string[] }[]): Way {
  const likes = (column: 'names' | 'skeletons', words: string[]) =>
    words.map((word) => sql<boolean>`${sql.ref(column)} like ${`% ${word} %`}`)
  return {
    where: all(
      names.map(({ meant, forms }) =>
        either([...likes('names', meant), ...likes('skeletons', forms)]),
      ),
    ),
    rank: average(names.map(({ word }) => sql<number>`word_similarity(${word}, names)`)),
  }
}

const isPhone = (id: string, digits: string) => digits.length >= 7 && /^\d+$/.test(id)
const soundForms = (sound: string) => sound.split('|')
const average = (ranks: RawBuilder<number>[]) =>
  sql<number>`(${sql.join(ranks, sql` + `)})::real / ${sql.lit(ranks.length)}`

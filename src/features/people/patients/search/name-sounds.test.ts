import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { asOwner, test } from '../../../../../test/harness'

const [FUNCTION] = /create function name_sounds[^]*?\n\$\$;/.exec(
  readFileSync('src/db/schema/search.sql', 'utf8'),
)!
const RULES = [
  ...FUNCTION.matchAll(/lateral \(select \w+\((r\d+\.w), [^]*?\)\) (r\d+) \(w\), -- (.+) = (.+)/g),
].map(([rule, before, to, one, other]) => ({ rule, before, to, one, other }))

test('two names sound alike by each rule, and not without it', async ({ db: app }) => {
  const {
    rows: [is],
  } = await sql<{ name: string }>`select current_database() as name`.execute(app)
  const { name } = is!
  expect(RULES).toHaveLength([...FUNCTION.matchAll(/ lateral /g)].length)
  const alike = await asOwner(name, async (db) => {
    const sound = async (named: string, one = '', other = '') => {
      const { rows } = await sql<{ sounds: string[] }>`
        select ${sql.raw(named)}(word) as sounds
        from unnest(${[one, other]}::text[]) word`.execute(db)
      const [first, second] = rows.map(({ sounds }) => sounds.map((each) => each.split('|')))
      return (
        first!.length === second!.length &&
        first!.every((forms, at) => forms.some((each) => second![at]!.includes(each)))
      )
    }
    const found: [string, boolean, boolean][] = []
    for (const { rule, before, to, one, other } of RULES) {
      const without = `lateral (select ${before}) ${to} (w),`
      await sql
        .raw(
          FUNCTION.replace('function name_sounds', 'or replace function pg_temp.without').replace(
            rule,
            () => without,
          ),
        )
        .execute(db)
      found.push([
        `${one} = ${other}`,
        await sound('name_sounds', one, other),
        await sound('pg_temp.without', one, other),
      ])
    }
    return found
  })
  expect(alike).toEqual(RULES.map(({ one, other }) => [`${one} = ${other}`, true, false]))
})

import { CompiledQuery, type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { test } from '../../test/harness'
import { recording } from '../../test/statements'
import { runSearch } from './pages.server'
import type { Parameter } from './parameters'
import { RESOURCES, findFhirResource } from './resources/all'
import { parseFhirSearch } from './search'

/** Small tables, and codes of which every row has one of a few, so that reading all of them is the plan. */
const READ_WHOLE: Record<string, readonly string[] | 'all'> = {
  Practitioner: 'all',
  PractitionerRole: 'all',
  Organization: 'all',
  Location: 'all',
  Group: 'all',
  Questionnaire: 'all',
  Medication: 'all',
  // in the order of the trail, newest changes are few steps away
  AuditEvent: ['action'],
  Patient: ['gender', 'deceased'],
  // the later one of two tables; programs ask with a patient or by authoredon
  MedicationRequest: ['_lastUpdated'],
  // one of twelve columns, by the code; asked together with a patient
  Observation: ['value-quantity', 'component-code-value-quantity'],
  // by the kind of the substance; some 30,000 rows for 100,000 patients
  AllergyIntolerance: ['code'],
  // one of a dozen programs; open or ended
  EpisodeOfCare: ['type', 'status'],
}

const DATE = { kind: 'date' } as Parameter
const ID = '01900000-0000-7000-8000-000000000000'
const valueOf: Record<Parameter['kind'], string> = {
  string: 'layla',
  token: 'x',
  date: '2026-01-01',
  reference: ID,
  quantity: '70',
  uri: 'https://x',
  composite: 'http://loinc.org|8480-6$gt120',
}

async function explained(db: Kysely<DB>, statement: string, parameters: readonly unknown[]) {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(
    CompiledQuery.raw(`explain ${statement}`, [...parameters]),
  )
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('each search parameter of a large table has an index for its condition', async ({
  db,
  as,
}) => {
  const without = []
  await sql`set local enable_seqscan = off`.execute(db)
  for (const resource of RESOURCES) {
    const { type, search } = resource
    const exempt = READ_WHOLE[type] ?? []
    for (const [name, parameter] of Object.entries({ ...search, _lastUpdated: DATE })) {
      if (exempt === 'all' || exempt.includes(name)) continue
      const { ctx, compiled } = recording(as('super_admin'))
      const query: [string, string][] = [
        [name, valueOf[parameter.kind]],
        ['_summary', 'count'],
      ]
      await runSearch(ctx, parseFhirSearch(resource, query, ctx))
      const { sql: statement, parameters } = compiled.at(-1)!
      // any index of a nearly empty table is as cheap to read from end to end: so also with rows that cost much, and
      // with bitmaps alone
      const plans = []
      for (const [scans, cost] of [
        ['on', '0.01'],
        ['on', '1000'],
        ['off', '1000'],
      ]) {
        await sql`select set_config('enable_indexscan', ${scans}, true),
          set_config('enable_indexonlyscan', ${scans}, true),
          set_config('cpu_tuple_cost', ${cost}, true)`.execute(db)
        plans.push(await explained(db, statement, parameters))
      }
      if (!plans.some((plan) => /Index Cond|One-Time Filter: false/.test(plan)))
        without.push([`${type}?${name}`, plans.at(-1)])
    }
  }
  expect(without).toEqual([])
})

async function planOf(ctx: Context, type: string, query: [string, string][]) {
  const { ctx: inner, compiled } = recording(ctx)
  await runSearch(inner, parseFhirSearch(findFhirResource(type)!, query, inner))
  const { sql: statement, parameters } = compiled.at(-1)!
  return explained(ctx.db, statement, parameters)
}

test('a search for one day looks for both ends of the day in the index of the first day', async ({
  db,
  as,
}) => {
  await sql`set local enable_seqscan = off`.execute(db)
  const query: [string, string][] = [['date', '2026-01-01']]
  const plan = await planOf(as('super_admin'), 'Encounter', query)
  expect(plan).toMatch(/check_in_timestamp >= [^\n]*check_in_timestamp <= /)
})

test('a search by an Arabic name folds only the names that an index finds', async ({ db, as }) => {
  await sql`set local enable_seqscan = off`.execute(db)
  for (const query of ['name', 'family', 'given:contains', 'name:exact']) {
    const plan = await planOf(as('super_admin'), 'Patient', [[query, 'قاسم']])
    expect([query, plan]).toEqual([
      query,
      expect.stringMatching(/Index Cond: \(names ~~ '%[^\n]*qasm%'/),
    ])
    expect([query, plan]).toEqual([query, expect.stringContaining('Index Cond: (id = ANY')])
  }
})

test('a search by name folds the names within the statement, in any search path', async ({
  db,
  as,
}) => {
  const plan = await planOf(as('super_admin'), 'Patient', [['name', 'layla']])
  expect(plan).toContain('NORMALIZE')
  expect(plan).not.toMatch(/fold_text|fhir_text/)
  const texts = ['Émile  O’Brien-Łuk', 'أحمد ٣', 'ß', '', ' ', "Mc'Donald"]
  const { rows } = await sql<{ folded: string; alone: string }>`
    select fhir_text(t) as folded, ' ' || fold_text(t) as alone from unnest(${texts}::text[]) t`.execute(
    db,
  )
  expect(rows.map(({ folded }) => folded)).toEqual(rows.map(({ alone }) => alone))
  expect(rows[0]!.folded).toBe(' emile obrien luk')
  // as `analyze` and `reindex` run
  const schema = await sql<{ name: string }>`select current_schema() as name`.execute(db)
  const name = sql.id(schema.rows[0]!.name, 'fhir_text')
  await sql`set local search_path = pg_catalog`.execute(db)
  const elsewhere = await sql<{ t: string }>`select ${name}('É') as t`.execute(db)
  expect(elsewhere.rows).toEqual([{ t: ' e' }])
})

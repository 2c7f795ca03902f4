import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { latinDigits } from '~/fields/typed'
import { unknownNames } from '~/features/medicines/safety/rules/ingredients'
import { type Context, mutation, NoInput, query } from '~/server/operation'
import { countTotal } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { byName } from '~/server/scope'
import { isAdmin, mayAnywhere } from '~/shared/actor'
import { askIfTwice, type EarlierDayQuestion } from '~/shared/earlier-day'
import { notFound } from '~/shared/errors'
import { PERMISSIONS } from '~/shared/permissions'
import {
  DrugId,
  drugName,
  type DrugSelection,
  ListDrugs,
  SaveDrug,
  ScanDrug,
  SearchDrugs,
  SetDrugActive,
} from './drug'
import { drugRecord } from '~/records/drug'
import { normalizeBarcode, readGs1 } from '~/records/package-code'
import { FORMS_PER_VOLUME, TITLE_COLUMNS } from '~/records/strength'

/** Every user who works in a clinic sees the catalogue. */
const worksSomewhere = ({ actor }: Context) => mayAnywhere(actor, ...PERMISSIONS)
const keepsCatalogue = ({ actor }: Context) => isAdmin(actor)

const NAMES = sql<string>`drug_names(generic_name, brand_name, ingredients)`

/**
 * A `where` for typed or scanned text: every word in the names, allowing for misspelling, or the
 * barcode.
 */
export function drugsLike(search: string): Expression<SqlBool> {
  const words = search.split(/\s+/).filter(Boolean)
  const each = words.map(hasWord)
  const exact = each.length > 0 ? sql.join(each, sql` and `) : sql`true`
  const barcode = sql`ltrim(barcode, '0') = ltrim(${normalizeBarcode(search)}, '0')`
  return sql<boolean>`((${exact}) or search_text(${search}) <% ${NAMES} or ${barcode})`
}

/** "500" or "500mg" is a strength, too. */
function hasWord(word: string) {
  const amount = /^(\d+(?:\.\d+)?)(?:mg|g|mcg|micrograms?|microgramos?|ml|l)?$/i.exec(
    latinDigits(word),
  )?.[1]
  const inNames = sql<boolean>`${NAMES} like '%' || search_text(${word}) || '%'`
  return amount ? sql<boolean>`(${inNames} or dosage_quantity = ${amount}::numeric)` : inNames
}

/** Sorts matches: as typed, then by similarity. */
export const likest = (search: string) =>
  sql`${NAMES} like search_text(${search}) || '%' desc, word_similarity(search_text(${search}), ${NAMES}) desc`

type Drugs = ExpressionBuilder<DB, 'drug_catalogue'>
const only = {
  active: (eb: Drugs) => eb('is_active', '=', true),
  inactive: (eb: Drugs) => eb('is_active', '=', false),
  controlled: (eb: Drugs) => eb('is_controlled', '=', true),
  refrigerated: (eb: Drugs) => eb('requires_refrigeration', '=', true),
  // allergies and interactions of these cannot be checked
  unnamed: (eb: Drugs) => eb('ingredients', '=', sql<string[]>`'{}'`),
  // nor those of a medicine with an ingredient unknown to the checks; `selected` receives the unknown names
  unknown: (eb: Drugs) => eb('ingredients', '<>', sql<string[]>`'{}'`),
  // a strength without its volume is incomplete
  no_volume: (eb: Drugs) =>
    eb.and([eb('form', 'in', FORMS_PER_VOLUME), eb('per_unit', 'is', null)]),
}

const MOST_NAMES = 20_000

/** For `only: 'unknown'`, the ingredients that the safety checks do not know. */
export async function unknownIn(
  { db }: Context,
  selection: z.output<typeof DrugSelection>,
): Promise<string[]> {
  if (selection.only !== 'unknown') return []
  const { rows } = await sql<{ name: string }>`
    select distinct name from drug_catalogue, unnest(ingredients) as name
      where not is_deleted limit ${MOST_NAMES}`.execute(db)
  return rows.map(({ name }) => name).filter((name) => unknownNames([name]).length > 0)
}

export function selected(
  { db }: Context,
  selection: z.output<typeof DrugSelection>,
  unknown: readonly string[] = [],
) {
  return db
    .selectFrom('drug_catalogue')
    .where('is_deleted', '=', false)
    .$if(!!selection.search, (q) => q.where(drugsLike(selection.search!)))
    .$if(!!selection.form, (q) => q.where('form', '=', selection.form!))
    .$if(!!selection.route, (q) => q.where('route', '=', selection.route!))
    .$if(!!selection.only, (q) => q.where(only[selection.only!]))
    .$if(selection.only === 'unknown', (q) =>
      q.where(sql<boolean>`ingredients && ${unknown}::text[]`),
    )
}

export const getDrug = query('drugs.get', {
  reads: ['drug_catalogue'],
  input: DrugId,
  allow: worksSomewhere,
  async run({ db }, { id }) {
    const drug = await db
      .selectFrom('drug_catalogue')
      .select(drugRecord.selected)
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!drug) throw notFound('drugs.notFound')
    return drug
  },
})
export type Drug = Awaited<ReturnType<typeof getDrug>>

/** A part of the catalogue by `limit` and `offset`, with how many there are in all. */
export const listDrugs = query('drugs.list', {
  reads: ['drug_catalogue'],
  input: ListDrugs,
  allow: worksSomewhere,
  async run(ctx, { limit, offset, sort, direction = 'asc', ...selection }) {
    const unknown = await unknownIn(ctx, selection)
    const total = await countTotal(selected(ctx, selection, unknown))
    const rows = await selected(ctx, selection, unknown)
      .select(drugRecord.selected)
      .$if(!!sort, (q) =>
        q.orderBy(sort === 'min_stock_level' ? sql.ref(sort) : byName(sort!), direction),
      )
      .$if(!!selection.search && !sort, (q) => q.orderBy(likest(selection.search!)))
      .orderBy(byName('generic_name'))
      .orderBy('dosage_quantity')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute()
    return {
      rows,
      pagination: { page: Math.floor(offset / limit) + 1, pageSize: limit, total },
    }
  },
})

/** Active medicines by any part of a name, an ingredient or the barcode, spelling forgiven. */
export const searchDrugs = query('drugs.search', {
  input: SearchDrugs,
  allow: worksSomewhere,
  async run(ctx, { searchQuery, limit }) {
    const rows = await selected(ctx, { search: searchQuery || undefined, only: 'active' })
      .select(['id', ...TITLE_COLUMNS, 'form', 'route', 'ingredients'])
      .$if(!!searchQuery, (q) => q.orderBy(likest(searchQuery)))
      .orderBy(byName('generic_name'))
      .orderBy('dosage_quantity')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows
  },
})
export type FoundDrug = Awaited<ReturnType<typeof searchDrugs>>[number]

/**
 * Decodes a scanned code: the package's number, batch and expiry, and the matching medicine of the
 * catalogue, if any.
 */
export const scanDrug = query('drugs.scan', {
  input: ScanDrug,
  allow: worksSomewhere,
  async run({ db }, { code }) {
    const read = readGs1(code)
    const barcode = normalizeBarcode(code)
    const drug = await db
      .selectFrom('drug_catalogue')
      .select(['id', ...TITLE_COLUMNS, 'form', 'route', 'is_active'])
      .where('is_deleted', '=', false)
      .where(sql<boolean>`ltrim(barcode, '0') = ltrim(${barcode}, '0')`)
      .limit(1)
      .executeTakeFirst()
    return {
      barcode,
      batch: read?.batch ?? null,
      expiry: read?.expiry ?? null,
      drug: drug ?? null,
    }
  },
})

export const getDrugStats = query('drugs.stats', {
  reads: ['drug_catalogue'],
  input: NoInput,
  allow: worksSomewhere,
  run: ({ db }) =>
    db
      .selectFrom('drug_catalogue')
      .where('is_deleted', '=', false)
      .select(({ fn }) => [
        fn.countAll<number>().as('total'),
        fn.countAll<number>().filterWhere('is_active', '=', true).as('active'),
        fn.countAll<number>().filterWhere('is_controlled', '=', true).as('controlled'),
        fn.countAll<number>().filterWhere('requires_refrigeration', '=', true).as('refrigerated'),
        fn
          .countAll<number>()
          .filterWhere('ingredients', '=', sql<string[]>`'{}'`)
          .as('unnamed'),
      ])
      .executeTakeFirstOrThrow(),
})

export const saveDrug = mutation('drugs.save', {
  input: SaveDrug,
  allow: keepsCatalogue,
  async run(ctx, { confirmed, ...drug }) {
    if (!drug.last_modified) await askAboutAnother(ctx, drug, confirmed)
    return saveRecord(ctx, 'drug_catalogue', drug, 'drugs.notFound')
  },
})

/** The same medicine is in the catalogue: its stock would be in two places, and each prescription name one of them. */
async function askAboutAnother(
  { db }: Context,
  { id, ...drug }: z.output<typeof SaveDrug>,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record')) return
  const same = await db
    .selectFrom('drug_catalogue')
    .select(['generic_name', 'brand_name'])
    .where('id', '<>', id)
    .where('is_deleted', '=', false)
    .where(sql<boolean>`lower(generic_name) = lower(${drug.generic_name})
      and lower(coalesce(brand_name, '')) = lower(coalesce(${drug.brand_name ?? null}::text, ''))
      and form = ${drug.form} and route is not distinct from ${drug.route ?? null}
      and dosage_quantity is not distinct from ${drug.dosage_quantity ?? null}::numeric
      and dosage_units is not distinct from ${drug.dosage_units ?? null}
      and per_quantity is not distinct from ${drug.per_quantity ?? null}::numeric
      and per_unit is not distinct from ${drug.per_unit ?? null}`)
    .executeTakeFirst()
  if (same) throw askIfTwice('generic_name', drugName(same))
}

/** An inactive medicine is no longer prescribed or received; its stock can be used up. */
export const setDrugActive = mutation('drugs.setActive', {
  input: SetDrugActive,
  allow: keepsCatalogue,
  async run({ db }, { id, is_active }) {
    const drug = await db
      .updateTable('drug_catalogue')
      .set({ is_active, updated_at: new Date() })
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .returning(['id', 'is_active', 'last_modified'])
      .executeTakeFirst()
    if (!drug) throw notFound('drugs.notFound')
    return drug
  },
})

/** Into the trash. Refused while any clinic has stock of it. */
export const deleteDrug = mutation('drugs.delete', {
  input: DrugId,
  allow: keepsCatalogue,
  async run(ctx, { id }) {
    const drug = await ctx.db
      .selectFrom('drug_catalogue')
      .select(['generic_name', 'brand_name'])
      .where('id', '=', id)
      .executeTakeFirst()
    return deleteRecord(ctx, 'drug_catalogue', id, drug ? drugName(drug) : '', 'drugs.notFound')
  },
})

import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Insertable } from 'kysely'
import { damagedCells } from '~/fields/damaged-cells'
import { numberText } from '~/fields/typed'
import { type Context, mutation, query } from '~/server/operation'
import { isAdmin, mayAnywhere } from '~/shared/actor'
import { addAll } from '~/shared/any-length'
import type { Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { problems } from '~/shared/problems'
import {
  bareBarcode,
  cellsOf,
  columnOf,
  DRUG_COLUMNS,
  FILE_COLUMNS,
  keyOf,
  keyWithoutVolume,
} from './catalogue-file'
import { DrugRow, DrugSelection, ImportDrugs, newDrug } from './drug'
import { barcodeOf } from '~/records/package-code'
import { selected, unknownIn } from './drugs.server'

/** A catalogue with more than this is no clinic's. */
const MOST_ROWS = 20_000

/** The filtered catalogue for a file: at most 20,000 rows, in the columns that an import reads. */
export const exportDrugs = query('drugs.export', {
  input: DrugSelection,
  allow: ({ actor }) => mayAnywhere(actor, 'can_download_patient_reports'),
  async run(ctx, selection) {
    const rows = await selected(ctx, selection, await unknownIn(ctx, selection))
      .select(FILE_COLUMNS)
      .orderBy('generic_name')
      .orderBy('id')
      .limit(MOST_ROWS)
      .execute()
    return {
      columns: [...FILE_COLUMNS],
      rows: rows.map((row) => FILE_COLUMNS.map((name) => cell(row[name]))),
    }
  },
})

function cell(value: string | number | boolean | string[] | null) {
  if (typeof value === 'number') return numberText(value)
  return Array.isArray(value) ? value.join('; ') : value === null ? '' : String(value)
}

const isIdentity = (heading: string) => ['id', 'barcode'].includes(columnOf(heading))

type Rejected = { line: number; field: string; text: Message }
type Existing = DrugRow & { id: string }

/**
 * Adds medicines from a file, at most 1,000 lines, or changes existing ones: found by id, barcode,
 * or name, form and strength. Columns that the file lacks keep their values; the same file again
 * changes nothing. Invalid lines come back with their errors and the rest is saved. `dryRun` saves
 * nothing.
 */
export const importDrugs = mutation('drugs.import', {
  input: ImportDrugs,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { rows, firstLine, dryRun }) {
    const cells = rows.map(cellsOf)
    const known = await candidates(ctx, rows, cells)
    const rejected: Rejected[] = []
    const taken = new Map<string, { isNew: boolean; isChanged: boolean; values: DrugRow }>()
    const barcodes = new Map([...known.byBarcode].map(([code, drug]) => [code, drug.id]))
    const keys = new Map<string, string>()
    for (const [index, given] of cells.entries()) {
      const line = firstLine + index
      const damaged = damagedCells(rows[index]!, isIdentity)
      if (damaged.length > 0) {
        addAll(
          rejected,
          damaged.map(({ column, text }) => ({ line, field: columnOf(column), text })),
        )
        continue
      }
      const existing = known.find(rows[index]!, given)
      const parsed = DrugRow.safeParse({
        ...newDrug,
        ...(existing && valuesOf(existing)),
        ...given,
      })
      if (!parsed.success) {
        for (const [field, text] of Object.entries(problems(parsed.error)))
          rejected.push({ line, field, text })
        continue
      }
      const values = parsed.data
      const id = existing?.id ?? keys.get(keyOf(values)) ?? newId()
      const owner = values.barcode && barcodes.get(bareBarcode(values.barcode))
      if (taken.has(id)) {
        rejected.push({ line, field: 'generic_name', text: { key: 'drugs.twiceInFile' } })
      } else if (owner && owner !== id) {
        rejected.push({ line, field: 'barcode', text: { key: 'drugs.barcodeTaken' } })
      } else {
        keys.set(keyOf(values), id)
        if (values.barcode) barcodes.set(bareBarcode(values.barcode), id)
        taken.set(id, {
          isNew: !existing,
          isChanged: !isDeepStrictEqual(existing && valuesOf(existing), values),
          values,
        })
      }
    }
    const all = [...taken]
    const written = all.filter(([, { isChanged }]) => isChanged)
    if (!dryRun)
      await write(
        ctx,
        written.map(([id, { values }]) => ({ id, ...values })),
      )
    const added = all.filter(([, { isNew }]) => isNew).length
    return {
      added,
      changed: written.length - added,
      unchanged: all.length - written.length,
      rejected,
    }
  },
})

const valuesOf = (drug: Existing): DrugRow =>
  Object.fromEntries(DRUG_COLUMNS.map((name) => [name, drug[name]])) as unknown as DrugRow

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The medicines that the lines may mean, read at once. */
async function candidates(
  { db }: Context,
  rows: Record<string, string>[],
  cells: Record<string, unknown>[],
) {
  const idOf = (row: Record<string, string>) =>
    Object.entries(row)
      .find(([name]) => columnOf(name) === 'id')?.[1]
      .trim()
      .toLowerCase() ?? ''
  const barcodeIn = ({ barcode }: Record<string, unknown>) =>
    typeof barcode === 'string' ? bareBarcode(barcodeOf(barcode)) : ''
  const names = cells.map(({ generic_name }) =>
    typeof generic_name === 'string' ? generic_name.toLowerCase() : '',
  )
  const found = (await db
    .selectFrom('drug_catalogue')
    .select(['id', ...DRUG_COLUMNS])
    .where('is_deleted', '=', false)
    .where(({ or }) =>
      or([
        sql<boolean>`id = any(${rows.map(idOf).filter((id) => UUID.test(id))}::uuid[])`,
        sql<boolean>`ltrim(barcode, '0') = any(${cells.map(barcodeIn).filter(Boolean)})`,
        sql<boolean>`lower(generic_name) = any(${names})`,
      ]),
    )
    .execute()) as Existing[]
  const byId = new Map(found.map((drug) => [drug.id, drug]))
  const byBarcode = new Map(
    found.flatMap((drug) => (drug.barcode ? [[bareBarcode(drug.barcode), drug]] : [])),
  )
  const byKey = new Map(found.map((drug) => [keyOf(drug), drug]))
  const byBareKey = new Map(found.map((drug) => [keyWithoutVolume(drug), drug]))
  return {
    byBarcode,
    find(row: Record<string, string>, given: Record<string, unknown>) {
      const line = { brand_name: null, ...newDrug, ...given } as never
      return (
        byId.get(idOf(row)) ??
        byBarcode.get(barcodeIn(given)) ??
        byKey.get(keyOf(line)) ??
        byKey.get(keyWithoutVolume(line)) ??
        // a line of an older file, without the columns of the volume
        ('per_unit' in given ? undefined : byBareKey.get(keyWithoutVolume(line)))
      )
    },
  }
}

async function write({ db }: Context, drugs: (DrugRow & { id: string })[]) {
  if (drugs.length === 0) return
  await db
    .insertInto('drug_catalogue')
    .values(drugs as Insertable<DB['drug_catalogue']>[])
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        ...(Object.fromEntries(
          DRUG_COLUMNS.map((name) => [name, ref(`excluded.${name}`)]),
        ) as object),
        updated_at: new Date(),
      })),
    )
    .execute()
}

import { isDeepStrictEqual } from 'node:util'
import { type Insertable, sql } from 'kysely'
import type { DB } from '~/db/types'
import { damagedCells } from '~/fields/damaged-cells'
import { numberText } from '~/fields/typed'
import { type Context, mutation, query } from '~/server/operation'
import { isAdmin, mayAnywhere } from '~/shared/actor'
import { addAll } from '~/shared/any-length'
import type { Message } from '~/shared/errors'
import { newId, isId } from '~/shared/id'
import { firstErrors } from '~/shared/problems'
import {
  bareBarcode,
  parseDrugCells,
  headingToColumn,
  DRUG_COLUMNS,
  FILE_COLUMNS,
  drugKey,
  keyWithoutVolume,
} from './catalogue-file'
import { DrugRow, DrugSelection, ImportDrugs, type ListedDrug, newDrug } from './drug'
import { normalizeBarcode } from '~/records/package-code'
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
  if (Array.isArray(value)) return value.join('; ')
  if (value === null) return ''
  return String(value)
}

const isIdentity = (heading: string) => ['id', 'barcode'].includes(headingToColumn(heading))

type Rejected = { line: number; field: string; text: Message }
type Existing = DrugRow & { id: string }

/** A line of a list: what it states, and what a new medicine gets besides. */
type DrugLine = {
  id?: string
  given: Record<string, unknown>
  assumed?: Record<string, unknown>
}
/** The fate of a line. `before` are the values of a stored medicine, `values` those that the line gives it. */
type DrugFate =
  | { kind: 'new'; id: string; values: DrugRow; before: null }
  | { kind: 'changed' | 'same'; id: string; values: DrugRow; before: DrugRow }
  | { kind: 'twice'; isEqual: boolean }
  | { kind: 'rejected'; problems: Record<string, Message> }

/** The medicines that earlier lines of the same file named; kept from batch to batch. */
export type TakenDrugs = Map<string, DrugRow>

/**
 * Decides what each line does, and writes nothing: a medicine is found by id, barcode, or name, form and strength.
 * `schema` says what a line must have.
 */
export async function decideDrugs(
  ctx: Pick<Context, 'db'>,
  lines: readonly DrugLine[],
  { schema, taken }: { schema: typeof ListedDrug; taken: TakenDrugs },
): Promise<DrugFate[]> {
  const known = await candidates(ctx, lines)
  const barcodes = new Map([...known.byBarcode].map(([code, drug]) => [code, drug.id]))
  const keys = new Map<string, string>()
  return lines.map((line): DrugFate => {
    const existing = known.find(line)
    const parsed = schema.safeParse({
      dosage_quantity: null,
      ...newDrug,
      ...line.assumed,
      ...(existing && toDrugRow(existing)),
      ...line.given,
    })
    if (!parsed.success) return { kind: 'rejected', problems: firstErrors(parsed.error) }
    const values = parsed.data
    const id = existing?.id ?? keys.get(drugKey(values)) ?? newId()
    const owner = values.barcode && barcodes.get(bareBarcode(values.barcode))
    const before = taken.get(id)
    if (before) return { kind: 'twice', isEqual: isDeepStrictEqual(before, values) }
    if (owner && owner !== id)
      return { kind: 'rejected', problems: { barcode: { key: 'drugs.barcodeTaken' } } }
    keys.set(drugKey(values), id)
    if (values.barcode) barcodes.set(bareBarcode(values.barcode), id)
    taken.set(id, values)
    if (!existing) return { kind: 'new', id, values, before: null }
    const stored = toDrugRow(existing)
    return {
      kind: isDeepStrictEqual(stored, values) ? 'same' : 'changed',
      id,
      values,
      before: stored,
    }
  })
}

/**
 * Adds medicines from a file, at most 1,000 lines, or changes existing ones: found by id, barcode,
 * or name, form and strength. Columns that the file lacks keep their values; the same file again
 * changes nothing. Invalid lines come back with their errors and the rest is saved. `dryRun` saves
 * nothing. No screen calls it since lists of medicines are imported as files; programs do, so its name and input stay.
 */
export const importDrugs = mutation('drugs.import', {
  input: ImportDrugs,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { rows, firstLine, dryRun }) {
    const rejected: Rejected[] = []
    const whole: { line: number; drug: DrugLine }[] = []
    for (const [index, row] of rows.entries()) {
      const line = firstLine + index
      const damaged = damagedCells(row, isIdentity)
      addAll(
        rejected,
        damaged.map(({ column, text }) => ({ line, field: headingToColumn(column), text })),
      )
      if (damaged.length === 0)
        whole.push({ line, drug: { id: idIn(row), given: parseDrugCells(row) } })
    }
    const fates = await decideDrugs(
      ctx,
      whole.map(({ drug }) => drug),
      { schema: DrugRow, taken: new Map() },
    )
    const written = []
    const counts = { added: 0, changed: 0, unchanged: 0 }
    for (const [i, fate] of fates.entries()) {
      const { line } = whole[i]!
      if (fate.kind === 'rejected')
        for (const [field, text] of Object.entries(fate.problems))
          rejected.push({ line, field, text })
      else if (fate.kind === 'twice')
        rejected.push({ line, field: 'generic_name', text: { key: 'drugs.twiceInFile' } })
      else {
        counts[COUNTED[fate.kind]] += 1
        if (fate.kind !== 'same') written.push({ id: fate.id, ...fate.values })
      }
    }
    if (!dryRun) await writeDrugs(ctx, written)
    return { ...counts, rejected: rejected.toSorted((a, b) => a.line - b.line) }
  },
})
const COUNTED = { new: 'added', changed: 'changed', same: 'unchanged' } as const

const toDrugRow = (drug: Existing): DrugRow =>
  Object.fromEntries(DRUG_COLUMNS.map((name) => [name, drug[name]])) as unknown as DrugRow // fromEntries forgets types

const idIn = (row: Record<string, string>) =>
  Object.entries(row)
    .find(([name]) => headingToColumn(name) === 'id')?.[1]
    .trim()
    .toLowerCase() ?? ''

/** The medicines that the lines may mean, read at once. */
async function candidates({ db }: Pick<Context, 'db'>, lines: readonly DrugLine[]) {
  const cells = lines.map(({ given }) => given)
  const barcodeIn = ({ barcode }: Record<string, unknown>) =>
    typeof barcode === 'string' ? bareBarcode(normalizeBarcode(barcode)) : ''
  const names = cells.map(({ generic_name }) =>
    typeof generic_name === 'string' ? generic_name.toLowerCase() : '',
  )
  const found = (await db
    .selectFrom('drug_catalogue')
    .select(['id', ...DRUG_COLUMNS])
    .where('is_deleted', '=', false)
    .where(({ or }) =>
      or([
        sql<boolean>`id = any(${lines.map(({ id = '' }) => id).filter(isId)}::uuid[])`,
        sql<boolean>`ltrim(barcode, '0') = any(${cells.map(barcodeIn).filter(Boolean)})`,
        sql<boolean>`lower(generic_name) = any(${names})`,
      ]),
    )
    .execute()) as Existing[]
  const byId = new Map(found.map((drug) => [drug.id, drug]))
  const byBarcode = new Map(
    found.flatMap((drug) => (drug.barcode ? [[bareBarcode(drug.barcode), drug]] : [])),
  )
  const byKey = new Map(found.map((drug) => [drugKey(drug), drug]))
  const byBareKey = new Map(found.map((drug) => [keyWithoutVolume(drug), drug]))
  return {
    byBarcode,
    find({ id = '', given, assumed }: DrugLine) {
      const line = { brand_name: null, ...newDrug, ...assumed, ...given } as never // only its names are read
      return (
        byId.get(id) ??
        byBarcode.get(barcodeIn(given)) ??
        byKey.get(drugKey(line)) ??
        byKey.get(keyWithoutVolume(line)) ??
        // a line of an older file, without the columns of the volume
        ('per_unit' in given ? undefined : byBareKey.get(keyWithoutVolume(line)))
      )
    },
  }
}

export async function writeDrugs(
  { db }: Pick<Context, 'db'>,
  drugs: readonly (DrugRow & { id: string })[],
) {
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

import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import { saveClinic } from '~/features/office/clinics/clinics.server'
import { clinicRecord } from '~/records/clinic'
import type { Message } from '~/shared/errors'
import { parseLanguage } from '../patients-file/language-words'
import { headingsOfTargets, labelIn } from '../reader/headings.server'
import headings from './clinic-headings.json'
import type { KnownRecord, ImportedList, ResolvedRow } from './record-file.server'

const COLUMNS = ['name', 'address', 'phone', 'language'] as const

const targets = () =>
  COLUMNS.map((name) => ({
    name,
    label: labelIn(clinicRecord.fields[name].label),
    required: name === 'name',
  }))

/** Clinics by their names. */
export function clinicsFile(): ImportedList {
  const all = targets()
  return {
    table: 'clinics',
    targets: all,
    headings: headingsOfTargets(all, [headings]),
    identities: new Set(['phone']),
    texts: new Set(['address']),
    read({ name, address, phone, language }, { headings: columns }) {
      if (!name) return { refused: missing(columns, 'name') }
      const known = language === undefined ? undefined : parseLanguage(language)
      if (known === null) return { refused: notAnOption(language!, columns['language']!) }
      return {
        values: {
          name,
          ...(address && { address }),
          ...(phone && { phone }),
          ...(known && { language: known }),
        },
      }
    },
    async resolve(db, rows) {
      const known = await clinicsNamed(
        db,
        rows.map(({ name }) => String(name)),
      )
      return rows.map((values): ResolvedRow => {
        const key = String(values['name']).toLowerCase()
        const found = known.filter(({ name }) => name.toLowerCase() === key)
        if (found.length > 1) return { refused: several(String(values['name'])) }
        return { values, key, known: found[0] ? asKnown(found[0]) : null }
      })
    },
    save: (ctx, values, known) =>
      saveClinic(ctx, {
        ...(known ? known.values : { address: null, phone: null, language: null }),
        ...(values as { name: string }),
        id: known?.id ?? uuidv7(),
        last_modified: known?.last_modified ?? null,
      } as Parameters<typeof saveClinic>[1]),
  }
}

type ClinicRow = Awaited<ReturnType<typeof clinicsNamed>>[number]

const asKnown = ({
  id,
  last_modified,
  is_archived: _archived,
  ...values
}: ClinicRow): KnownRecord => ({
  id,
  last_modified,
  values,
})

/** The clinics with these names, in any case. */
const clinicsNamed = (db: Kysely<DB>, names: readonly string[]) =>
  db
    .selectFrom('clinics')
    .select(['id', 'last_modified', 'is_archived', ...COLUMNS])
    .where(sql<boolean>`lower(name) = any(${names.map((name) => name.toLowerCase())})`)
    .where('is_deleted', '=', false)
    .execute()

export const missing = (columns: Readonly<Record<string, string>>, target: string): Message => ({
  key: 'imports.reasons.missing',
  values: { column: columns[target] ?? target },
})

export const notAnOption = (value: string, column: string): Message => ({
  key: 'imports.reasons.noOption',
  values: { value: value.slice(0, 60), column },
})

export const several = (value: string): Message => ({
  key: 'imports.reasons.severalRecords',
  values: { value: value.slice(0, 60) },
})

const noClinic = (value: string): Message => ({
  key: 'imports.reasons.noClinic',
  values: { value: value.slice(0, 60) },
})

/** The clinic that each row names in its column, else that of the import. */
export async function clinicsInRows(
  db: Kysely<DB>,
  rows: readonly Record<string, unknown>[],
  clinicId: string | null,
): Promise<({ id: string | null } | { refused: Message })[]> {
  const stated = rows.flatMap(({ clinic }) => (typeof clinic === 'string' ? [clinic] : []))
  const known = stated.length > 0 ? await clinicsNamed(db, stated) : []
  return rows.map(({ clinic }) => {
    if (typeof clinic !== 'string') return { id: clinicId }
    const found = known.filter(({ name }) => name.toLowerCase() === clinic.toLowerCase())
    if (found.length > 1) return { refused: several(clinic) }
    return found[0] ? { id: found[0].id } : { refused: noClinic(clinic) }
  })
}

import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { CAPABILITY_SWITCHES } from '~/features/office/clinics/clinic'
import { saveDepartment } from '~/features/office/clinics/departments.server'
import { departmentRecord } from '~/records/department'
import { headingsOfTargets, labelIn } from '../reader/headings.server'
import { clinicsInRows, missing, notAnOption } from './clinics-file.server'
import headings from './department-headings.json'
import type { ImportedList, ResolvedRow, RecordValues } from './record-file.server'
import { yesOrNo } from './words'

const COLUMNS = [
  'name',
  'code',
  'description',
  ...CAPABILITY_SWITCHES,
  'additional_capabilities',
] as const

/** Departments by their clinics and names. */
export function departmentsFile(): ImportedList {
  const targets = [
    ...COLUMNS.map((name) => ({
      name,
      label: labelIn(departmentRecord.fields[name].label),
      required: name === 'name',
    })),
    { name: 'clinic', label: labelIn('clinics.one'), required: false },
  ]
  return {
    table: 'clinic_departments',
    targets,
    headings: headingsOfTargets(targets, [headings]),
    identities: new Set(['code']),
    texts: new Set(['description']),
    read(cells, { headings: columns }) {
      const { name, clinic, code, description, additional_capabilities } = cells
      if (!name) return { refused: missing(columns, 'name') }
      const values: RecordValues = {
        name,
        ...(clinic && { clinic }),
        ...(code && { code }),
        ...(description && { description }),
        ...(additional_capabilities && {
          additional_capabilities: additional_capabilities
            .split(/[;,،]/)
            .map((word) => word.trim())
            .filter(Boolean),
        }),
      }
      for (const column of CAPABILITY_SWITCHES) {
        const cell = cells[column]
        if (cell === undefined) continue
        const isOn = yesOrNo(cell)
        if (isOn === null) return { refused: notYesNo(cell, columns[column]!) }
        values[column] = isOn
      }
      return { values }
    },
    async resolve(db, rows, { clinicId }) {
      const clinics = await clinicsInRows(db, rows, clinicId)
      const ids = clinics.flatMap((clinic) => ('id' in clinic && clinic.id ? [clinic.id] : []))
      const stored = await db
        .selectFrom('clinic_departments')
        .select(['id', 'last_modified', 'clinic_id', ...COLUMNS])
        .where(sql<boolean>`clinic_id = any(${ids}::uuid[])`)
        .where('is_deleted', '=', false)
        .execute()
      return rows.map((row, at): ResolvedRow => {
        const clinic = clinics[at]!
        if ('refused' in clinic) return clinic
        const { clinic: _named, ...values } = row
        const name = String(values['name']).toLowerCase()
        const found = stored.find(
          (one) => one.clinic_id === clinic.id && one.name.toLowerCase() === name,
        )
        const { id, last_modified, ...kept } = found ?? { id: '', last_modified: new Date() }
        return {
          values: { ...values, clinic_id: clinic.id },
          key: `${clinic.id} ${name}`,
          known: found ? { id, last_modified, values: kept } : null,
        }
      })
    },
    save: (ctx, values, known) =>
      saveDepartment(ctx, {
        ...(known ? known.values : EMPTY),
        ...values,
        id: known?.id ?? uuidv7(),
        last_modified: known?.last_modified ?? null,
      } as Parameters<typeof saveDepartment>[1]),
  }
}

const EMPTY: RecordValues = {
  code: null,
  description: null,
  can_dispense_medications: false,
  can_perform_labs: false,
  can_perform_imaging: false,
  additional_capabilities: [],
}

const notYesNo = (value: string, column: string) =>
  value.length > 60
    ? notAnOption(value, column)
    : ({ key: 'imports.reasons.yesNo', values: { value, column } } as const)

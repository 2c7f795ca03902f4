import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { definitionCells, type ReportDefinition } from '~/features/reports/cells/definition'
import { buildAdx } from './adx'
import {
  type DataValueSet,
  toDataValues,
  dhis2Period,
  mappedValues,
  cellPlace,
  type SentAs,
  type SentCell,
  buildTargetFinder,
} from './data-value-set'

type Asked = {
  definitionId: string
  definition: ReportDefinition
  clinicId: string
  period: string
  cells: readonly SentCell[]
  /** A closed report is complete. */
  completeDate?: string
  sentAs?: SentAs
}

/**
 * The values as JSON for DHIS2 and as ADX; an org unit or data set without a code is "". Cells are in the order of the
 * paper.
 */
export async function loadValueSet(db: Kysely<DB>, asked: Asked) {
  const { definitionId, definition, clinicId, period, completeDate, sentAs } = asked
  const codes = await db
    .selectFrom('external_codes')
    .selectAll()
    .where((eb) => eb.or([eb('definition_id', '=', definitionId), eb('clinic_id', '=', clinicId)]))
    .execute()
  const values = new Map(asked.cells.map((cell) => [cellPlace(cell), cell.value]))
  const cells = definitionCells(definition).map((cell) => ({
    ...cell,
    value: values.get(cellPlace(cell)) ?? null,
  }))
  const targetOf = buildTargetFinder(
    codes.filter(({ section }) => section !== null),
    definition,
  )
  const { values: sent, ...rest } = mappedValues(cells, targetOf, sentAs)
  const ofReport = codes.find((code) => code.definition_id === definitionId && !code.section)
  const set: DataValueSet = {
    dataSet: ofReport?.code ?? '',
    ...(completeDate && { completeDate }),
    period: dhis2Period(period),
    orgUnit: codes.find(({ clinic_id }) => clinic_id === clinicId)?.code ?? '',
    dataValues: toDataValues(sent),
  }
  const adx = () => buildAdx(set, sent, { period, exported: new Date() })
  return { set, adx, ...rest }
}

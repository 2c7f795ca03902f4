import * as z from 'zod'
import { saveDefinition } from '~/features/reports/definitions/definitions.server'
import { RequestFailure } from '~/server/outgoing.server'
import { mutation, query } from '~/server/operation'
import { type Actor, isAdmin } from '~/shared/actor'
import { AppError, conflict, invalid } from '~/shared/errors'
import { askDhis2 } from './dhis-client.server'
import { configuredServer } from './dhis-server.server'
import { DATA_SET_FIELDS, definitionOfDataSet, Dhis2DataSet } from './data-set'
import { saveCodes } from './external-codes.server'
import { failureForStatus } from './sending'

const keepsDefinitions = ({ actor }: { actor: Actor }) => isAdmin(actor)

/** 11 letters and digits. */
const Uid = z
  .string('validation.wrongType')
  .trim()
  .regex(/^[A-Za-z][A-Za-z\d]{10}$/, 'dhis2.uid')

/** A data set of the configured server, as `reportDefinitions.importDhis2` takes it. */
export const readDataSet = query('dhis2.dataSet', {
  input: z.object({ dataSetId: Uid }),
  allow: keepsDefinitions,
  async run({ db }, { dataSetId }) {
    const server = await configuredServer(db)
    if (!server) throw conflict('sendings.error_no_server')
    const path = `/api/dataSets/${dataSetId}.json?fields=${encodeURIComponent(DATA_SET_FIELDS)}`
    try {
      const { status, body } = await askDhis2(server, { method: 'GET', path })
      const failure = failureForStatus(status) ?? (status === 200 ? null : 'unreadable')
      if (failure) throw conflict(`sendings.error_${failure}`)
      const read = Dhis2DataSet.safeParse(body)
      if (!read.success) throw conflict('sendings.error_unreadable')
      return read.data
    } catch (error) {
      if (error instanceof RequestFailure) throw conflict(`sendings.error_${error.failure}`)
      throw error
    }
  },
})

const ImportDataSet = z.object({
  id: z.uuid('validation.id'),
  code: z
    .string('validation.wrongType')
    .trim()
    .regex(/^[a-z][a-z0-9-]{1,59}$/, 'reportDefinitions.codeForm'),
  /** The JSON of `/api/dataSets/ID.json`. */
  dataSet: z.unknown(),
})

/** A new report with a row for each data element, and the codes of all its places. */
export const importDhis2 = mutation('reportDefinitions.importDhis2', {
  input: ImportDataSet,
  allow: keepsDefinitions,
  async run(ctx, { id, code, dataSet }) {
    const read = Dhis2DataSet.safeParse(dataSet)
    if (!read.success) throw invalid({ dataSet: { key: 'dhis2.noDataSet' } })
    const imported = definitionOfDataSet(read.data, code, read.data.name)
    if (!imported)
      throw invalid({
        dataSet: { key: 'dhis2.periodType', values: { type: read.data.periodType.slice(0, 50) } },
      })
    if (imported.definition.sections.length === 0)
      throw invalid({ dataSet: { key: 'dhis2.noRows' } })
    try {
      const saved = await saveDefinition(ctx, { id, body: imported.definition })
      await saveCodes(ctx, { definitionId: id, codes: imported.codes })
      return { ...saved, skipped: imported.skipped }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid') throw error
      const { 'body.code': ofCode, ...others } = error.fields
      const [first] = Object.values(others)
      throw invalid({ ...(ofCode && { code: ofCode }), ...(first && { dataSet: first }) })
    }
  },
})

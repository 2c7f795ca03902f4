import { isPeriod } from '~/features/reports/cells/period'
import { id, type RouteSearch, defineSearch, whole } from '~/shared/search-params'

const clinics = (value: unknown) =>
  Array.isArray(value) && value.length <= 1000 && value.every((each) => id(each) !== undefined)
    ? (value as string[])
    : undefined
const period = (value: unknown) =>
  typeof value === 'string' && isPeriod(value) ? value : undefined

export const clinicsAndPeriod = { clinics, period }
export const reportParams = { ...clinicsAndPeriod, run: whole(0, 10_000) }
/** A report and what it shows, in an address. A mangled one shows the defaults. */
export const reportSearch = defineSearch(reportParams)
export type ReportSearch = RouteSearch<typeof reportSearch>

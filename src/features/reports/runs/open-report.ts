import { api } from '~/client/api'
import { readPeriod } from '~/features/reports/cells/period'
import { invalid } from '~/shared/errors'
import type { ReportSearch } from './report-search'

/**
 * What an address of a report means: the clinics and the period that it names, else those that the list begins with. A
 * period that has not begun, or of another kind, is the current one.
 * Throws `not_found` at `code` for a report that does not exist.
 */
export async function openReport(code: string, { clinics, period, run }: ReportSearch) {
  const list = await api.reports.list({ clinic_ids: clinics })
  if (list.clinic_ids.length === 0) throw invalid({ clinic_ids: { key: 'reports.noClinic' } })
  const row = list.rows.find((each) => each.code === code)
  const current = row?.current ?? list.today.slice(0, 7)
  return {
    clinics: list.clinics,
    // an unknown report is refused by the operation that is asked for it
    input: {
      code,
      clinic_ids: list.clinic_ids,
      period: period !== undefined && hasBegun(period, current) ? period : current,
    },
    number: run,
  }
}

/** A period of the kind of the report; the text of an earlier one comes first. */
const hasBegun = (period: string, current: string) =>
  readPeriod(period, 'UTC')?.kind === readPeriod(current, 'UTC')?.kind && period <= current

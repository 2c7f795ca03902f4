import { BYTE_ORDER_MARK, csvLine } from '~/shared/csv'
import { clinicToday } from '~/shared/zone'
import { offer } from '~/ui/download'

/** Offers a table as a CSV file with the clinic's day in its name. */
export function saveCsv(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
) {
  const lines = [BYTE_ORDER_MARK, csvLine(columns), ...rows.map(csvLine)]
  offer(new Blob(lines, { type: 'text/csv' }), `${name} ${clinicToday()}.csv`)
}

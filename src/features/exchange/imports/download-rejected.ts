import { api } from '~/client/api'
import { BYTE_ORDER_MARK, csvLine } from '~/shared/csv'
import type { Sayable } from '~/shared/say'
import { offer } from '~/ui/download'
import type { OneImport } from './imports.server'
import { REJECTED_COLUMNS } from './rejected-rows'
import { formatReason } from './tally'

/** Saves the rejected rows as CSV with the columns of the file, the line number and the reason. */
export async function downloadRejected(
  { import: { id, file_name }, file }: OneImport,
  say: (what: Sayable) => string,
) {
  const columns = file?.headers.length ?? 0
  const lines = [BYTE_ORDER_MARK, csvLine([...(file?.headers ?? []), ...REJECTED_COLUMNS])]
  for (let after = 0; ;) {
    const rows = await api.imports.rejected({ id, after })
    if (rows.length === 0) break
    for (const { line, reason, cells } of rows) {
      const own = Array.from({ length: columns }, (_, at) => cells[at] ?? '')
      lines.push(csvLine([...own, String(line), reason ? formatReason(reason, say) : '']))
    }
    after = rows.at(-1)!.line
  }
  offer(new Blob(lines, { type: 'text/csv' }), file_name.replace(/(\.\w+)?$/, '-to-mend.csv'))
}

import { csvLine } from '~/features/imports/rejected-rows'

/** Offers a table as a CSV file: with the mark by which Excel knows UTF-8, and what a spreadsheet would run made text. */
export function saveCsv(name: string, columns: readonly string[], rows: readonly (readonly string[])[]) {
  const lines = [`\uFEFF${csvLine(columns)}`, ...rows.map(csvLine)]
  const url = URL.createObjectURL(new Blob(lines, { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name} ${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  URL.revokeObjectURL(url)
}

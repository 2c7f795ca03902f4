import type { HikmaReport } from './run'

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const number = (value: number) => value.toLocaleString('en')
export const row = (cells: readonly (string | number)[], tag = 'td') =>
  `<tr>${cells
    .map((cell) => `<${tag}>${typeof cell === 'number' ? number(cell) : escaped(cell)}</${tag}>`)
    .join('')}</tr>`

export const section = (title: string, heading: string[], rows: string[]) =>
  rows.length > 0 ? `<h2>${title}</h2><table>${row(heading, 'th')}${rows.join('\n')}</table>` : ''

/** The report of a run as a page of its own, to read and print without Sanad. */
export function reportPage(report: HikmaReport, at: Date): string {
  const tables = report.tables.map(
    ({ table, rows, inserted, updated, deleted, unchanged, unplaced, differences }) =>
      row([table, rows, inserted, updated, deleted, unchanged, unplaced, differences]),
  )
  const notes = report.tables.flatMap(({ table, notes: counts }) =>
    Object.entries(counts).map(([rule, count]) => row([table, rule, count])),
  )
  const counted = Object.entries(report.counted).map(([table, count]) => row([table, count]))
  const missing = report.missing.map((one) => row([one]))
  const heading = [
    'Table',
    'Rows',
    'New',
    'Changed',
    'Deleted',
    'As before',
    'Unplaced',
    'Changed on both sides',
  ]
  const summary = report.hasNews
    ? 'The run wrote what the tables say.'
    : 'Nothing new at the source.'
  return buildReportPage('Move from Hikma', at, summary, [
    `<table>${row(heading, 'th')}${tables.join('\n')}</table>`,
    section('Conversions', ['Table', 'Rule and column', 'Rows'], notes),
    section('Counted, not taken', ['Table', 'Rows'], counted),
    section('Missing at the source, default taken', ['Table or column'], missing),
  ])
}

export const buildReportPage = (
  title: string,
  at: Date,
  summary: string,
  parts: readonly string[],
) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<style>
body { font-family: sans-serif; margin: 2em }
table { border-collapse: collapse; margin-bottom: 2em }
th, td { border: 1px solid #999; padding: 0.2em 0.6em; text-align: start }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${at.toISOString().slice(0, 16).replace('T', ' ')} UTC. ${summary}</p>
${parts.join('\n')}
</body>
</html>
`

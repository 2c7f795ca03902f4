import { buildReportPage, row, section } from '~/features/exchange/imports/hikma/report'
import type { ColumnComparison, ComparisonReport } from './reader'

const comparisonState = ({ converted, different, source, sanad }: ColumnComparison) => {
  if (different > 0) return 'different'
  return converted === 0 && source.digest === sanad.digest ? 'equal' : 'converted'
}
const hex = (digest: bigint) => digest.toString(16).padStart(32, '0')

/** As JSON: digests as hexadecimal numbers, and what each column is. */
export const comparisonJson = (comparison: ComparisonReport) =>
  JSON.stringify(
    {
      ...comparison,
      columns: Object.fromEntries(
        Object.entries(comparison.columns).map(([table, columns]) => [
          table,
          Object.fromEntries(
            Object.entries(columns).map(([name, column]) => [
              name,
              { state: comparisonState(column), ...column },
            ]),
          ),
        ]),
      ),
    },
    (_key, value: unknown) => (typeof value === 'bigint' ? hex(value) : value),
    2,
  )

/** The comparison as a page of its own, to read and print without Sanad. */
export function comparisonPage(comparison: ComparisonReport, at: Date): string {
  const { counts, columns, rules, findings, unexplained, changedHere } = comparison
  const tables = Object.entries(counts).map(
    ([table, { source, sanad, equal, changed, unplaced, missing, extra }]) =>
      row([
        table,
        `${source.live} / ${source.deleted}`,
        `${sanad.live} / ${sanad.deleted}`,
        equal,
        changed,
        unplaced,
        missing,
        extra,
      ]),
  )
  const values = Object.entries(columns).flatMap(([table, ofTable]) =>
    Object.entries(ofTable).map(([name, column]) =>
      row([
        table,
        name,
        comparisonState(column),
        column.source.values,
        column.sanad.values,
        column.converted,
        column.different,
        hex(column.source.digest),
        hex(column.sanad.digest),
      ]),
    ),
  )
  return buildReportPage(
    'Comparison with Hikma',
    at,
    `${unexplained} unexplained differences, ${changedHere} in rows that were changed in Sanad.`,
    [
      `<table>${row(
        [
          'Table',
          'Live / deleted in Hikma',
          'Live / deleted in Sanad',
          'Equal',
          'Converted',
          'Unplaced',
          'Missing',
          'Only in Sanad',
        ],
        'th',
      )}${tables.join('\n')}</table>`,
      section(
        'Columns',
        [
          'Table',
          'Column',
          'State',
          'Values in Hikma',
          'Values in Sanad',
          'Converted',
          'Different',
          'Digest in Hikma',
          'Digest in Sanad',
        ],
        values,
      ),
      section(
        'Rules',
        ['Table and rule', 'Rows'],
        Object.entries(rules).map(([rule, count]) => row([rule, count])),
      ),
      section(
        'First unexplained differences',
        ['Table', 'Id', 'Column', 'Expected', 'In Sanad'],
        findings.map(({ table, id, column, expected, actual }) =>
          row([table, id, column, JSON.stringify(expected) ?? '', JSON.stringify(actual) ?? '']),
        ),
      ),
    ],
  )
}

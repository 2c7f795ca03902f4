import type {
  ReportDefinition,
  ReportRow,
  ReportSection,
} from '~/features/reports/cells/definition'
import { addAll } from '~/shared/any-length'

type Names = ReportDefinition['names']

/** A message of each: `reportDefinitions.diff_rowAdded`. */
type What =
  | 'namesChanged'
  | 'settingsChanged'
  | 'sectionAdded'
  | 'sectionRemoved'
  | 'sectionChanged'
  | 'rowAdded'
  | 'rowRemoved'
  | 'rowChanged'
  | 'rowsMoved'
  | 'groupsChanged'
  | 'measuresChanged'
  | 'axesChanged'

/** What a version changes, with the names of the section or row. */
type Change = { what: What; names: Names; id: string }

const same = (a: unknown, b: unknown) => toCanonicalJson(a) === toCanonicalJson(b)

/** JSON with sorted keys: stored objects have lost the order in which they were written. */
export const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'undefined'

/** The changes from one version to the next, in the order of the newer. */
export function diffDefinitions(before: ReportDefinition, after: ReportDefinition): Change[] {
  const changes: Change[] = []
  const whole = (what: Change['what']) => changes.push({ what, names: after.names, id: after.code })
  if (!same(before.names, after.names)) whole('namesChanged')
  const settings = ({ code, period, closable_from, page, bp_of_day }: ReportDefinition) => [
    code,
    period,
    closable_from,
    page,
    bp_of_day ?? 'last',
  ]
  if (!same(settings(before), settings(after))) whole('settingsChanged')
  for (const [part, what] of [
    ['groups', 'groupsChanged'],
    ['measures', 'measuresChanged'],
    ['axes', 'axesChanged'],
  ] as const)
    if (!same(before[part], after[part])) whole(what)
  const older = new Map(before.sections.map((section) => [section.id, section]))
  for (const section of after.sections) {
    const was = older.get(section.id)
    if (was) addAll(changes, inSection(was, section))
    else changes.push({ what: 'sectionAdded', names: section.names, id: section.id })
  }
  const newer = new Set(after.sections.map(({ id }) => id))
  for (const { id, names } of before.sections)
    if (!newer.has(id)) changes.push({ what: 'sectionRemoved', names, id })
  return changes
}

function inSection(before: ReportSection, after: ReportSection): Change[] {
  const changes: Change[] = []
  const { rows: rowsBefore, ...partsBefore } = before
  const { rows: rowsAfter, ...partsAfter } = after
  if (!same(partsBefore, partsAfter))
    changes.push({ what: 'sectionChanged', names: after.names, id: after.id })
  const older = new Map(rowsBefore.map((row) => [row.id, row]))
  const newer = new Set(rowsAfter.map(({ id }) => id))
  const rowChange = (what: Change['what'], { names, id }: ReportRow): Change => ({
    what,
    names,
    id,
  })
  for (const row of rowsAfter) {
    const was = older.get(row.id)
    if (!was) changes.push(rowChange('rowAdded', row))
    else if (!same(was, row)) changes.push(rowChange('rowChanged', row))
  }
  addAll(
    changes,
    rowsBefore.filter(({ id }) => !newer.has(id)).map((row) => rowChange('rowRemoved', row)),
  )
  const kept = (rows: readonly ReportRow[], others: ReadonlySet<string>) =>
    rows.filter(({ id }) => others.has(id)).map(({ id }) => id)
  if (!same(kept(rowsBefore, newer), kept(rowsAfter, new Set(older.keys()))))
    changes.push({ what: 'rowsMoved', names: after.names, id: after.id })
  return changes
}

import {
  axesOf,
  type ReportColumn,
  sectionColumns,
  type ReportDefinition,
  type ReportSection,
} from '~/features/reports/cells/definition'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'

/** One heading of a section's table: `span` columns wide, `deep` levels of headings high. */
type Heading = { id: string; label: string; span: number; deep: number }

/** The words of sections, rows and columns in one language. */
export function useSheetNames(definition: ReportDefinition, language: Language) {
  const say = useSay()
  const sexes = ['male', 'female'] as const
  const partName = (axis: string, id: string) => {
    const parts = definition.axes?.[axis] ?? []
    const part = parts.find((each) => (typeof each === 'string' ? each : each.id) === id)
    if (part && typeof part !== 'string' && part.names) return translated(part.names, language)
    const sex = sexes.find((each) => each === id)
    if (sex) return say(`reports.sex_${sex}`)
    return id === 'unknown' ? say('reports.unknown') : id
  }
  const ownName = ({ id, names }: ReportColumn) => {
    if (names) return translated(names, language)
    if (id === 'total') return say('reports.total')
    if (id === 'value') return say('reports.value')
    return null
  }

  /** A column by its whole name: "Under 5, male". */
  function columnName(section: ReportSection, column: ReportColumn): string {
    const own = ownName(column)
    if (own !== null) return own
    const axes = axesOf(section)
    return column.id
      .split('/')
      .map((id, at) => partName(axes[at] ?? '', id))
      .join(', ')
  }

  /** The rows of headings: one for each axis, the outermost first. */
  function headingRows(section: ReportSection): Heading[][] {
    const axes = axesOf(section)
    const columns = sectionColumns(definition, section)
    const levels = Math.max(axes.length, 1)
    return Array.from({ length: levels }, (_, level) => {
      const headings: (Heading & { path: string })[] = []
      for (const column of columns) {
        const ids = column.id.split('/')
        const isWhole = ids.length < levels
        if (isWhole && level > 0) continue
        const path = ids.slice(0, level + 1).join('/')
        const last = headings.at(-1)
        if (!isWhole && last?.path === path) last.span += 1
        else
          headings.push({
            id: column.id,
            path,
            label:
              isWhole || levels === 1
                ? columnName(section, column)
                : partName(axes[level]!, ids[level]!),
            span: 1,
            deep: isWhole ? levels : 1,
          })
      }
      return headings
    })
  }

  return {
    report: translated(definition.names, language),
    nameOf: (part: { names: ReportDefinition['names'] }) => translated(part.names, language),
    columnName,
    headingsOf: headingRows,
    /** The names of a cell; its ids if the definition has lost it. */
    cellNames: (at: { section: string; row: string; column: string }) => {
      const section = definition.sections.find(({ id }) => id === at.section)
      const row = section?.rows.find(({ id }) => id === at.row)
      const column =
        section && sectionColumns(definition, section).find(({ id }) => id === at.column)
      return {
        section: section ? translated(section.names, language) : at.section,
        row: row ? [row.number, translated(row.names, language)].filter(Boolean).join(' ') : at.row,
        column: section && column ? columnName(section, column) : at.column,
      }
    },
  }
}
export type SheetNames = ReturnType<typeof useSheetNames>

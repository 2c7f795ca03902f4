import { Stack } from '@mantine/core'
import { allCellRules, type Cell } from '~/features/reports/cells/definition'
import type { CellKindRules } from '~/features/reports/cells/kinds/kind'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { CellParts } from './CellParts'
import type { SharedParts } from './definition-draft'
import { cellWords } from './measure-words'
import { type Path, useProblem } from './problems'

type Props = {
  shared: SharedParts
  measure: string | Cell | undefined
  path: Path
  /** What "as the section" means; absent where there is no section. */
  inherited?: string
  /** A measure of the definition can be named. */
  mayName?: boolean
  onChange: (measure: string | Cell | undefined) => void
}

/** What a row, section or measure counts. */
export function CellEditor({ shared, measure, path, inherited, mayName = true, onChange }: Props) {
  const say = useSay()
  const problem = useProblem(path)
  const names = Object.keys(shared.measures ?? {}).toSorted()
  const offered = allCellRules.flatMap(({ group, begins }) =>
    begins(names).map((cell) => ({ group, cell })),
  )
  const group = (key: CellKindRules<Cell>['group']) => ({
    group: say(key),
    items: offered.flatMap((each) => {
      const words = cellWords(each.cell)
      return each.group === key ? [{ value: words, label: say(words) }] : []
    }),
  })
  const ofName = (name: string) => `measure:${name}`
  const chosen = typeof measure === 'string' ? ofName(measure) : measure && cellWords(measure)
  const choice = chosen ?? 'section'
  const data = [
    ...(inherited !== undefined
      ? [
          {
            value: 'section',
            label: say({ key: 'reportEditor.asSection', values: { what: inherited } }),
          },
        ]
      : []),
    group('reportEditor.counts'),
    ...(mayName && names.length > 0
      ? [
          {
            group: say('reportEditor.measures'),
            items: names.map((name) => ({ value: ofName(name), label: name })),
          },
        ]
      : []),
    group('reportEditor.byHand'),
    group('reportEditor.calculated'),
  ]
  const measureFrom = (value: string) =>
    names.find((name) => ofName(name) === value) ??
    offered.find(({ cell }) => cellWords(cell) === value)?.cell
  return (
    <Stack gap="xs">
      <PickList
        label={say('reportEditor.what')}
        value={measure === undefined && inherited === undefined ? null : choice}
        placeholder={say('reportEditor.chooseWhat')}
        onChange={(value) => {
          if (typeof value === 'string' && value !== choice) onChange(measureFrom(value))
        }}
        data={data}
        searchable
        allowDeselect={false}
        nothingFoundMessage={say('form.nothingFound')}
        error={problem && say(problem)}
        maw="30rem"
      />
      {measure !== undefined && typeof measure !== 'string' && (
        <CellParts {...{ shared, path, names, onChange }} cell={measure} />
      )}
    </Stack>
  )
}

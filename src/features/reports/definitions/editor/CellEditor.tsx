import { Stack } from '@mantine/core'
import {
  type Cell,
  CELL_KINDS,
  type CellKind,
  type CellOf,
  kindOfCell,
  MANUAL,
} from '~/features/reports/cells/definition'
import { type Source, sourceNames } from '~/features/reports/cells/fields'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { CellParts } from './CellParts'
import { newTest, type SharedParts } from './definition-draft'
import { type Path, useProblem } from './problems'
import { sourceLabel } from './report-words'

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

const CALCULATED = CELL_KINDS.filter((kind) => kind !== 'count' && kind !== 'manual')

/** What the select shows: `count:visits`, `measure:base`, `ratio`, `manual:integer`, or `section`. */
function choiceOf(measure: string | Cell | undefined): string {
  if (measure === undefined) return 'section'
  if (typeof measure === 'string') return `measure:${measure}`
  if ('count' in measure) return `count:${measure.count}`
  if ('manual' in measure) return `manual:${measure.manual}`
  return kindOfCell(measure)
}

/** What a row, section or measure counts. */
export function CellEditor({ shared, measure, path, inherited, mayName = true, onChange }: Props) {
  const say = useSay()
  const problem = useProblem(path)
  const names = Object.keys(shared.measures ?? {}).toSorted()
  const choice = choiceOf(measure)
  const data = [
    ...(inherited !== undefined
      ? [
          {
            value: 'section',
            label: say({ key: 'reportEditor.asSection', values: { what: inherited } }),
          },
        ]
      : []),
    {
      group: say('reportEditor.counts'),
      items: sourceNames.map((source) => ({
        value: `count:${source}`,
        label: say(sourceLabel(source)),
      })),
    },
    ...(mayName && names.length > 0
      ? [
          {
            group: say('reportEditor.measures'),
            items: names.map((name) => ({ value: `measure:${name}`, label: name })),
          },
        ]
      : []),
    {
      group: say('reportEditor.byHand'),
      items: MANUAL.map((kind) => ({
        value: `manual:${kind}`,
        label: say(`reportEditor.manual_${kind}`),
      })),
    },
    {
      group: say('reportEditor.calculated'),
      items: CALCULATED.map((kind) => ({ value: kind, label: say(`reportEditor.cell_${kind}`) })),
    },
  ]
  return (
    <Stack gap="xs">
      <PickList
        label={say('reportEditor.what')}
        value={measure === undefined && inherited === undefined ? null : choice}
        placeholder={say('reportEditor.chooseWhat')}
        onChange={(value) => {
          if (typeof value === 'string' && value !== choice) onChange(measureFrom(value, names))
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

function measureFrom(choice: string, names: readonly string[]): string | Cell | undefined {
  const [kind = '', name = ''] = choice.split(/:(.*)/)
  if (kind === 'measure') return name
  const known = CELL_KINDS.find((each) => each === kind)
  return known && begun[known](names, name)
}

/** A cell of each kind as it begins; `name` is what was chosen with the kind. */
const begun: { [K in CellKind]: (names: readonly string[], name: string) => CellOf<K> } = {
  count: (_names, name) => ({ count: name as Source, in: 'period' }),
  manual: (_names, name) => ({ manual: name === 'yesno' ? 'yesno' : 'integer' }),
  sum: () => ({ sum: 'dispensed.quantity', of: 'dispensed', in: 'period' }),
  median: () => ({ median: 'appointment.wait_minutes', of: 'appointments', in: 'period' }),
  ratio: ([first = '', second = first]) => ({ ratio: [first, second], times: 100 }),
  add: ([first]) => ({ add: first ? [first] : [] }),
  weighted: ([first]) => ({ weighted: first ? { [first]: 1 } : {} }),
  clinics: ([first = '']) => ({ clinics: first, is: ['atLeast', 1] }),
  subtract: ([first = '', second = first]) => ({ subtract: [first, second] }),
  like: ([first = '']) => ({ like: first, and: newTest('visits') }),
  days: () => ({
    days: 'stock',
    in: 'period',
    each: 'clinic',
    where: ['stock.usable', 'atMost', 0],
  }),
}

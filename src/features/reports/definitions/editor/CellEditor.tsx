import { Group, MultiSelect, Select, Stack } from '@mantine/core'
import { type Cell, DISTINCT, LIMIT_OPS } from '~/features/reports/cells/definition'
import { fieldsOf, type Source, sourceNames } from '~/features/reports/cells/fields'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { newTest, type SharedParts, sourceOf } from './definition-draft'
import { type Path, useProblem } from './problems'
import { fieldLabel, opLabel, sourceLabel } from './report-words'
import { TestEditor } from './TestEditor'
import { WindowPicker } from './WindowPicker'

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

const CALCULATED = [
  'sum',
  'median',
  'ratio',
  'add',
  'weighted',
  'subtract',
  'like',
  'days',
  'clinics',
] as const
const MANUAL = ['integer', 'yesno'] as const

/** What the select shows: `count:visits`, `measure:base`, `ratio`, `manual:integer`, or `section`. */
function choiceOf(measure: string | Cell | undefined): string {
  if (measure === undefined) return 'section'
  if (typeof measure === 'string') return `measure:${measure}`
  if ('count' in measure) return `count:${measure.count}`
  if ('manual' in measure) return `manual:${measure.manual}`
  return CALCULATED.find((name) => name in measure) ?? 'section'
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
      <Select
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
        <Parts {...{ shared, path, names, onChange }} cell={measure} />
      )}
    </Stack>
  )
}

function measureFrom(choice: string, names: readonly string[]): string | Cell | undefined {
  const [kind = '', name = ''] = choice.split(/:(.*)/)
  const [first = '', second = first] = names
  switch (kind) {
    case 'measure':
      return name
    case 'count':
      return { count: name as Source, in: 'period' }
    case 'manual':
      return { manual: name === 'yesno' ? 'yesno' : 'integer' }
    case 'sum':
    case 'median': {
      const of = { of: 'dispensed', in: 'period' } as const
      return kind === 'sum'
        ? { sum: 'dispensed.quantity', ...of }
        : { median: 'appointment.wait_minutes', of: 'appointments', in: 'period' }
    }
    case 'ratio':
      return { ratio: [first, second], times: 100 }
    case 'add':
      return { add: first ? [first] : [] }
    case 'weighted':
      return { weighted: first ? { [first]: 1 } : {} }
    case 'clinics':
      return { clinics: first, is: ['atLeast', 1] }
    case 'subtract':
      return { subtract: [first, second] }
    case 'like':
      return { like: first, and: newTest('visits') }
    case 'days':
      return { days: 'stock', in: 'period', each: 'clinic', where: ['stock.usable', 'atMost', 0] }
    default:
      return undefined
  }
}

type PartsProps = {
  shared: SharedParts
  cell: Cell
  names: readonly string[]
  path: Path
  onChange: (cell: Cell) => void
}

/** The details of a count or calculation. */
function Parts({ shared, cell, names, path, onChange }: PartsProps) {
  const say = useSay()
  const groups = Object.keys(shared.groups ?? {}).toSorted()
  const windowProblem = useProblem([...path, 'in'])
  const source = sourceOf(shared, cell)
  const pick = (value: string, label: string, next: (name: string) => void) => (
    <Select
      label={label}
      value={value || null}
      onChange={(name) => name && next(name)}
      data={names}
      searchable
      allowDeselect={false}
      nothingFoundMessage={say('reportEditor.noMeasures')}
      flex="1 1 10rem"
    />
  )
  if ('ratio' in cell)
    return (
      <Group gap={6} align="flex-start">
        {pick(cell.ratio[0], say('reportEditor.numerator'), (name) =>
          onChange({ ...cell, ratio: [name, cell.ratio[1]] }),
        )}
        {pick(cell.ratio[1], say('reportEditor.denominator'), (name) =>
          onChange({ ...cell, ratio: [cell.ratio[0], name] }),
        )}
        <Select
          label={say('reportEditor.times')}
          value={String(cell.times)}
          onChange={(value) =>
            onChange({ ...cell, times: value === '1' ? 1 : value === '1000' ? 1000 : 100 })
          }
          data={(['1', '100', '1000'] as const).map((value) => ({
            value,
            label: say(`reportEditor.times_${value}`),
          }))}
          allowDeselect={false}
          flex="1 1 8rem"
        />
        <NumberBox
          label={say('reportEditor.cap')}
          value={cell.cap ?? null}
          onChange={(value) => {
            const { cap: _, ...rest } = cell
            onChange(value === '' ? rest : { ...rest, cap: value })
          }}
          flex="1 1 6rem"
        />
        <NumberBox
          label={say('reportEditor.share')}
          value={cell.share ?? null}
          onChange={(value) => {
            const { share: _, ...rest } = cell
            onChange(value === '' ? rest : { ...rest, share: value })
          }}
          flex="1 1 6rem"
        />
      </Group>
    )
  if ('weighted' in cell)
    return (
      <Stack gap="xs">
        <MultiSelect
          label={say('reportEditor.sumOf')}
          value={Object.keys(cell.weighted)}
          onChange={(parts) =>
            onChange({
              weighted: Object.fromEntries(parts.map((name) => [name, cell.weighted[name] ?? 1])),
            })
          }
          data={names}
          searchable
          hidePickedOptions
          nothingFoundMessage={say('reportEditor.noMeasures')}
        />
        {Object.entries(cell.weighted).map(([name, weight]) => (
          <NumberBox
            key={name}
            label={say({ key: 'reportEditor.weightOf', values: { name } })}
            value={weight}
            onChange={(value) =>
              onChange({ weighted: { ...cell.weighted, [name]: value === '' ? 0 : value } })
            }
            maw="16rem"
          />
        ))}
      </Stack>
    )
  if ('clinics' in cell)
    return (
      <Group gap={6} align="flex-start">
        {pick(cell.clinics, say('reportEditor.like'), (clinics) => onChange({ ...cell, clinics }))}
        <Select
          label={say('reportEditor.op')}
          value={cell.is[0]}
          onChange={(chosen) => {
            const op = LIMIT_OPS.find((one) => one === chosen)
            if (op) onChange({ ...cell, is: [op, cell.is[1]] })
          }}
          data={LIMIT_OPS.map((op) => ({ value: op, label: say(opLabel(op)) }))}
          allowDeselect={false}
          flex="1 1 8rem"
        />
        <NumberBox
          label={say('reportEditor.value')}
          value={cell.is[1]}
          onChange={(value) => onChange({ ...cell, is: [cell.is[0], value === '' ? 0 : value] })}
          flex="1 1 6rem"
        />
      </Group>
    )
  if ('subtract' in cell)
    return (
      <Group gap={6} align="flex-start">
        {pick(cell.subtract[0], say('reportEditor.from'), (name) =>
          onChange({ subtract: [name, cell.subtract[1]] }),
        )}
        {pick(cell.subtract[1], say('reportEditor.less'), (name) =>
          onChange({ subtract: [cell.subtract[0], name] }),
        )}
      </Group>
    )
  if ('add' in cell)
    return (
      <MultiSelect
        label={say('reportEditor.sumOf')}
        value={cell.add}
        onChange={(add) => onChange({ add })}
        data={names}
        searchable
        hidePickedOptions
        nothingFoundMessage={say('reportEditor.noMeasures')}
      />
    )
  if ('like' in cell)
    return (
      <Stack gap="xs">
        {pick(cell.like, say('reportEditor.like'), (like) => onChange({ ...cell, like }))}
        <TestEditor
          label={say('reportEditor.and')}
          source={source ?? 'visits'}
          test={cell.and}
          groups={groups}
          path={[...path, 'and']}
          onChange={(and) => onChange({ ...cell, and: and ?? newTest(source ?? 'visits') })}
        />
      </Stack>
    )
  if ('manual' in cell || !source) return null
  const numbers = Object.entries(fieldsOf(source)).filter(([, { type }]) => type === 'number')
  const summed = 'sum' in cell ? cell.sum : 'median' in cell ? cell.median : null
  const withoutWhere = () => {
    const { where: _, ...rest } = cell
    return rest as typeof cell
  }
  return (
    <Stack gap="xs">
      {'of' in cell && (
        <Group gap={6} align="flex-start">
          <Select
            label={say('reportEditor.source')}
            value={source}
            onChange={(value) => {
              const next = sourceNames.find((one) => one === value)
              const [field] = Object.entries(next ? fieldsOf(next) : {}).find(
                ([, { type }]) => type === 'number',
              ) ?? ['']
              if (!next) return
              const of = { of: next, in: cell.in }
              onChange('sum' in cell ? { sum: field, ...of } : { median: field, ...of })
            }}
            data={sourceNames.map((value) => ({ value, label: say(sourceLabel(value)) }))}
            searchable
            allowDeselect={false}
            nothingFoundMessage={say('form.nothingFound')}
            flex="1 1 10rem"
          />
          <Select
            label={say('reportEditor.field')}
            value={summed}
            onChange={(field) =>
              field &&
              onChange('sum' in cell ? { ...cell, sum: field } : { ...cell, median: field })
            }
            data={numbers.map(([name]) => ({ value: name, label: say(fieldLabel(name)) }))}
            allowDeselect={false}
            flex="1 1 10rem"
          />
        </Group>
      )}
      <Group gap={6} align="flex-start">
        <WindowPicker
          source={source}
          outer={null}
          window={cell.in}
          onChange={(window) => onChange({ ...cell, in: window })}
          error={windowProblem && say(windowProblem)}
        />
        {'count' in cell && (
          <Select
            label={say('reportEditor.each')}
            value={cell.distinct ?? 'row'}
            onChange={(value) => {
              const { distinct: _, ...rest } = cell
              const next = DISTINCT.find((one) => one === value)
              onChange(next ? { ...rest, distinct: next } : rest)
            }}
            data={(['row', ...DISTINCT] as const).map((value) => ({
              value,
              label: say(`reportEditor.each_${value}`),
            }))}
            allowDeselect={false}
            flex="1 1 10rem"
          />
        )}
      </Group>
      <TestEditor
        label={say('reportEditor.countedOnly')}
        source={source}
        test={cell.where}
        groups={groups}
        path={[...path, 'where']}
        onChange={(where) => onChange(where ? { ...cell, where } : withoutWhere())}
      />
    </Stack>
  )
}

import { Group, Stack } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import {
  type Cell,
  type CellKind,
  type CellOf,
  COUNTS,
  DISTINCT,
  kindOfCell,
  LIMIT_OPS,
  TIMES,
} from '~/features/reports/cells/definition'
import { fieldsOf, type Source, sourceNames } from '~/features/reports/cells/fields'
import { PickList, PickSeveral } from '~/fields/PickList'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { newTest, type SharedParts, sourceOf } from './definition-draft'
import { type Path, useProblem } from './problems'
import { fieldLabel, opLabel, sourceLabel } from './report-words'
import { TestEditor } from './TestEditor'
import { WindowPicker } from './WindowPicker'

type PartsProps<C extends Cell = Cell> = {
  shared: SharedParts
  cell: C
  names: readonly string[]
  path: Path
  onChange: (cell: Cell) => void
}

/** The details of a count or calculation. */
export function CellParts(props: PartsProps) {
  const { cell } = props
  // another kind of cell has other boxes
  const Kind = PARTS[kindOfCell(cell)] as ComponentType<PartsProps>
  return <Kind key={kindOfCell(cell)} {...props} />
}

type NameProps = {
  label: MessageKey
  names: readonly string[]
  value: string
  onChange: (name: string) => void
}

/** Chooses a measure of the definition by its name. */
function NamePicker({ label, names, value, onChange }: NameProps) {
  const say = useSay()
  return (
    <PickList
      label={say(label)}
      value={value || null}
      onChange={(name) => name && onChange(name)}
      data={[...names]}
      searchable
      allowDeselect={false}
      nothingFoundMessage={say('reportEditor.noMeasures')}
      flex="1 1 10rem"
    />
  )
}

type NamesProps = {
  names: readonly string[]
  value: readonly string[]
  onChange: (names: string[]) => void
}

function NamesPicker({ names, value, onChange }: NamesProps) {
  const say = useSay()
  return (
    <PickSeveral
      label={say('reportEditor.sumOf')}
      value={[...value]}
      onChange={onChange}
      data={[...names]}
      searchable
      hidePickedOptions
      nothingFoundMessage={say('reportEditor.noMeasures')}
      flex="2 1 14rem"
    />
  )
}

function RatioParts({ cell, names, onChange }: PartsProps<CellOf<'ratio'>>) {
  const say = useSay()
  const optional = (name: 'cap' | 'share') => (
    <NumberBox
      label={say(`reportEditor.${name}`)}
      value={cell[name] ?? null}
      onChange={(value) => {
        const { [name]: _, ...rest } = cell
        onChange(value === '' ? rest : { ...rest, [name]: value })
      }}
      flex="1 1 6rem"
    />
  )
  return (
    <Group gap={6} align="flex-start">
      <NamePicker
        label="reportEditor.numerator"
        names={names}
        value={cell.ratio[0]}
        onChange={(name) => onChange({ ...cell, ratio: [name, cell.ratio[1]] })}
      />
      <NamePicker
        label="reportEditor.denominator"
        names={names}
        value={cell.ratio[1]}
        onChange={(name) => onChange({ ...cell, ratio: [cell.ratio[0], name] })}
      />
      <PickList
        label={say('reportEditor.times')}
        value={String(cell.times)}
        onChange={(value) => {
          const times = TIMES.find((one) => String(one) === value)
          if (times) onChange({ ...cell, times })
        }}
        data={TIMES.map((value) => ({
          value: String(value),
          label: say(`reportEditor.times_${value}`),
        }))}
        allowDeselect={false}
        flex="1 1 8rem"
      />
      {optional('cap')}
      {optional('share')}
    </Group>
  )
}

function WeightedParts({ cell, names, onChange }: PartsProps<CellOf<'weighted'>>) {
  const say = useSay()
  const set = (weighted: Record<string, number>) => onChange({ ...cell, weighted })
  return (
    <Stack gap="xs">
      <NamesPicker
        names={names}
        value={Object.keys(cell.weighted)}
        onChange={(parts) =>
          set(Object.fromEntries(parts.map((name) => [name, cell.weighted[name] ?? 1])))
        }
      />
      {Object.entries(cell.weighted).map(([name, weight]) => (
        <NumberBox
          key={name}
          label={say({ key: 'reportEditor.weightOf', values: { name } })}
          value={weight}
          onChange={(value) => set({ ...cell.weighted, [name]: value === '' ? 0 : value })}
          maw="16rem"
        />
      ))}
    </Stack>
  )
}

function ClinicsParts({ cell, names, onChange }: PartsProps<CellOf<'clinics'>>) {
  const say = useSay()
  return (
    <Group gap={6} align="flex-start">
      <NamePicker
        label="reportEditor.like"
        names={names}
        value={cell.clinics}
        onChange={(clinics) => onChange({ ...cell, clinics })}
      />
      <PickList
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
}

const SubtractParts = ({ cell, names, onChange }: PartsProps<CellOf<'subtract'>>) => (
  <Group gap={6} align="flex-start">
    <NamePicker
      label="reportEditor.from"
      names={names}
      value={cell.subtract[0]}
      onChange={(name) => onChange({ ...cell, subtract: [name, cell.subtract[1]] })}
    />
    <NamePicker
      label="reportEditor.less"
      names={names}
      value={cell.subtract[1]}
      onChange={(name) => onChange({ ...cell, subtract: [cell.subtract[0], name] })}
    />
  </Group>
)

function AddParts({ cell, names, onChange }: PartsProps<CellOf<'add'>>) {
  const say = useSay()
  return (
    <Group gap={6} align="flex-start">
      <NamesPicker names={names} value={cell.add} onChange={(add) => onChange({ ...cell, add })} />
      <PickList
        label={say('reportEditor.counted')}
        value={cell.counts ?? 'sum'}
        onChange={(value) => {
          const { counts: _, ...rest } = cell
          const counts = COUNTS.find((one) => one === value)
          onChange(counts ? { ...rest, counts } : rest)
        }}
        data={(['sum', ...COUNTS] as const).map((value) => ({
          value,
          label: say(`reportEditor.counted_${value}`),
        }))}
        allowDeselect={false}
        flex="1 1 10rem"
      />
    </Group>
  )
}

function LikeParts({ shared, cell, names, path, onChange }: PartsProps<CellOf<'like'>>) {
  const say = useSay()
  const source = sourceOf(shared, cell) ?? 'visits'
  return (
    <Stack gap="xs">
      <NamePicker
        label="reportEditor.like"
        names={names}
        value={cell.like}
        onChange={(like) => onChange({ ...cell, like })}
      />
      <TestEditor
        label={say('reportEditor.and')}
        source={source}
        test={cell.and}
        groups={groupNames(shared)}
        path={[...path, 'and']}
        onChange={(and) => onChange({ ...cell, and: and ?? newTest(source) })}
      />
    </Stack>
  )
}

const groupNames = ({ groups }: SharedParts) => Object.keys(groups ?? {}).toSorted()

type OfRows = CellOf<'count' | 'sum' | 'median' | 'days'>
type RowsProps = PartsProps<OfRows> & {
  source: Source
  /** What else is chosen beside the window. */
  beside?: ReactNode
}

/** Which rows are counted: of when, and which of them. */
function RowsParts({ shared, cell, source, path, onChange, beside }: RowsProps) {
  const say = useSay()
  const problem = useProblem([...path, 'in'])
  return (
    <>
      <Group gap={6} align="flex-start">
        <WindowPicker
          source={source}
          outer={null}
          window={cell.in}
          onChange={(window) => onChange({ ...cell, in: window })}
          error={problem && say(problem)}
        />
        {beside}
      </Group>
      <TestEditor
        label={say('reportEditor.countedOnly')}
        source={source}
        test={cell.where}
        groups={groupNames(shared)}
        path={[...path, 'where']}
        onChange={(where) => {
          const { where: _, ...rest } = cell
          onChange(where ? { ...rest, where } : rest)
        }}
      />
    </>
  )
}

function CountParts(props: PartsProps<CellOf<'count'>>) {
  const { cell, onChange } = props
  const say = useSay()
  return (
    <Stack gap="xs">
      <RowsParts
        {...props}
        source={cell.count}
        beside={
          <PickList
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
        }
      />
    </Stack>
  )
}

type NumberProps = PartsProps<CellOf<'sum' | 'median'>> & {
  field: string
  /** The cell with another source or field. */
  withNumber: (of: Source, field: string) => Cell
}

/** The number of the counted rows that is added up, or of which the median is taken. */
function NumberParts({ field, withNumber, ...props }: NumberProps) {
  const { cell, onChange } = props
  const say = useSay()
  const numbersOf = (source: Source) =>
    Object.entries(fieldsOf(source)).flatMap(([name, { type }]) =>
      type === 'number' ? [name] : [],
    )
  return (
    <Stack gap="xs">
      <Group gap={6} align="flex-start">
        <PickList
          label={say('reportEditor.source')}
          value={cell.of}
          onChange={(value) => {
            const next = sourceNames.find((one) => one === value)
            if (next && next !== cell.of) onChange(withNumber(next, numbersOf(next)[0] ?? ''))
          }}
          data={sourceNames.map((value) => ({ value, label: say(sourceLabel(value)) }))}
          searchable
          allowDeselect={false}
          nothingFoundMessage={say('form.nothingFound')}
          flex="1 1 10rem"
        />
        <PickList
          label={say('reportEditor.field')}
          value={field}
          onChange={(name) => name && onChange(withNumber(cell.of, name))}
          data={numbersOf(cell.of).map((name) => ({ value: name, label: say(fieldLabel(name)) }))}
          allowDeselect={false}
          flex="1 1 10rem"
        />
      </Group>
      <RowsParts {...props} source={cell.of} />
    </Stack>
  )
}

const PARTS: { [K in CellKind]: (props: PartsProps<CellOf<K>>) => ReactNode } = {
  count: CountParts,
  sum: (props) => (
    <NumberParts
      {...props}
      field={props.cell.sum}
      withNumber={(of, sum) => ({ ...props.cell, of, sum })}
    />
  ),
  median: (props) => (
    <NumberParts
      {...props}
      field={props.cell.median}
      withNumber={(of, median) => ({ ...props.cell, of, median })}
    />
  ),
  days: (props) => (
    <Stack gap="xs">
      <RowsParts {...props} source="stock" />
    </Stack>
  ),
  ratio: RatioParts,
  weighted: WeightedParts,
  clinics: ClinicsParts,
  add: AddParts,
  subtract: SubtractParts,
  like: LikeParts,
  manual: () => null,
}

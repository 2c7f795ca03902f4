import { Group, Stack } from '@mantine/core'
import type { ComponentType } from 'react'
import { type Cell, kindOfCell, cellRules } from '~/features/reports/cells/definition'
import { sourceNames } from '~/features/reports/cells/fields'
import { type EditorBox, numericFields } from '~/features/reports/cells/kinds/kind'
import { PickList, PickSeveral } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { newTest, type SharedParts, measureSource } from './definition-draft'
import { type Path, useProblem } from './problems'
import { fieldLabel, sourceLabel } from './report-words'
import { TestEditor } from './TestEditor'
import { WindowPicker } from './WindowPicker'

type Props = {
  shared: SharedParts
  cell: Cell
  names: readonly string[]
  path: Path
  onChange: (cell: Cell) => void
}

/** The details of a count or calculation, as its kind says them. */
export function CellParts(props: Props) {
  const { cell } = props
  const lines = cellRules(cell).boxes(cell)
  if (lines.length === 0) return null
  // another kind of cell has other boxes
  return (
    <Stack gap="xs" key={kindOfCell(cell)}>
      {lines.map((line) => {
        const boxes = line.map((box) => (
          <OneBox {...props} key={boxName(box)} box={box} isAlone={line.length === 1} />
        ))
        const [only, ...more] = boxes
        if (more.length === 0) return only
        return (
          <Group key={line.map(boxName).join(' ')} gap={6} align="flex-start">
            {boxes}
          </Group>
        )
      })}
    </Stack>
  )
}

const boxName = (box: EditorBox<Cell>) => JSON.stringify([box.box, 'label' in box && box.label])

type Placed = Props & { /** It has a line of its own. */ isAlone: boolean }

function OneBox({ box, ...props }: Placed & { box: EditorBox<Cell> }) {
  const Shown = BOXES[box.box] as ComponentType<BoxProps<EditorBox<Cell>['box']>>
  return <Shown {...props} box={box} />
}

type BoxOf<B extends EditorBox<Cell>['box']> = Extract<EditorBox<Cell>, { box: B }>
type BoxProps<B extends EditorBox<Cell>['box']> = Placed & { box: BoxOf<B> }

/** Chooses a measure of the definition by its name. */
function MeasureBox({ box, names, onChange }: BoxProps<'measure'>) {
  const say = useSay()
  return (
    <PickList
      label={say(box.label)}
      value={box.value || null}
      onChange={(name) => name && onChange(box.set(name))}
      data={[...names]}
      searchable
      allowDeselect={false}
      nothingFoundMessage={say('reportEditor.noMeasures')}
      flex="1 1 10rem"
    />
  )
}

function MeasuresBox({ box, names, onChange }: BoxProps<'measures'>) {
  const say = useSay()
  return (
    <PickSeveral
      label={say('reportEditor.sumOf')}
      value={[...box.value]}
      onChange={(chosen) => onChange(box.set(chosen))}
      data={[...names]}
      searchable
      hidePickedOptions
      nothingFoundMessage={say('reportEditor.noMeasures')}
      flex="2 1 14rem"
    />
  )
}

function ChoiceBox({ box, onChange }: BoxProps<'choice'>) {
  const say = useSay()
  return (
    <PickList
      label={say(box.label)}
      value={box.value}
      onChange={(value) => value && onChange(box.set(value))}
      data={box.options.map(({ value, label }) => ({ value, label: say(label) }))}
      allowDeselect={false}
      flex="1 1 10rem"
    />
  )
}

function NumberPart({ box, isAlone, onChange }: BoxProps<'number'>) {
  const say = useSay()
  return (
    <NumberBox
      label={say(box.label)}
      value={box.value}
      onChange={(value) => onChange(box.set(value === '' ? null : value))}
      // alone it stands in a stack, where a flex basis is its height
      {...(isAlone ? { maw: '16rem' } : { flex: '1 1 6rem' })}
    />
  )
}

function SourceBox({ box, onChange }: BoxProps<'source'>) {
  const say = useSay()
  return (
    <PickList
      label={say('reportEditor.source')}
      value={box.value}
      onChange={(value) => {
        const next = sourceNames.find((one) => one === value)
        if (next && next !== box.value) onChange(box.set(next))
      }}
      data={sourceNames.map((value) => ({ value, label: say(sourceLabel(value)) }))}
      searchable
      allowDeselect={false}
      nothingFoundMessage={say('form.nothingFound')}
      flex="1 1 10rem"
    />
  )
}

function FieldBox({ box, onChange }: BoxProps<'field'>) {
  const say = useSay()
  return (
    <PickList
      label={say('reportEditor.field')}
      value={box.value}
      onChange={(name) => name && onChange(box.set(name))}
      data={numericFields(box.source).map((name) => ({
        value: name,
        label: say(fieldLabel(name)),
      }))}
      allowDeselect={false}
      flex="1 1 10rem"
    />
  )
}

function WindowBox({ box, path, onChange }: BoxProps<'window'>) {
  const say = useSay()
  const problem = useProblem([...path, 'in'])
  return (
    <WindowPicker
      source={box.source}
      outer={null}
      window={box.value}
      onChange={(window) => onChange(box.set(window))}
      error={problem && say(problem)}
    />
  )
}

function TestBox({ box, shared, cell, path, onChange }: BoxProps<'test'>) {
  const say = useSay()
  const source = box.source ?? measureSource(shared, cell) ?? 'visits'
  return (
    <TestEditor
      label={say(box.label)}
      source={source}
      test={box.value}
      groups={Object.keys(shared.groups ?? {}).toSorted()}
      path={[...path, box.part]}
      onChange={(test) => onChange(box.set(test ?? (box.needed && newTest(source))))}
    />
  )
}

const BOXES: { [B in EditorBox<Cell>['box']]: ComponentType<BoxProps<B>> } = {
  measure: MeasureBox,
  measures: MeasuresBox,
  choice: ChoiceBox,
  number: NumberPart,
  source: SourceBox,
  field: FieldBox,
  window: WindowBox,
  test: TestBox,
}

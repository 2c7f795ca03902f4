import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconCopy, IconTrash } from '@tabler/icons-react'
import { memo } from 'react'
import type { Cell, ReportRow } from '~/features/reports/cells/definition'
import { FieldLine, type ReorderHandle } from '~/forms/FieldLine'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { CellEditor } from './CellEditor'
import {
  type DefinitionUpdater,
  type DefinitionDraft,
  translatedName,
  newRow,
  type SharedParts,
  measureSource,
  withSection,
} from './definition-draft'
import { NamesEditor } from './NamesEditor'
import { type Path, useProblem } from './problems'
import { useMeasureWords } from './measure-words'
import { TestEditor } from './TestEditor'

type Props = {
  shared: SharedParts
  row: ReportRow
  /** The places of its section, and of itself in it. */
  sectionAt: number
  at: number
  /** What the section counts, if the row does not say. */
  ofSection: string | Cell | undefined
  language: Language
  isOpen: boolean
  isAdded: boolean
  isDragged: boolean
  handle: ReorderHandle
  change: DefinitionUpdater
  changeLater: DefinitionUpdater
  onOpen: (id: string | null, isAdded?: boolean) => void
  /** With how it is put back. */
  onRemoved: DefinitionUpdater
}

/** One row of the paper: a line that can be moved, and everything about it once it is opened. */
export const RowCard = memo(Card, (before, after) =>
  // the handle is created again each time; it only knows its position and whether it is being
  // dragged
  (Object.keys(after) as (keyof Props)[]).every(
    (name) => name === 'handle' || before[name] === after[name],
  ),
)

function Card(props: Props) {
  const { shared, row, sectionAt, at, ofSection, language, isOpen, handle, onOpen } = props
  const say = useSay()
  const wordsOf = useMeasureWords(shared)
  const isBad = useProblem(['sections', sectionAt, 'rows', at]) !== undefined
  return (
    <FieldLine
      name={translatedName(row.names, language) || say('reportEditor.unnamed')}
      required={false}
      isBad={isBad}
      kind={wordsOf(row.measure ?? ofSection)}
      handle={handle}
      onToggle={() => onOpen(isOpen ? null : row.id)}
    >
      {isOpen && <RowEditor {...props} />}
    </FieldLine>
  )
}

function RowEditor(props: Props) {
  const { shared, row, sectionAt, at, ofSection, isAdded } = props
  const { change, changeLater, onOpen, onRemoved } = props
  const say = useSay()
  const wordsOf = useMeasureWords(shared)
  const source = measureSource(shared, row.measure ?? ofSection)
  const path: Path = ['sections', sectionAt, 'rows', at]
  const inSection = (next: (rows: readonly ReportRow[]) => ReportRow[]) => (now: DefinitionDraft) =>
    withSection(now, sectionAt, (section) => ({ ...section, rows: next(section.rows) }))
  const setRows = (next: (rows: readonly ReportRow[]) => ReportRow[], isTyping = false) =>
    (isTyping ? changeLater : change)(inSection(next))
  const onChange = (next: (row: ReportRow) => ReportRow, isTyping = false) =>
    setRows((rows) => rows.map((each, index) => (index === at ? next(each) : each)), isTyping)
  const setText = (name: 'number' | 'dhis2' | 'unit', text: string) =>
    onChange(({ [name]: _, ...rest }) => (text ? { ...rest, [name]: text } : rest), true)
  const shortText = (name: 'number' | 'unit') => (
    <TextInput
      label={say(`reportEditor.${name}`)}
      value={row[name] ?? ''}
      onChange={(event) => setText(name, event.currentTarget.value)}
      maxLength={20}
      w="8rem"
    />
  )
  return (
    <Stack gap="md" p="md" pt="xs">
      <NamesEditor
        names={row.names}
        onChange={(next) => onChange((now) => ({ ...now, names: next(now.names) }), true)}
        path={[...path, 'names']}
        isAdded={isAdded}
      />
      <CellEditor
        {...{ shared }}
        measure={row.measure}
        inherited={ofSection === undefined ? undefined : wordsOf(ofSection)}
        path={[...path, 'measure']}
        onChange={(measure) =>
          onChange(({ measure: _, ...rest }) =>
            measure === undefined ? rest : { ...rest, measure },
          )
        }
      />
      {source && (
        <TestEditor
          label={say('reportEditor.rowWhere')}
          source={source}
          test={row.where}
          groups={Object.keys(shared.groups ?? {}).toSorted()}
          path={[...path, 'where']}
          onChange={(where) =>
            onChange(({ where: _, ...rest }) => (where ? { ...rest, where } : rest))
          }
        />
      )}
      <Group gap="xs" align="flex-end">
        {shortText('number')}
        <NumberBox
          label={say('reportEditor.goal')}
          value={row.goal ?? null}
          onChange={(goal) =>
            onChange(({ goal: _, ...rest }) => (goal === '' ? rest : { ...rest, goal }))
          }
          w="8rem"
        />
        {shortText('unit')}
        <TextInput
          label={say('reportEditor.dhis2')}
          value={row.dhis2 ?? ''}
          onChange={(event) => setText('dhis2', event.currentTarget.value)}
          maxLength={100}
          w="12rem"
          dir="ltr"
        />
      </Group>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconCopy size={16} aria-hidden />}
          onClick={() => {
            const copy = { ...structuredClone(row), id: newRow().id }
            setRows((rows) => rows.toSpliced(at + 1, 0, copy))
            onOpen(copy.id, true)
          }}
        >
          {say('reportEditor.copyRow')}
        </Button>
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          size="xs"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => {
            onRemoved(inSection((rows) => rows.toSpliced(at, 0, row)))
            setRows((rows) => rows.toSpliced(at, 1))
          }}
        >
          {say('reportEditor.removeRow')}
        </Button>
      </Group>
    </Stack>
  )
}

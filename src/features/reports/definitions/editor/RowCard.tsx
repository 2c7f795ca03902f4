import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconCopy, IconTrash } from '@tabler/icons-react'
import type { HTMLAttributes } from 'react'
import { measureOf, type Row, type Section } from '~/features/reports/cells/definition'
import { FieldLine } from '~/forms/FieldLine'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { CellEditor } from './CellEditor'
import { type Draft, nameIn, sourceOf } from './definition-draft'
import { NamesEditor } from './NamesEditor'
import { type Path, useProblem } from './problems'
import { useMeasureWords } from './measure-words'
import { TestEditor } from './TestEditor'

type Props = {
  draft: Draft
  section: Section
  row: Row
  path: Path
  language: Language
  isOpen: boolean
  isAdded: boolean
  handle: HTMLAttributes<HTMLElement>
  onToggle: () => void
  onChange: (change: (row: Row) => Row, isTyping?: boolean) => void
  onCopy: () => void
  onRemove: () => void
}

/** One row of the paper: a line that can be moved, and everything about it once it is opened. */
export function RowCard(props: Props) {
  const { draft, section, row, path, language, isOpen, handle, onToggle } = props
  const say = useSay()
  const wordsOf = useMeasureWords(draft)
  const isBad = useProblem(path) !== undefined
  return (
    <FieldLine
      name={nameIn(row.names, language) || say('reportEditor.unnamed')}
      required={false}
      isBad={isBad}
      kind={wordsOf(measureOf(section, row))}
      handle={handle}
      onToggle={onToggle}
    >
      {isOpen && <RowEditor {...props} />}
    </FieldLine>
  )
}

function RowEditor({ draft, section, row, path, isAdded, onChange, onCopy, onRemove }: Props) {
  const say = useSay()
  const wordsOf = useMeasureWords(draft)
  const source = sourceOf(draft, measureOf(section, row))
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
        onChange={(change) => onChange((now) => ({ ...now, names: change(now.names) }), true)}
        path={[...path, 'names']}
        isAdded={isAdded}
      />
      <CellEditor
        draft={draft}
        measure={row.measure}
        inherited={section.measure === undefined ? undefined : wordsOf(section.measure)}
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
          groups={Object.keys(draft.groups ?? {}).toSorted()}
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
          onClick={onCopy}
        >
          {say('reportEditor.copyRow')}
        </Button>
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          size="xs"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={onRemove}
        >
          {say('reportEditor.removeRow')}
        </Button>
      </Group>
    </Stack>
  )
}

import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Paper,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react'
import { useCallback } from 'react'
import { CodePicker } from '~/features/care/problem-codes/CodePicker'
import { useReorder } from '~/features/people/registration/reorder'
import { moved } from '~/features/people/registration/form-draft'
import type { Row, Section } from '~/features/reports/cells/definition'
import lines from '~/forms/FieldLine.module.css'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { CellEditor } from './CellEditor'
import {
  type Change,
  type Draft,
  nameIn,
  newRow,
  sourceOf,
  withDiagnosis,
} from './definition-draft'
import { NamesEditor } from './NamesEditor'
import { type Path, useProblem } from './problems'
import { RowCard } from './RowCard'
import { TestEditor } from './TestEditor'

type Props = {
  draft: Draft
  section: Section
  at: number
  language: Language
  change: Change
  changeLater: Change
  /** The id of the row that is open, and whether it was added here. */
  opened: string | null
  added: string | null
  onOpen: (id: string | null, isAdded?: boolean) => void
  onMoved: (place: number) => void
  onRemoved: (undo: Draft, what: 'row' | 'section') => void
}

/** A table of the paper: its name, its columns, what it counts, and its rows. */
export function SectionCard(props: Props) {
  const { draft, section, at, language, change, changeLater, opened, added, onOpen } = props
  const { onMoved, onRemoved } = props
  const say = useSay()
  const path: Path = ['sections', at]
  const rowsProblem = useProblem([...path, 'rows'])
  const columnsProblem = useProblem([...path, 'columns'])
  const name = nameIn(section.names, language) || say('reportEditor.section')
  const set = (next: (section: Section) => Section, isTyping = false) =>
    (isTyping ? changeLater : change)((now) => ({
      ...now,
      sections: now.sections.map((each, index) => (index === at ? next(each) : each)),
    }))
  const count = section.rows.length
  const move = useCallback(
    (from: number, to: number) => {
      if (to < 0 || to >= count) return
      change((now) => ({
        ...now,
        sections: now.sections.map((each, index) =>
          index === at ? { ...each, rows: moved(each.rows, from, to) } : each,
        ),
      }))
      onMoved(to + 1)
    },
    [change, at, count, onMoved],
  )
  const reorder = useReorder(move)
  const source = sourceOf(draft, section.measure)
  const axes = section.columns
    ? 'axis' in section.columns
      ? [section.columns.axis]
      : section.columns.cross
    : []
  const setAxes = (names: string[], total: boolean) =>
    set(({ columns: _, ...rest }) => {
      const [first] = names
      if (first === undefined) return rest
      const withTotal = total ? { total } : {}
      return {
        ...rest,
        columns:
          names.length === 1 ? { axis: first, ...withTotal } : { cross: names, ...withTotal },
      }
    })
  const addRow = (row: Row) => {
    set((now) => ({ ...now, rows: [...now.rows, row] }))
    onOpen(row.id, true)
  }
  const changeRow =
    (index: number) =>
    (next: (row: Row) => Row, isTyping = false) =>
      set(
        (now) => ({
          ...now,
          rows: now.rows.map((row, each) => (each === index ? next(row) : row)),
        }),
        isTyping,
      )
  const moveSection = (to: number) =>
    change((now) => ({ ...now, sections: moved(now.sections, at, to) }))

  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Title order={2} size="h4">
            <bdi>{name}</bdi>
          </Title>
          <ActionIcon.Group>
            <ActionIcon
              variant="default"
              disabled={at === 0}
              onClick={() => moveSection(at - 1)}
              aria-label={say({ key: 'reportEditor.sectionUp', values: { name } })}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              disabled={at === draft.sections.length - 1}
              onClick={() => moveSection(at + 1)}
              aria-label={say({ key: 'reportEditor.sectionDown', values: { name } })}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              disabled={draft.sections.length === 1}
              onClick={() => {
                onRemoved(draft, 'section')
                change((now) => ({ ...now, sections: now.sections.toSpliced(at, 1) }))
              }}
              aria-label={say({ key: 'reportEditor.removePart', values: { name } })}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </ActionIcon.Group>
        </Group>
        <NamesEditor
          names={section.names}
          onChange={(next) => set((now) => ({ ...now, names: next(now.names) }), true)}
          path={[...path, 'names']}
        />
        <CellEditor
          draft={draft}
          measure={section.measure}
          inherited={say('reportEditor.eachRow')}
          path={[...path, 'measure']}
          onChange={(measure) =>
            set(({ measure: _, ...rest }) => (measure === undefined ? rest : { ...rest, measure }))
          }
        />
        {source && section.where && (
          <TestEditor
            label={say('reportEditor.sectionWhere')}
            source={source}
            test={section.where}
            groups={Object.keys(draft.groups ?? {}).toSorted()}
            path={[...path, 'where']}
            onChange={(where) =>
              set(({ where: _, ...rest }) => (where ? { ...rest, where } : rest))
            }
          />
        )}
        <Group gap="md" align="flex-end">
          <MultiSelect
            label={say('reportEditor.columns')}
            description={say('reportEditor.columnsHint')}
            placeholder={axes.length === 0 ? say('reportEditor.oneColumn') : undefined}
            value={axes}
            onChange={(names) => setAxes(names, section.columns?.total === true)}
            data={[...new Set([...Object.keys(draft.axes ?? {}), ...axes])]}
            maxValues={4}
            nothingFoundMessage={say('reportEditor.noAxes')}
            error={columnsProblem && say(columnsProblem)}
            flex="1 1 16rem"
          />
          <Stack gap={4}>
            <Checkbox
              label={say('reportEditor.total')}
              checked={section.columns?.total === true}
              disabled={axes.length === 0}
              onChange={(event) => setAxes(axes, event.currentTarget.checked)}
            />
            <Checkbox
              label={say('reportEditor.exclusive')}
              checked={section.exclusive === true}
              onChange={(event) => {
                const { checked } = event.currentTarget
                set(({ exclusive: _, ...rest }) => (checked ? { ...rest, exclusive: true } : rest))
              }}
            />
          </Stack>
        </Group>
        <ol className={lines.fields} aria-label={say('reportEditor.rows')}>
          {section.rows.map((row, index) => (
            <li key={row.id} style={{ opacity: reorder.dragged === index ? 0.6 : undefined }}>
              <RowCard
                {...{ draft, section, row, language }}
                path={[...path, 'rows', index]}
                isOpen={opened === row.id}
                isAdded={added === row.id}
                handle={reorder.handle(index)}
                onToggle={() => onOpen(opened === row.id ? null : row.id)}
                onChange={changeRow(index)}
                onCopy={() => {
                  const copy = { ...structuredClone(row), id: newRow().id }
                  set((now) => ({ ...now, rows: now.rows.toSpliced(index + 1, 0, copy) }))
                  onOpen(copy.id, true)
                }}
                onRemove={() => {
                  onRemoved(draft, 'row')
                  set((now) => ({ ...now, rows: now.rows.toSpliced(index, 1) }))
                }}
              />
            </li>
          ))}
        </ol>
        {count === 0 && (
          <Text c={rowsProblem ? 'var(--mantine-color-error)' : 'dimmed'} size="sm">
            {say('reportEditor.noRows')}
          </Text>
        )}
        <Group gap="md" align="flex-end">
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => addRow(newRow())}
          >
            {say('reportEditor.addRow')}
          </Button>
          {source === 'cases' && (
            <Stack flex="1 1 16rem" gap={0}>
              <CodePicker
                language={language}
                many={{ label: say('reportEditor.addDiagnosis') }}
                onPick={({ system, code, labels }) =>
                  change((now) =>
                    withDiagnosis(now, at, {
                      system,
                      code,
                      names: { ...labels, en: labels.en || code },
                    }),
                  )
                }
              />
            </Stack>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}

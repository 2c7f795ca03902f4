import { ActionIcon, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import { memo, useCallback, useEffect, useRef } from 'react'
import { useReorder } from '~/features/people/registration/reorder'
import { moved } from '~/features/people/registration/form-draft'
import type { ReportSection } from '~/features/reports/cells/definition'
import lines from '~/forms/FieldLine.module.css'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { AddRows } from './AddRows'
import {
  type DefinitionUpdater,
  translatedName,
  type SharedParts,
  measureSource,
  withSection,
} from './definition-draft'
import { useProblem } from './problems'
import { RowCard } from './RowCard'
import { SectionSettings } from './SectionSettings'

type Props = {
  shared: SharedParts
  section: ReportSection
  at: number
  isLast: boolean
  language: Language
  change: DefinitionUpdater
  changeLater: DefinitionUpdater
  /** The id of the row that is open, and whether it was added here. */
  opened: string | null
  added: string | null
  onOpen: (id: string | null, isAdded?: boolean) => void
  onMoved: (place: number) => void
  /** Before a part is removed: offers to undo it. */
  /** With how it is put back. */
  onRemoved: DefinitionUpdater
}

/**
 * A table of the paper: its name, its columns, what it counts, and its rows. Does not render again when another section
 * changes, nor do its rows when another row does: a report may have hundreds.
 */
export const SectionCard = memo(function SectionCard(props: Props) {
  const { shared, section, at, isLast, language, change, changeLater } = props
  const { opened, added, onOpen, onMoved, onRemoved } = props
  const say = useSay()
  const rowsProblem = useProblem(['sections', at, 'rows'])
  const name = translatedName(section.names, language) || say('reportEditor.section')
  const count = section.rows.length
  // the handle of a row that did not render again still knows how many there are
  const latestCount = useRef(count)
  useEffect(() => {
    latestCount.current = count
  }, [count])
  const move = useCallback(
    (from: number, to: number) => {
      if (to < 0 || to >= latestCount.current) return
      change((now) =>
        withSection(now, at, (each) => ({ ...each, rows: moved(each.rows, from, to) })),
      )
      onMoved(to + 1)
    },
    [change, at, onMoved],
  )
  const reorder = useReorder(move)
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
              disabled={isLast}
              onClick={() => moveSection(at + 1)}
              aria-label={say({ key: 'reportEditor.sectionDown', values: { name } })}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              disabled={isLast && at === 0}
              onClick={() => {
                onRemoved((now) => ({
                  ...now,
                  sections: now.sections.toSpliced(at, 0, section),
                }))
                change((now) => ({ ...now, sections: now.sections.toSpliced(at, 1) }))
              }}
              aria-label={say({ key: 'reportEditor.removePart', values: { name } })}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </ActionIcon.Group>
        </Group>
        <SectionSettings {...{ shared, section, at, change, changeLater }} />
        <ol className={lines.fields} aria-label={say('reportEditor.rows')}>
          {section.rows.map((row, index) => (
            <li key={row.id} style={{ opacity: reorder.dragged === index ? 0.6 : undefined }}>
              <RowCard
                {...{ shared, row, language, change, changeLater, onOpen, onRemoved }}
                sectionAt={at}
                at={index}
                ofSection={section.measure}
                isOpen={opened === row.id}
                isAdded={added === row.id}
                isDragged={reorder.dragged === index}
                handle={reorder.handle(index)}
              />
            </li>
          ))}
        </ol>
        {count === 0 && (
          <Text c={rowsProblem ? 'var(--mantine-color-error)' : 'dimmed'} size="sm">
            {say('reportEditor.noRows')}
          </Text>
        )}
        <AddRows
          {...{ at, language, change, onOpen }}
          areCases={measureSource(shared, section.measure) === 'cases'}
        />
      </Stack>
    </Paper>
  )
})

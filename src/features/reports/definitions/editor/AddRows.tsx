import { Button, Group, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { memo } from 'react'
import { CodePicker } from '~/features/care/problem-codes/CodePicker'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type DefinitionUpdater, newRow, withDiagnosis, withSection } from './definition-draft'

type Props = {
  /** The place of the section. */
  at: number
  /** Its rows count diagnoses. */
  areCases: boolean
  language: Language
  change: DefinitionUpdater
  onOpen: (id: string | null, isAdded?: boolean) => void
}

/** Adds a row to a section: an empty one, or one for a diagnosis. */
export const AddRows = memo(function AddRows({ at, areCases, language, change, onOpen }: Props) {
  const say = useSay()
  return (
    <Group gap="md" align="flex-end">
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => {
          const row = newRow()
          change((now) => withSection(now, at, (each) => ({ ...each, rows: [...each.rows, row] })))
          onOpen(row.id, true)
        }}
      >
        {say('reportEditor.addRow')}
      </Button>
      {areCases && (
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
  )
})

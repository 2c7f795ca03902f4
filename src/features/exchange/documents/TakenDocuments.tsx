import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { explainError } from '~/client/explain'
import { useQuery } from '~/client/query'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import { useSaidTime } from '~/ui/said-time'
import type { AddedLine, TakenDocument } from './taken-documents.server'
import { AddedLines, UndoDocument } from './UndoDocument'

/** The documents of which lines were taken over, each with a button that takes them back; nothing if there is none. */
export function TakenDocuments({ patientId }: { patientId: string }) {
  const say = useSay()
  const timeText = useSaidTime()
  const format = useFormatter()
  const [undoing, setUndoing] = useState<TakenDocument | null>(null)
  const { data, error } = useQuery('documents.ofPatient', { patientId })
  const [left, setLeft] = useState<readonly AddedLine[]>([])
  if (error && !data)
    return (
      <Alert role="alert" color="red" variant="light">
        {say(explainError(error).text)}
      </Alert>
    )
  if (!data || data.length === 0) return null
  const columns: Column<TakenDocument>[] = [
    {
      key: 'document',
      label: 'documents.one',
      cell: ({ written_by, written_on, file_name }) => (
        <Stack gap={2} align="flex-start">
          <bdi>{written_by ?? file_name}</bdi>
          <Text size="xs" c="dimmed">
            {written_by && <bdi>{file_name}</bdi>}
            {written_by && written_on && ' · '}
            {written_on && timeText(written_on)}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'taken',
      label: 'documents.takenOn',
      cell: ({ created_at, taken_by }) => <MomentBy at={created_at} name={taken_by} />,
    },
    {
      key: 'lines',
      label: 'documents.linesInRecord',
      align: 'end',
      cell: ({ lines }) => format.number(lines),
    },
    {
      key: 'undone',
      label: 'documents.undoneOn',
      cell: ({ undone }) =>
        undone?.at ? <MomentBy at={undone.at} name={undone.by} /> : <Nothing />,
    },
    {
      key: 'undo',
      label: 'documents.undo',
      card: 'action',
      cell: (document) =>
        document.mayUndo && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconArrowBackUp size={14} aria-hidden />}
            onClick={() => setUndoing(document)}
            aria-label={say({
              key: 'documents.undoOf',
              values: { name: document.written_by ?? document.file_name },
            })}
          >
            {say('documents.undo')}
          </Button>
        ),
    },
  ]
  return (
    <div>
      <Title order={2} size="h4" mb="xs">
        {say('documents.taken')}
      </Title>
      <DataTable
        label="documents.taken"
        rows={data}
        columns={columns}
        nameOf={({ written_by, file_name }) => written_by ?? file_name}
        empty="documents.noneTaken"
      />
      {left.length > 0 && (
        <Alert
          mt="sm"
          color="orange"
          variant="light"
          withCloseButton
          closeButtonLabel={say('common.close')}
          onClose={() => setLeft([])}
        >
          <Text size="sm" fw={600}>
            {say('documents.stayed')}
          </Text>
          <AddedLines lines={left} />
        </Alert>
      )}
      {undoing && (
        <UndoDocument
          document={undoing}
          onClose={() => setUndoing(null)}
          onUndone={(stayed) => setLeft(stayed)}
        />
      )}
    </div>
  )
}

function MomentBy({ at, name }: { at: Date; name: string | null }) {
  return (
    <Stack gap={2} align="flex-start">
      <Moment at={at} />
      {name && (
        <Text size="xs" c="dimmed">
          <bdi>{name}</bdi>
        </Text>
      )}
    </Stack>
  )
}

import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { api } from '~/client/api'
import { explainError } from '~/client/explain'
import { useQuery } from '~/client/query'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { Dialog } from '~/ui/Dialog'
import { useSaidTime } from '~/ui/said-time'
import type { AddedLine, TakenDocument } from './taken-documents.server'

type Props = {
  document: TakenDocument
  onClose: () => void
  /** With the lines that stayed. */
  onUndone: (stayed: readonly AddedLine[]) => void
}

/** Asks before a document is undone: names the lines that go to the trash, and those that stay and why. */
export function UndoDocument({ document, onClose, onUndone }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { data, error } = useQuery('documents.added', { id: document.id })
  const goes = data?.lines.filter(({ left }) => left === null) ?? []
  const stays = data?.lines.filter(({ left }) => left !== null) ?? []

  async function undo() {
    const done = await run(() => api.documents.undo({ id: document.id }), {
      success: ({ undone, left }) => ({
        key: 'documents.undoneDone',
        values: { undone, left: left.length },
      }),
      undo: ({ deletionId }) => api.trash.restore({ id: deletionId }),
    })
    onClose()
    if (done) onUndone(done.left)
  }

  return (
    <Dialog
      onClose={onClose}
      title={say({
        key: 'documents.undoOf',
        values: { name: document.written_by ?? document.file_name },
      })}
    >
      <Stack gap="md">
        {Boolean(error) && !data && (
          <Alert role="alert" color="red" variant="light">
            {say(explainError(error).text)}
          </Alert>
        )}
        {!data && !error && <Loader size="sm" />}
        {goes.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              {say({ key: 'documents.goes', values: { count: goes.length } })}
            </Text>
            <AddedLines lines={goes} />
          </div>
        )}
        {stays.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              {say({ key: 'documents.stays', values: { count: stays.length } })}
            </Text>
            <AddedLines lines={stays} />
          </div>
        )}
        {data && (
          <Text size="sm">
            {say(goes.length > 0 ? 'documents.undoHint' : 'documents.nothingToUndo')}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {say('common.cancel')}
          </Button>
          <Button
            color="red.9"
            onClick={() => void undo()}
            loading={pending}
            disabled={goes.length === 0}
          >
            {say('documents.undo')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** What each line says, and what was done with it since. */
export function AddedLines({ lines }: { lines: readonly AddedLine[] }) {
  const say = useSay()
  const timeText = useSaidTime()
  return (
    <ul style={{ margin: 0, paddingInlineStart: '1.25rem' }}>
      {lines.map(({ id, kind, words, when, left }) => (
        <li key={id}>
          <Text size="sm" component="span">
            {say(`documents.section_${kind}`)}: <bdi>{words}</bdi>
            {when && ` (${timeText(when)})`}
          </Text>
          {left && (
            <Text size="xs">
              {say({
                key: `documents.stays_${left.reason}`,
                values: {
                  who: left.who ?? say('documents.nobodyKnown'),
                  day: left.at ? timeText(new Date(left.at).toISOString()) : '—',
                },
              })}
            </Text>
          )}
        </li>
      ))}
    </ul>
  )
}

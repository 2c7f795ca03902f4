import { Button, Group, Paper, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { deletePatients } from './search.functions'

type Props = { ids: readonly string[]; pageIds: readonly string[]; set: (ids: string[]) => void }

/** What can be done with those who are marked: deleted, after the number has been typed. */
export function MarkedPatients({ ids, pageIds, set }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const count = ids.length

  async function remove() {
    const isMeant = await confirm({
      title: { key: 'patientSearch.deleteTitle', values: { count } },
      text: 'patientSearch.deleteText',
      action: 'patientSearch.deleteAction',
      typed: String(count),
      destructive: true,
    })
    if (!isMeant) return
    const done = await run(() => deletePatients({ data: { ids: [...ids] } }), {
      success: { key: 'patientSearch.deletedDone', values: { count } },
      undo: async ({ deleted }) => {
        for (const { deletionId } of deleted) await restoreDeletion({ data: { id: deletionId } })
      },
    })
    if (done) set([])
  }

  return (
    <Paper withBorder px="md" py="xs" component="section" aria-label={say('patientSearch.markedTitle')}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" aria-live="polite">
          {say({ key: 'patientSearch.selected', values: { count } })}
        </Text>
        <Group gap="xs">
          {pageIds.some((id) => !ids.includes(id)) && (
            <Button size="xs" variant="default" onClick={() => set([...new Set([...ids, ...pageIds])])}>
              {say('patientSearch.selectPage')}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => set([])}>
            {say('patientSearch.selectNone')}
          </Button>
          <Button
            size="xs"
            color="red.9"
            leftSection={<IconTrash size={14} aria-hidden />}
            disabled={pending}
            onClick={() => void remove()}
          >
            {say('patientSearch.deleteSelected')}
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}

import { Button, Group, Paper, Text } from '@mantine/core'
import { IconArrowMerge, IconTrash } from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { untilDeleted } from '../deletions/until-deleted'
import type { Selection } from '~/ui/DataTable'
import classes from './MarkedPatients.module.css'

type Props = Selection & { pageIds: readonly string[]; mayMerge: boolean }

/**
 * The actions on the selected patients: merge two of them, or delete them after typing their
 * number.
 */
export function MarkedPatients({ ids, pageIds, set, mayMerge }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const count = ids.length
  const [winner, loser] = ids

  async function remove() {
    const isMeant = await confirm({
      title: { key: 'patientSearch.deleteTitle', values: { count } },
      text: 'patientSearch.deleteText',
      action: 'patientSearch.deleteAction',
      typed: String(count),
      destructive: true,
    })
    if (!isMeant) return
    const done = await run(
      async (progress) => {
        const { deleted, job } = await api.patients.deleteMany({ ids: [...ids] })
        await untilDeleted(job, progress)
        return deleted
      },
      {
        success: { key: 'patientSearch.deletedDone', values: { count } },
        undo: async (deleted) => {
          for (const { deletionId } of deleted) await api.trash.restore({ id: deletionId })
        },
      },
    )
    if (done) set([])
  }

  return (
    <Paper
      withBorder
      px="md"
      py="xs"
      className={classes.bar}
      component="section"
      aria-label={say('patientSearch.markedTitle')}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" aria-live="polite">
          {say({ key: 'patientSearch.selected', values: { count } })}
        </Text>
        <Group gap="xs">
          {pageIds.some((id) => !ids.includes(id)) && (
            <Button
              size="xs"
              variant="default"
              onClick={() => set([...new Set([...ids, ...pageIds])])}
            >
              {say('patientSearch.selectPage')}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => set([])}>
            {say('patientSearch.selectNone')}
          </Button>
          {mayMerge && count === 2 && (
            <LinkButton
              size="xs"
              variant="default"
              leftSection={<IconArrowMerge size={14} aria-hidden />}
              to="/app/patients/merge"
              search={{ winner, loser, isProposal: true }}
            >
              {say('patientSearch.mergeSelected')}
            </LinkButton>
          )}
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

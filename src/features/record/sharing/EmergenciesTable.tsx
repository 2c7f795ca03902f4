import { Button, Stack, Text } from '@mantine/core'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import type { ListedEmergency } from './emergencies.server'
import { PatientOfReview } from './PatientOfReview'

type Props = {
  rows: readonly ListedEmergency[]
  pagination: Pagination
  state: 'waiting' | 'reviewed'
}

/** Who used emergency access and why; each stays until another administrator has reviewed it. */
export function EmergenciesTable({ rows, pagination, state }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const columns: Column<ListedEmergency>[] = [
    {
      key: 'patient',
      card: 'title',
      label: 'sharing.patient',
      cell: (row) => <PatientOfReview {...row} />,
    },
    {
      key: 'user',
      label: 'sharing.user',
      cell: ({ user, clinic }) => (
        <Stack gap={2} align="flex-start">
          <bdi>{user}</bdi>
          {clinic && (
            <Text size="xs" c="dimmed">
              <bdi>{clinic}</bdi>
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'reason',
      label: 'sharing.reason',
      cell: ({ reason }) => (
        <Text size="sm" dir="auto">
          {reason}
        </Text>
      ),
    },
    {
      key: 'opened_at',
      label: 'sharing.openedAt',
      cell: ({ opened_at }) => <Moment at={opened_at} />,
    },
    {
      key: 'review',
      label: 'sharing.reviewedBy',
      cell: ({ id, isOwn, reviewed_at, reviewed_by }) => {
        if (reviewed_at)
          return (
            <Stack gap={2} align="flex-start">
              <bdi>{reviewed_by}</bdi>
              <Moment at={reviewed_at} dayOnly />
            </Stack>
          )
        if (isOwn) return <Text size="sm">{say('sharing.ownEmergency')}</Text>
        return (
          <Button
            size="xs"
            variant="default"
            disabled={pending}
            onClick={() =>
              void run(() => api.emergencies.review({ id }), { success: 'sharing.reviewed' })
            }
          >
            {say('sharing.review')}
          </Button>
        )
      },
    },
  ]
  return (
    <DataTable
      label={state === 'waiting' ? 'sharing.tabEmergencies' : 'sharing.tabReviewed'}
      columns={columns}
      rows={rows}
      pagination={pagination}
      empty={state === 'waiting' ? 'sharing.nothingWaiting' : 'sharing.nothingReviewed'}
    />
  )
}

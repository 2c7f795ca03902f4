import { Button, Stack, Text } from '@mantine/core'
import { api } from '~/client/api'
import { reasonLabel } from '~/features/people/patients/care-reason'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import type { ListedOpening } from './openings.server'
import { PatientOfReview } from './PatientOfReview'

type Props = { rows: readonly ListedOpening[]; pagination: Pagination; state: 'open' | 'closed' }

/** Which clinic opened what others recorded, who did it and why; each can be closed. */
export function OpeningsTable({ rows, pagination, state }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  async function close({ id, clinic }: ListedOpening) {
    const isMeant = await confirm({
      title: 'sharing.closeTitle',
      text: { key: 'sharing.closeText', values: { clinic } },
      action: 'sharing.close',
      destructive: true,
    })
    if (isMeant) await run(() => api.openings.close({ id }), { success: 'sharing.closed' })
  }
  const columns: Column<ListedOpening>[] = [
    {
      key: 'patient',
      card: 'title',
      label: 'sharing.patient',
      cell: (row) => <PatientOfReview {...row} />,
    },
    {
      key: 'clinic',
      label: 'sharing.clinic',
      cell: ({ clinic, opened_by }) => (
        <Stack gap={2} align="flex-start">
          <bdi>{clinic}</bdi>
          {opened_by && (
            <Text size="xs" c="dimmed">
              <bdi>{opened_by}</bdi>
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'reason',
      label: 'sharing.reason',
      cell: ({ reason, reason_text }) => (
        <Stack gap={2} align="flex-start">
          <span>{say(reasonLabel(reason))}</span>
          {reason_text && (
            <Text size="sm" dir="auto">
              {reason_text}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'opened_at',
      label: 'sharing.openedAt',
      cell: ({ opened_at }) => <Moment at={opened_at} />,
    },
    state === 'open'
      ? {
          key: 'until',
          label: 'sharing.until',
          cell: ({ until }) => <Moment at={until} dayOnly />,
        }
      : {
          key: 'closed_by',
          label: 'sharing.closedBy',
          cell: ({ closed_by, deleted_at }) => (
            <Stack gap={2} align="flex-start">
              <bdi>{closed_by ?? say('sharing.timeEnded')}</bdi>
              {deleted_at ? <Moment at={deleted_at} dayOnly /> : <Nothing />}
            </Stack>
          ),
        },
    ...(state === 'open'
      ? [
          {
            key: 'close',
            card: 'action',
            label: 'sharing.close',
            cell: (row: ListedOpening) => (
              <Button
                size="xs"
                variant="default"
                disabled={pending}
                onClick={() => void close(row)}
              >
                {say('sharing.close')}
              </Button>
            ),
          } satisfies Column<ListedOpening>,
        ]
      : []),
  ]
  return (
    <DataTable
      label={state === 'open' ? 'sharing.tabOpen' : 'sharing.tabClosed'}
      columns={columns}
      rows={rows}
      pagination={pagination}
      empty={state === 'open' ? 'sharing.nothingOpen' : 'sharing.nothingClosed'}
    />
  )
}

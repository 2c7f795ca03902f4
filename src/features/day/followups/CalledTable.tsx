import { Stack, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { LinkAnchor } from '~/client/links'
import { api } from '~/client/api'
import { ProgramName } from '~/features/care/programs/Program'
import { patientName } from '~/features/people/patients/patient'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import type { Column } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { useDayText } from '~/ui/Day'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { rowMenu } from '~/ui/rowMenu'
import { StatusBadge } from '~/ui/StatusBadge'
import { CallResult } from './CallResult'
import type { CalledFollowUp } from './followups.server'

type Props = { rows: readonly CalledFollowUp[]; pagination: Pagination }

/** Calls of a month; the first call to a patient for a program shows whether the patient came back. */
export function CalledTable({ rows, pagination }: Props) {
  const say = useSay()
  const { run } = useAction()
  const columns: Column<CalledFollowUp>[] = [
    {
      key: 'patient',
      label: 'followups.patient',
      card: 'title',
      cell: (row) => (
        <Stack gap={0} align="flex-start">
          <LinkAnchor
            size="sm"
            to="/app/patients/$patientId"
            params={{ patientId: row.patient_id }}
          >
            <bdi>{patientName(row)}</bdi>
          </LinkAnchor>
          <Text size="xs" c="dimmed">
            <ProgramName code={row.program} /> · <bdi>{row.clinic}</bdi>
          </Text>
        </Stack>
      ),
    },
    {
      key: 'calledAt',
      label: 'followups.calledAt',
      cell: ({ called_at, caller, counts }) => (
        <Stack gap={0}>
          <Text size="sm">
            <Moment at={called_at} />
          </Text>
          {caller && (
            <Text size="xs" c="dimmed">
              <bdi>{caller}</bdi>
            </Text>
          )}
          {counts && (
            <Text size="xs" c="dimmed">
              {say('followups.firstCall')}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'result',
      label: 'followups.result',
      cell: (call) => <CallResult call={call} />,
    },
    { key: 'after', label: 'followups.after', cell: (row) => <Returned row={row} /> },
  ]
  async function takeBack({ id }: CalledFollowUp) {
    const isSure = await confirm({
      text: 'followups.takeBackAsks',
      action: 'followups.takeBack',
      destructive: true,
    })
    if (!isSure) return
    await run(() => api.followups.counter({ id: newId(), call_id: id }), {
      success: 'followups.takenBack',
    })
  }
  return (
    <DataTable
      label="followups.called"
      columns={columns}
      rows={rows}
      pagination={pagination}
      empty="followups.emptyCalled"
      nameOf={patientName}
      actions={rowMenu<CalledFollowUp>([
        {
          label: 'followups.takeBack',
          icon: IconArrowBackUp,
          run: takeBack,
          isFor: ({ mayReverse }) => mayReverse,
          destructive: true,
        },
      ])}
    />
  )
}

function Returned({ row: { counts, returned_on, isOver } }: { row: CalledFollowUp }) {
  const say = useSay()
  const dayText = useDayText()
  if (!counts)
    return (
      <Text size="sm" c="dimmed">
        {say('followups.laterCall')}
      </Text>
    )
  if (returned_on)
    return (
      <StatusBadge tone="good" isLong>
        {say({ key: 'followups.returned', values: { day: dayText(returned_on) } })}
      </StatusBadge>
    )
  return (
    <StatusBadge tone={isOver ? 'bad' : 'quiet'} isLong>
      {say(isOver ? 'followups.notReturned' : 'followups.waiting')}
    </StatusBadge>
  )
}

import { Button } from '@mantine/core'
import { IconDoorExit } from '@tabler/icons-react'
import { LinkAnchor } from '~/client/links'
import { api } from '~/client/api'
import { Died } from '~/features/people/patients/Died'
import { type Actor, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import type { ListedOpenVisit } from './visits.server'

type Props = { rows: readonly ListedOpenVisit[]; pagination: Pagination; actor: Actor }

/** Visits that nobody closed, each with when something was last recorded in it. */
export function OpenVisits({ rows, pagination, actor }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const columns: Column<ListedOpenVisit>[] = [
    {
      key: 'patient',
      card: 'title',
      label: 'appointments.patient',
      cell: ({ patient_id, patient, died_on }) => (
        <>
          <LinkAnchor inherit to="/app/patients/$patientId" params={{ patientId: patient_id }}>
            <bdi>{patient || say('patientPage.noName')}</bdi>
          </LinkAnchor>{' '}
          {died_on && <Died on={died_on} />}
        </>
      ),
    },
    {
      key: 'check_in_timestamp',
      card: 'badge',
      label: 'visits.checkIn',
      cell: ({ check_in_timestamp }) => <Moment at={check_in_timestamp} />,
    },
    {
      key: 'last_entry',
      label: 'visits.lastEntry',
      cell: ({ last_entry }) => <Moment at={last_entry} />,
    },
    {
      key: 'provider',
      label: 'visits.provider',
      cell: ({ provider_name }) => (provider_name ? <bdi>{provider_name}</bdi> : <Nothing />),
    },
    {
      key: 'clinic',
      label: 'clinics.one',
      isOfClinic: true,
      cell: ({ clinic }) => <bdi>{clinic}</bdi>,
    },
    {
      key: 'close',
      label: 'visits.close',
      cell: ({ id, clinic_id }) =>
        mayIn(actor, 'can_edit_records', clinic_id) && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={pending}
            leftSection={<IconDoorExit size={14} aria-hidden />}
            onClick={() =>
              void run(() => api.visits.close({ id }), {
                success: 'visits.closedDone',
                undo: ({ completed }) => api.visits.reopen({ id, appointmentIds: completed }),
              })
            }
          >
            {say('visits.close')}
          </Button>
        ),
    },
  ]
  return (
    <DataTable
      label="visits.openList"
      columns={columns}
      rows={rows as ListedOpenVisit[]}
      pagination={pagination}
      nameOf={({ patient }) => patient || say('patientPage.noName')}
      empty="visits.openListEmpty"
    />
  )
}

import { Button } from '@mantine/core'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import {
  NumberLine,
  PriorityText,
  PrescriptionStatusMenu,
} from '~/features/medicines/prescriptions/PrescriptionStatus'
import { maySetStatus } from '~/features/medicines/prescriptions/PrescriptionsTable'
import type { Actor } from '~/shared/actor'
import { type Sayable, useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { StatusBadge } from '~/ui/StatusBadge'
import type { Queued } from './queue.server'

type Props = { rows: readonly Queued[]; pagination: Pagination; actor: Actor }

/** Prescriptions waiting to be dispensed: patient, medicines, priority, since when. */
export function QueueTable({ rows, pagination, actor }: Props) {
  const columns: Column<Queued>[] = [
    {
      key: 'patient',
      label: 'prescriptions.patient',
      cell: ({ patient, identifiers }) => (
        <>
          <bdi>{patient || '—'}</bdi>
          <SecondIdentifier of={identifiers} />
        </>
      ),
    },
    // beside the name, where a phone has room for it
    {
      key: 'status',
      card: 'badge',
      label: 'prescriptions.status',
      cell: (prescription) => (
        <PrescriptionStatusMenu
          prescription={prescription}
          maySet={maySetStatus(actor, prescription.pickup_clinic_id)}
        />
      ),
    },
    {
      key: 'next',
      label: 'dispensing.next',
      card: 'action',
      cell: (prescription) => <NextStep prescription={prescription} />,
    },
    {
      key: 'medications',
      label: 'prescriptions.medications',
      cell: ({ medications, number, has_unseen }) => (
        <>
          {has_unseen && <NewWarning />}
          {medications.length > 0 ? <bdi>{medications.join(', ')}</bdi> : <Nothing />}
          <NumberLine number={number} />
        </>
      ),
    },
    {
      key: 'priority',
      card: 'badge',
      label: 'prescriptions.priority',
      cell: ({ priority }) => <PriorityText priority={priority} />,
    },
    {
      key: 'waiting',
      card: 'badge',
      label: 'dispensing.waiting',
      cell: ({ prescribed_at }) => <Moment at={prescribed_at} />,
    },
    {
      key: 'clinic',
      label: 'prescriptions.pickupClinic',
      isOfClinic: true,
      cell: ({ clinic }) => <bdi>{clinic}</bdi>,
    },
  ]
  return (
    <DataTable
      label="dispensing.queue"
      columns={columns}
      rows={rows}
      pagination={pagination}
      rowLink={({ id }) => `/app/dispensing/${id}`}
      nameOf={({ patient }) => patient}
      empty="dispensing.emptyQueue"
    />
  )
}

/** A warning was found since it was prescribed. */
function NewWarning() {
  const say = useSay()
  return (
    <div>
      <StatusBadge tone="bad">{say('safety.newWarning')}</StatusBadge>
    </div>
  )
}

/**
 * The next step of the pharmacy: a pending prescription is prepared, a prepared one is dispensed.
 */
function NextStep({ prescription }: { prescription: Queued }) {
  const say = useSay()
  const { id, status, patient } = prescription
  if (status === 'pending' || status === 'not-picked-up')
    return <Prepare prescription={prescription} />
  return (
    <LinkButton
      size="xs"
      aria-label={say({ key: 'dispensing.dispenseFor', values: { patient } })}
      to="/app/dispensing/$prescriptionId"
      params={{ prescriptionId: id }}
    >
      {say('dispensing.dispense')}
    </LinkButton>
  )
}

function Prepare({ prescription: { id, patient } }: { prescription: Queued }) {
  const say = useSay()
  const { run, pending } = useAction()
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={say({ key: 'dispensing.prepareFor', values: { patient } })}
      loading={pending}
      onClick={() =>
        void run(() => api.prescriptions.setStatus({ id, status: 'prepared' }), {
          success: ({ missing: [first] }): Sayable =>
            first
              ? {
                  key: 'prescriptions.notHeld',
                  values: { name: first.generic_name, quantity: first.quantity },
                }
              : { key: 'dispensing.preparedDone', values: { patient } },
        })
      }
    >
      {say('dispensing.prepare')}
    </Button>
  )
}

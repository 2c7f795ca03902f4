import { Text } from '@mantine/core'
import { IconPencil, IconPill, IconPrinter, IconRepeat, type TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { LinkMenuItem } from '~/client/menu-links'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { useDelete } from '~/ui/delete'
import type { PrescriptionStatus } from '~/records/prescription-status'
import { type Actor, isAdmin, mayAnywhere, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { RecordedBy } from '~/ui/RecordedBy'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useDayText } from '~/ui/Day'
import { EnteredLater } from '~/ui/EnteredLater'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { DeleteItem } from '~/ui/menus'
import type { ListedPrescription } from './listing.server'
import { NumberLine, PriorityText, PrescriptionStatusMenu } from './PrescriptionStatus'
import { isDispensingStatus } from './prescription'

type Props = {
  rows: readonly ListedPrescription[] | undefined
  pagination?: Pagination
  actor: Actor
  /** On one patient's page: the name would only repeat. */
  isOfPatient?: boolean
  empty: 'prescriptions.empty' | 'prescriptions.emptyPatient' | 'table.noMatch'
  emptyAction?: ReactNode
}

/** Which statuses this user may set: the pharmacy's statuses need permission to dispense there. */
export const maySetStatus =
  (actor: Actor, clinicId: string | null) => (status: PrescriptionStatus) => {
    const dispenses = clinicId !== null && mayIn(actor, 'can_dispense_medications', clinicId)
    return (
      dispenses || (!isDispensingStatus(status) && mayAnywhere(actor, 'can_prescribe_medications'))
    )
  }

export function PrescriptionsTable({
  rows,
  pagination,
  actor,
  isOfPatient,
  empty,
  emptyAction,
}: Props) {
  const prescribed: Column<ListedPrescription> = {
    key: 'prescribed_at',
    card: isOfPatient ? 'title' : 'badge',
    label: 'prescriptions.prescribedAt',
    sortable: !isOfPatient,
    cell: (prescription) => (
      <>
        <Moment at={prescription.prescribed_at} dayOnly />
        <Expiry prescription={prescription} />
        <EnteredLater on={prescription.entered_on} by={prescription.entered_by} />
      </>
    ),
  }
  const medications: Column<ListedPrescription> = {
    key: 'medications',
    label: 'prescriptions.medications',
    cell: ({ medications: listed, number }) => (
      <>
        <Medications names={listed} />
        <NumberLine number={number} />
      </>
    ),
  }
  const columns: Column<ListedPrescription>[] = [
    ...(isOfPatient
      ? [prescribed]
      : [
          {
            key: 'patient',
            label: 'prescriptions.patient',
            sortable: true,
            cell: ({ patient, identifiers }: ListedPrescription) => (
              <>
                <bdi>{patient || '—'}</bdi>
                <SecondIdentifier of={identifiers} />
              </>
            ),
          } as const,
        ]),
    ...(isOfPatient ? [medications] : []),
    // beside the name, where a phone has room for it
    {
      key: 'status',
      card: 'badge',
      label: 'prescriptions.status',
      sortable: !isOfPatient,
      cell: (prescription) => (
        <PrescriptionStatusMenu
          prescription={prescription}
          maySet={maySetStatus(actor, prescription.pickup_clinic_id)}
        />
      ),
    },
    ...(isOfPatient ? [] : [medications]),
    {
      key: 'priority',
      card: 'badge',
      label: 'prescriptions.priority',
      sortable: !isOfPatient,
      cell: ({ priority }) => <PriorityText priority={priority} />,
    },
    {
      key: 'provider',
      label: 'prescriptions.provider',
      sortable: !isOfPatient,
      cell: ({ provider, sent_by }) => <RecordedBy name={provider} sentBy={sent_by} />,
    },
    {
      key: 'clinic',
      label: 'prescriptions.pickupClinic',
      cell: ({ clinic }) => (clinic ? <bdi>{clinic}</bdi> : <Nothing />),
    },
    ...(isOfPatient ? [] : [prescribed]),
  ]
  return (
    <DataTable
      label="prescriptions.title"
      columns={columns}
      rows={rows}
      pagination={pagination}
      rowLink={({ id }) => `/app/prescriptions/edit/${id}`}
      nameOf={({ patient }) => patient}
      actions={(prescription) => <Actions prescription={prescription} actor={actor} />}
      empty={empty}
      emptyAction={emptyAction}
    />
  )
}

const SHOWN = 3

function Medications({ names }: { names: readonly string[] }) {
  const say = useSay()
  if (names.length === 0) return <Nothing />
  const more = names.length - SHOWN
  return (
    <>
      {names.slice(0, SHOWN).map((name, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same medicine may stand there twice
        <span key={`${at} ${name}`}>
          {at > 0 && ', '}
          <bdi>{name}</bdi>
        </span>
      ))}
      {more > 0 && ` ${say({ key: 'prescriptions.andMore', values: { count: more } })}`}
    </>
  )
}

function Expiry({
  prescription: { expiration_date, is_expired },
}: {
  prescription: ListedPrescription
}) {
  const say = useSay()
  const dayText = useDayText()
  if (!expiration_date) return null
  const values = { day: dayText(expiration_date) }
  return (
    <Text size="xs" c={is_expired ? 'var(--mantine-color-error)' : 'dimmed'}>
      {say({ key: is_expired ? 'prescriptions.expiredOn' : 'prescriptions.expiresOn', values })}
    </Text>
  )
}

function Actions({ prescription, actor }: { prescription: ListedPrescription; actor: Actor }) {
  const say = useSay()
  const { remove } = useDelete()
  const { id, patient, pickup_clinic_id } = prescription
  const mayPrescribe = mayAnywhere(actor, 'can_prescribe_medications')
  const holds = (permission: 'can_dispense_medications' | 'can_delete_records') =>
    pickup_clinic_id ? mayIn(actor, permission, pickup_clinic_id) : isAdmin(actor)
  const link = (label: Parameters<typeof say>[0], Icon: TablerIcon, to: string) => (
    <LinkMenuItem leftSection={<Icon size={16} aria-hidden />} to={to}>
      {say(label)}
    </LinkMenuItem>
  )

  const deleteIt = () => remove('prescriptions', id, { patient })
  return (
    <>
      {link(
        mayPrescribe ? 'common.edit' : 'prescriptions.open',
        IconPencil,
        `/app/prescriptions/edit/${id}`,
      )}
      {holds('can_dispense_medications') &&
        link('dispensing.dispense', IconPill, `/app/dispensing/${id}`)}
      {mayPrescribe && (
        <LinkMenuItem
          leftSection={<IconRepeat size={16} aria-hidden />}
          to="/app/prescriptions/edit/{-$prescriptionId}"
          params={{ prescriptionId: 'new' }}
          search={{ repeat: id }}
        >
          {say('prescriptions.repeat')}
        </LinkMenuItem>
      )}
      {link('prescriptions.print', IconPrinter, `/app/prescriptions/print/${id}`)}
      {holds('can_delete_records') && (
        <DeleteItem label="prescriptions.delete" onClick={deleteIt} />
      )}
    </>
  )
}

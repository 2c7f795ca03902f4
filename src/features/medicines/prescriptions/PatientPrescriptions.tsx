import { Group, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
import { type Actor, mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import type { Pagination } from '~/ui/Paging'
import type { ListedPrescription } from './listing.server'
import { PrescriptionsTable } from './PrescriptionsTable'

type Props = {
  patientId: string
  /** The open visit that a new prescription belongs to. */
  visitId: string | undefined
  rows: readonly ListedPrescription[]
  pagination: Pagination
  actor: Actor
}

/** The prescriptions of one patient, and the way to prescribe. */
export function PatientPrescriptions({ patientId, visitId, rows, pagination, actor }: Props) {
  const say = useSay()
  const add = mayAnywhere(actor, 'can_prescribe_medications') && (
    <LinkButton
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      to="/app/prescriptions/edit/{-$prescriptionId}"
      params={{ prescriptionId: 'new' }}
      search={{ patientId, visitId }}
    >
      {say('prescriptions.new')}
    </LinkButton>
  )
  return (
    <Stack gap="sm">
      {rows.length > 0 && add && <Group justify="flex-end">{add}</Group>}
      <PrescriptionsTable
        rows={rows}
        pagination={pagination}
        actor={actor}
        isOfPatient
        empty="prescriptions.emptyPatient"
        emptyAction={add}
      />
    </Stack>
  )
}

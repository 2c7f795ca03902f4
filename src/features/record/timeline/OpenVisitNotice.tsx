import { Alert, Button, Group } from '@mantine/core'
import { IconDoorExit, IconStethoscope } from '@tabler/icons-react'
import { useFormatter } from 'use-intl'
import { api } from '~/client/api'
import { FormMenu } from '~/features/forms/events/filling/FormMenu'
import { MedicineReview } from '~/features/medicines/taken/MedicineReview'
import type { OpenVisit } from '~/features/record/visits/visits.server'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { TIME_OF_DAY } from '~/ui/clock'

type Props = {
  patientId: string
  visit: OpenVisit
  isOfToday: boolean
  mayClose: boolean
  /** Opens a visit of today; absent if the user may not, or if there is one. */
  onOpen?: () => void
}

/**
 * A visit that is not closed yet. What is recorded now belongs to one of today; one of an earlier day is offered for
 * closing, and nothing goes into it unless the user chooses it.
 */
export function OpenVisitNotice({ patientId, visit, isOfToday, mayClose, onOpen }: Props) {
  const { id, clinic, clinic_id, check_in_timestamp } = visit
  const say = useSay()
  const format = useFormatter()
  const { run, pending } = useAction()
  const day = { day: 'numeric', month: 'short', year: 'numeric', ...TIME_OF_DAY } as const
  const values = { time: format.dateTime(check_in_timestamp, day), clinic }
  return (
    <Alert color={isOfToday ? 'sanad' : 'yellow'} py="xs" data-print="no">
      <Group justify="space-between" gap="xs">
        <span>
          {say({ key: isOfToday ? 'patientPage.openSince' : 'patientPage.openEarlier', values })}
        </span>
        <Group gap="xs">
          {mayClose && <MedicineReview patientId={patientId} visitId={id} />}
          {mayClose && isOfToday && <FormMenu visitId={id} clinicId={clinic_id} />}
          {!isOfToday && onOpen && (
            <Button
              size="compact-sm"
              leftSection={<IconStethoscope size={14} aria-hidden />}
              onClick={onOpen}
            >
              {say('visits.open')}
            </Button>
          )}
          {mayClose && (
            <Button
              size="compact-sm"
              variant="default"
              loading={pending}
              leftSection={<IconDoorExit size={14} aria-hidden />}
              onClick={() =>
                void run(() => api.visits.close({ id }), {
                  success: 'visits.closedDone',
                  undo: ({ completed }) => api.visits.reopen({ id, appointmentIds: completed }),
                })
              }
            >
              {say(isOfToday ? 'visits.close' : 'patientPage.closeLastEntry')}
            </Button>
          )}
        </Group>
      </Group>
    </Alert>
  )
}

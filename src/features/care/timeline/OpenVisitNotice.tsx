import { Alert, Button, Group } from '@mantine/core'
import { IconDoorExit } from '@tabler/icons-react'
import { useFormatter } from 'use-intl'
import { api } from '~/client/api'
import { FormMenu } from '~/features/forms/events/filling/FormMenu'
import type { OpenVisit } from '~/features/care/visits/visits.server'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { TIME_OF_DAY } from '~/ui/clock'

type Props = { visit: OpenVisit; mayClose: boolean }

/** A visit that is not closed yet: what is recorded now belongs to it. */
export function OpenVisitNotice({
  visit: { id, clinic, clinic_id, check_in_timestamp },
  mayClose,
}: Props) {
  const say = useSay()
  const format = useFormatter()
  const { run, pending } = useAction()
  const day = { day: 'numeric', month: 'short', year: 'numeric', ...TIME_OF_DAY } as const
  const time = format.dateTime(check_in_timestamp, day)
  return (
    <Alert color="sanad" py="xs" data-print="no">
      <Group justify="space-between" gap="xs">
        <span>{say({ key: 'patientPage.openSince', values: { time, clinic } })}</span>
        {mayClose && (
          <Group gap="xs">
            <FormMenu visitId={id} clinicId={clinic_id} />
            <Button
              size="compact-sm"
              variant="default"
              loading={pending}
              leftSection={<IconDoorExit size={14} aria-hidden />}
              onClick={() =>
                void run(() => api.visits.close({ id }), {
                  success: 'visits.closedDone',
                  undo: () => api.visits.reopen({ id }),
                })
              }
            >
              {say('visits.close')}
            </Button>
          </Group>
        )}
      </Group>
    </Alert>
  )
}

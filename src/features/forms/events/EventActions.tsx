import { Button, Group } from '@mantine/core'
import { IconPencil, IconPrescription, IconPrinter, IconTrash } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { usePrint } from '~/ui/print'
import type { WholeEvent } from './events.server'

/** What can be done with a filled-in form. A medicine that was answered may become a prescription. */
export function EventActions({
  event,
  mayPrescribe,
}: {
  event: WholeEvent
  mayPrescribe: boolean
}) {
  const say = useSay()
  const router = useRouter()
  const { run, pending } = useAction()
  const { id, title, patient_id, visit_id } = event
  const { print } = usePrint([patient_id])
  const hasMedicines = event.fields.some(({ fieldType }) => fieldType === 'medicine')

  async function remove() {
    const isMeant = await confirm({
      text: { key: 'events.deleteAsks', values: { form: title } },
      action: 'events.delete',
      destructive: true,
    })
    if (!isMeant) return
    // away first: the page of what is deleted can only say that it is not there
    await run(
      async () => {
        const deletion = await api.events.delete({ id })
        await router.navigate({
          to: '/app/patients/$patientId',
          params: { patientId: patient_id },
          search: { tab: 'visits' },
        })
        return deletion
      },
      {
        success: { key: 'events.deletedDone', values: { form: title } },
        undo: ({ deletionId }) => api.trash.restore({ id: deletionId }),
      },
    )
  }

  return (
    <Group gap="xs" data-print="no">
      {event.mayChange && (
        <LinkButton
          leftSection={<IconPencil size={16} aria-hidden />}
          to="/app/events/edit/{-$eventId}"
          params={{ eventId: id }}
        >
          {say('common.edit')}
        </LinkButton>
      )}
      {hasMedicines && mayPrescribe && (
        <Button
          variant="default"
          leftSection={<IconPrescription size={16} aria-hidden />}
          component="a"
          href={`/app/prescriptions/edit/new?${new URLSearchParams({
            patientId: patient_id,
            ...(visit_id && { visitId: visit_id }),
            eventId: id,
          })}`}
        >
          {say('events.prescribe')}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconPrinter size={16} aria-hidden />}
        onClick={() => void print()}
      >
        {say('events.print')}
      </Button>
      {event.mayDelete && (
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          loading={pending}
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => void remove()}
        >
          {say('events.delete')}
        </Button>
      )}
    </Group>
  )
}

import { ActionIcon, Group, Menu, Paper, Stack, Text } from '@mantine/core'
import {
  IconDotsVertical,
  IconDoorExit,
  IconDoorEnter,
  IconPencil,
  IconPills,
  IconPrinter,
  IconTestPipe,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { LinkMenuItem } from '~/client/menu-links'
import { api } from '~/client/api'
import { FormMenu } from '~/features/forms/events/filling/FormMenu'
import { VisitEvents } from '~/features/forms/events/VisitEvents'
import { problemName, ProblemStatus } from '~/features/care/problems/ProblemStatus'
import { useDelete } from '~/ui/delete'
import { VitalReadings } from '~/features/care/vitals/VitalReadings'
import { LazyMedicineReviewDialog } from '~/features/medicines/taken/MedicineReview'
import { type Actor, mayIn } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { EnteredLater } from '~/ui/EnteredLater'
import { ImportedFrom } from '~/ui/ImportedFrom'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import type { Visit } from './visits.server'

type Props = {
  visit: Visit
  actor: Actor
  language: Language
  onEdit?: (visit: Visit) => void
  heading?: 'h2' | 'h3'
}

/** One visit: when, where, who, why, and what was recorded in it. */
export function VisitCard({ visit, actor, language, onEdit, heading = 'h2' }: Props) {
  const say = useSay()
  const { check_in_timestamp, clinic, provider_name, reason, closed_at, vitals, problems, events } =
    visit
  const mayFill = mayIn(actor, 'can_edit_records', visit.clinic_id) && !visit.is_archived
  return (
    <Paper withBorder p="md" component="article">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <div>
          <Group gap="xs">
            <Text fw={600} component={heading} size="sm">
              <Moment at={check_in_timestamp} />
            </Text>
            <StatusBadge tone="quiet">
              {say(visit.is_return ? 'visits.revisit' : 'visits.new')}
            </StatusBadge>
            {closed_at === null && <StatusBadge tone="good">{say('visits.isOpen')}</StatusBadge>}
          </Group>
          <Text size="sm" c="dimmed">
            <bdi>{clinic}</bdi> · <bdi>{provider_name || say('visits.noProvider')}</bdi>
          </Text>
          <EnteredLater on={visit.entered_on} by={visit.entered_by} />
          <ImportedFrom file={visit.imported_from} />
          {visit.closed_as && (
            <Text size="xs" c="dimmed">
              {say(
                visit.closed_as === 'arrival' ? 'visits.closedArrival' : 'visits.closedLastEntry',
              )}
            </Text>
          )}
        </div>
        {onEdit && !visit.is_archived && <VisitMenu visit={visit} actor={actor} onEdit={onEdit} />}
      </Group>
      {reason && (
        <Text size="sm" mt="xs" style={{ whiteSpace: 'pre-wrap' }} dir="auto">
          {reason}
        </Text>
      )}
      <Stack gap="xs" mt="sm">
        {vitals.map((vital) => (
          <VitalReadings key={vital.id} vital={vital} />
        ))}
        {problems.map((problem) => (
          <Group key={problem.id} gap="xs">
            <Text size="sm" component="bdi">
              {problemName(problem, language)}
            </Text>
            <ProblemStatus problem={problem} />
          </Group>
        ))}
        <VisitEvents events={events} heading={heading === 'h2' ? 'h3' : 'h4'} />
        {vitals.length + problems.length + events.length === 0 && (
          <Text size="sm" c="dimmed">
            {say('visits.nothingRecorded')}
          </Text>
        )}
        {mayFill && (
          <div>
            <FormMenu visitId={visit.id} clinicId={visit.clinic_id} />
          </div>
        )}
      </Stack>
    </Paper>
  )
}

function VisitMenu({
  visit,
  actor,
  onEdit,
}: {
  visit: Visit
  actor: Actor
  onEdit: (visit: Visit) => void
}) {
  const { id, patient_id, clinic_id, closed_at, check_in_timestamp } = visit
  const [isReviewing, setReviewing] = useState(false)
  const say = useSay()
  const format = useFormatter()
  const { run } = useAction()
  const { remove } = useDelete()
  const mayEdit = mayIn(actor, 'can_edit_records', clinic_id)
  const mayDelete = mayIn(actor, 'can_delete_patient_visits', clinic_id)

  const close = () =>
    run(() => api.visits.close({ id }), {
      success: 'visits.closedDone',
      undo: ({ completed }) => api.visits.reopen({ id, appointmentIds: completed }),
    })
  const reopen = () => run(() => api.visits.reopen({ id }), { success: 'visits.reopenedDone' })
  const askToRemove = () => remove('visits', id)

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            c="dimmed"
            aria-label={say({
              key: 'visits.actionsOf',
              values: { day: format.dateTime(check_in_timestamp, { dateStyle: 'medium' }) },
            })}
          >
            <IconDotsVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <LinkMenuItem
            leftSection={<IconPrinter size={16} aria-hidden />}
            to="/app/visits/print/$visitId"
            params={{ visitId: id }}
          >
            {say('paper.printVisit')}
          </LinkMenuItem>
          <LinkMenuItem
            leftSection={<IconTestPipe size={16} aria-hidden />}
            to="/app/visits/laboratory/$visitId"
            params={{ visitId: id }}
          >
            {say('paper.labRequest')}
          </LinkMenuItem>
          {mayEdit && (
            <Menu.Item
              leftSection={<IconPills size={16} aria-hidden />}
              onClick={() => setReviewing(true)}
            >
              {say('reconciliations.open')}
            </Menu.Item>
          )}
          {mayEdit && (
            <Menu.Item
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => onEdit(visit)}
            >
              {say('visits.edit')}
            </Menu.Item>
          )}
          {mayEdit && closed_at === null && (
            <Menu.Item leftSection={<IconDoorExit size={16} aria-hidden />} onClick={close}>
              {say('visits.close')}
            </Menu.Item>
          )}
          {mayEdit && closed_at !== null && (
            <Menu.Item leftSection={<IconDoorEnter size={16} aria-hidden />} onClick={reopen}>
              {say('visits.reopen')}
            </Menu.Item>
          )}
          {mayDelete && (
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={askToRemove}
            >
              {say('visits.delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isReviewing && (
        <LazyMedicineReviewDialog
          patientId={patient_id}
          visitId={id}
          onClose={() => setReviewing(false)}
        />
      )}
    </>
  )
}

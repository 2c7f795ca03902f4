import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconCalendarPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { LinkButton } from '~/client/links'
import { ProgramName } from '~/features/care/programs/Program'
import { programName } from '~/features/care/programs/programs'
import { type Actor, mayIn } from '~/shared/actor'
import { useSay, useLanguage } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { CallDialog } from './CallDialog'
import { CallResult } from './CallResult'
import { DueDays } from './DueDays'
import classes from './PatientDue.module.css'
import type { PatientFollowUps } from './followups.server'
import { useStepName } from '~/features/care/programs/StepName'

type Props = {
  patient: { id: string; name: string }
  followUps: PatientFollowUps
  actor: Actor
  /** Something new can begin. */
  mayBegin: boolean
}

/** Earlier calls are in the list of the month. */
const CALLS_SHOWN = 3

/** What the patient should come for, and what the last calls came to. */
export function PatientDue(props: Props) {
  const say = useSay()
  const calls = props.followUps.calls.slice(0, CALLS_SHOWN)
  return (
    <Stack gap="xs">
      <DueItems {...props} />
      {calls.length > 0 && (
        <Paper withBorder p="sm">
          <Title order={3} size="sm" mb={4}>
            {say('followups.lastCalls')}
          </Title>
          <ul className={classes.rows}>
            {calls.map((call) => (
              <li key={call.id}>
                <Stack gap={0}>
                  <Text size="sm">
                    <Moment at={call.called_at} dayOnly />
                  </Text>
                  <Text size="xs" c="dimmed">
                    <ProgramName code={call.program} />
                    {call.caller && (
                      <>
                        {' · '}
                        <bdi>{call.caller}</bdi>
                      </>
                    )}
                  </Text>
                </Stack>
                <CallResult call={call} />
              </li>
            ))}
          </ul>
        </Paper>
      )}
    </Stack>
  )
}

/** What the patient should come for, the first date first, with a way to book it. */
function DueItems({ patient, followUps: { today, items }, actor, mayBegin }: Props) {
  const say = useSay()
  const stepName = useStepName()
  const language = useLanguage()
  const [calling, setCalling] = useState<string | null>(null)
  const open = items.filter(({ status }) => status === 'open')
  const due = open.filter(({ due_from }) => due_from <= today)
  // nothing is near: the next date
  const shown = due.length > 0 ? due : open.slice(0, 1)
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {say('followups.nothingDue')}
      </Text>
    )
  return (
    <Paper withBorder p="sm" component="ul" className={classes.rows}>
      {shown.map((item) => {
        const { id, program, step, due_on, overdue_from, hidden_until, clinic_id } = item
        const isCalled = overdue_from <= today && (hidden_until === null || hidden_until <= today)
        return (
          <li key={id}>
            <Stack gap={0}>
              <Text size="sm" fw={500}>
                {stepName(step)}
              </Text>
              <Text size="xs" c="dimmed">
                <ProgramName code={program} />
              </Text>
            </Stack>
            <DueDays dueOn={due_on} overdueFrom={overdue_from} today={today} />
            {mayBegin && (
              <Group gap="xs" justify="flex-end">
                {isCalled && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={say({
                      key: 'followups.recordOf',
                      values: { name: `${patient.name}, ${programName(program, language)}` },
                    })}
                    onClick={() => setCalling(program)}
                  >
                    {say('followups.record')}
                  </Button>
                )}
                <LinkButton
                  size="xs"
                  variant="default"
                  leftSection={<IconCalendarPlus size={16} aria-hidden />}
                  to="/app/appointments/edit/{-$appointmentId}"
                  params={{ appointmentId: 'new' }}
                  search={{
                    patientId: patient.id,
                    clinicId: clinic_id,
                    at: due_on > today ? `${due_on}T09:00` : undefined,
                  }}
                >
                  {say('followups.makeAppointment')}
                </LinkButton>
              </Group>
            )}
          </li>
        )
      })}
      {calling && (
        <CallDialog
          patient={patient}
          programs={[calling]}
          today={today}
          mayEdit={open.some(
            ({ program, clinic_id }) =>
              program === calling && mayIn(actor, 'can_edit_records', clinic_id),
          )}
          onClose={() => setCalling(null)}
        />
      )}
    </Paper>
  )
}

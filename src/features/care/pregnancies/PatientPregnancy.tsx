import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useDelete } from '~/ui/delete'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { useDayText } from '~/ui/Day'
import type { ListedPregnancy } from './pregnancies.server'
import { pregnancyOn } from './pregnancy'
import { PregnancyDialog } from './PregnancyDialog'
import { PregnancyText } from './PregnancyText'

type Props = {
  patientId: string
  answers: readonly ListedPregnancy[]
  mayEdit: boolean
  mayDelete: boolean
}

/** What holds today, the answers it rests on, and a way to record a new one. */
export function PatientPregnancy({ patientId, answers, mayEdit, mayDelete }: Props) {
  const say = useSay()
  const router = useRouter()
  const [isRecording, setRecording] = useState(false)
  const [isListed, setListed] = useState(false)
  const { state, weeks, askedOn } = pregnancyOn(answers, useToday())
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={500} aria-live="polite">
            <PregnancyText state={state} weeks={weeks} askedOn={askedOn} />
          </Text>
          {mayEdit && (
            <Button variant="default" size="xs" onClick={() => setRecording(true)}>
              {say('pregnancies.change')}
            </Button>
          )}
        </Group>
        {answers.length > 0 && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="start"
            aria-expanded={isListed}
            onClick={() => setListed(!isListed)}
          >
            {say('pregnancies.earlier')}
          </Anchor>
        )}
        {isListed && (
          <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {answers.map((answer) => (
              <Answer key={`${answer.id} ${answer.state}`} answer={answer} mayDelete={mayDelete} />
            ))}
          </Stack>
        )}
      </Stack>
      {isRecording && (
        <PregnancyDialog
          patientId={patientId}
          onClose={() => setRecording(false)}
          onSaved={() => router.invalidate()}
        />
      )}
    </Paper>
  )
}

function Answer({ answer, mayDelete }: { answer: ListedPregnancy; mayDelete: boolean }) {
  const say = useSay()
  const { remove, pending } = useDelete()
  const { id, state, asked_on, due_on, ended_on, recorded_by, event_id, enrollment_id } = answer
  const day = useDayText()(asked_on)

  const askToRemove = () =>
    remove('pregnancies', id, { day }, { title: { key: 'pregnancies.deleteOf', values: { day } } })

  const weeks = due_on ? pregnancyOn([answer], asked_on).weeks : null
  return (
    <Group component="li" gap="xs" justify="space-between" wrap="nowrap">
      <Text size="sm">
        <PregnancyText state={state} weeks={weeks} endedOn={ended_on} askedOn={asked_on} />
        {event_id && ` · ${say('pregnancies.ofForm')}`}
        {enrollment_id && ` · ${say('pregnancies.ofProgram')}`}
        {recorded_by && (
          <>
            {' · '}
            <bdi>{recorded_by}</bdi>
          </>
        )}
      </Text>
      {mayDelete && !event_id && !enrollment_id && (
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          loading={pending}
          aria-label={say({ key: 'pregnancies.deleteOf', values: { day } })}
          onClick={() => void askToRemove()}
        >
          {say('pregnancies.delete')}
        </Button>
      )}
    </Group>
  )
}

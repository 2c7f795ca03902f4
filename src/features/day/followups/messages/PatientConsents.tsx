import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { api } from '~/client/api'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { Dialog } from '~/ui/Dialog'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import { type Channel, CHANNELS } from './consent'
import type { PatientConsentAnswers } from './consents.server'

type Props = {
  patientId: string
  consents: PatientConsentAnswers
  mayChange: boolean
  /** The patient can still be asked. */
  mayAgree: boolean
}

/** Whether the patient agrees to text messages and letters, who asked and when. */
export function PatientConsents({ patientId, consents, mayChange, mayAgree }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const [asking, setAsking] = useState<Channel | null>(null)
  const [isListed, setListed] = useState(false)
  const { agreed, answers } = consents
  const save = async (channel: Channel, isAgreed: boolean) => {
    await run(
      () => api.consents.save({ id: newId(), patient_id: patientId, channel, agreed: isAgreed }),
      { success: isAgreed ? 'consents.given' : 'consents.refused' },
    )
    setAsking(null)
  }
  async function withdraw(channel: Channel) {
    const isSure = await confirm({
      text: `consents.withdrawAsks_${channel}`,
      action: 'consents.withdraw',
      destructive: true,
    })
    if (isSure) await save(channel, false)
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={say('consents.title')}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say('consents.title')}
        </Title>
        <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {CHANNELS.map((channel) => {
            const newest = answers.find((answer) => answer.channel === channel)
            const name = say(`consents.channel_${channel}`)
            const disagreed = newest ? 'consents.no' : 'consents.notAsked'
            return (
              <Group key={channel} component="li" justify="space-between" gap="sm" wrap="nowrap">
                <Stack gap={2} miw={0}>
                  <Group gap="xs">
                    <Text size="sm" fw={500}>
                      {name}
                    </Text>
                    <StatusBadge tone={agreed[channel] ? 'good' : 'quiet'}>
                      {say(agreed[channel] ? 'consents.yes' : disagreed)}
                    </StatusBadge>
                  </Group>
                  {newest && <Recorded answer={newest} />}
                </Stack>
                {mayChange && agreed[channel] && (
                  <Button
                    size="xs"
                    variant="default"
                    flex="none"
                    disabled={pending}
                    aria-label={say({ key: 'consents.withdrawOf', values: { name } })}
                    onClick={() => void withdraw(channel)}
                  >
                    {say('consents.withdraw')}
                  </Button>
                )}
                {mayChange && mayAgree && !agreed[channel] && (
                  <Button
                    size="xs"
                    variant="default"
                    flex="none"
                    disabled={pending}
                    aria-label={say({ key: 'consents.recordOf', values: { name } })}
                    onClick={() => setAsking(channel)}
                  >
                    {say('consents.record')}
                  </Button>
                )}
              </Group>
            )
          })}
        </Stack>
        {answers.length > 0 && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="start"
            aria-expanded={isListed}
            onClick={() => setListed(!isListed)}
          >
            {say('consents.answers')}
          </Anchor>
        )}
        {isListed && (
          <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {answers.map((answer) => (
              <li key={answer.id}>
                <Text size="sm">
                  {say(`consents.channel_${answer.channel}`)}:{' '}
                  {say(answer.agreed ? 'consents.yes' : 'consents.no')}
                </Text>
                <Recorded answer={answer} />
              </li>
            ))}
          </Stack>
        )}
      </Stack>
      {asking && (
        <Dialog
          title={say({
            key: 'consents.recordOf',
            values: { name: say(`consents.channel_${asking}`) },
          })}
          onClose={() => setAsking(null)}
        >
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {say('consents.askThePatient')}
            </Text>
            <Text>{say(`consents.ask_${asking}`)}</Text>
            <Group gap="sm" justify="flex-end">
              <Button variant="default" disabled={pending} onClick={() => void save(asking, false)}>
                {say('consents.disagrees')}
              </Button>
              <Button disabled={pending} onClick={() => void save(asking, true)}>
                {say('consents.agrees')}
              </Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </Paper>
  )
}

function Recorded({ answer }: { answer: PatientConsentAnswers['answers'][number] }) {
  const say = useSay()
  return (
    <Text size="xs" c="dimmed">
      <Moment at={answer.recorded_at} />
      {answer.recorded_by && (
        <>
          {' · '}
          <bdi>{answer.recorded_by}</bdi>
        </>
      )}
      {' · '}
      {say({ key: 'consents.wording', values: { version: answer.wording_version } })}
    </Text>
  )
}

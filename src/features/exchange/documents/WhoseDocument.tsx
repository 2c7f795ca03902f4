import { Alert, Group, Paper, Radio, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { parseSex } from '~/fields/sex'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useSaidTime } from '~/ui/said-time'
import type { DocumentPreview } from './documents.server'
import { isolated } from '~/shared/isolated'

type Props = {
  preview: Pick<DocumentPreview, 'about' | 'patient' | 'differences'>
  isSame: boolean | null
  onAnswer: (isSame: boolean) => void
  error: MessageKey | null
}

/** Whom the document is about beside whose record it is and, where they differ, the question that must be answered. */
export function WhoseDocument({ preview, isSame, onAnswer, error }: Props) {
  const say = useSay()
  const timeText = useSaidTime()
  const { about, patient, differences } = preview
  const notSaid = say('documents.notSaid')
  const sexText = (text: string | null) => {
    const sex = parseSex(text)
    return sex ? say(`patientPage.${sex}`) : (text ?? notSaid)
  }
  const birthText = () => {
    const { date_of_birth: day, birth_precision } = patient
    if (!day) return notSaid
    return birth_precision === 'day' ? timeText(day) : `~ ${day.slice(0, 4)}`
  }
  const names = about.names.join(' · ')
  const rows: [MessageKey, string, string][] = [
    ['documents.name', names || notSaid, patient.name || notSaid],
    ['documents.sex', sexText(about.gender), sexText(patient.sex)],
    ['documents.birth', about.birthDate ? timeText(about.birthDate) : notSaid, birthText()],
    [
      'documents.numbers',
      about.identifiers.join(' · ') || notSaid,
      patient.identifiers.join(' · ') || notSaid,
    ],
  ]
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="whose-document">
      <Stack gap="sm">
        <Title order={2} size="h4" id="whose-document">
          {say('documents.whose')}
        </Title>
        {rows.map(([label, theirs, ours]) => (
          <div key={label}>
            <Text size="xs" c="dimmed">
              {say(label)}
            </Text>
            <SimpleGrid cols={2} spacing="sm">
              <Beside label="documents.inDocument" text={theirs} />
              <Beside label="documents.inRecord" text={ours} />
            </SimpleGrid>
          </div>
        ))}
        {differences.length > 0 && (
          <Alert color="orange" variant="light">
            <Stack gap="xs">
              {differences.map(({ what, isUnknown }) => (
                <Text key={what} size="sm">
                  {say(isUnknown ? `documents.unknown_${what}` : `documents.differs_${what}`)}
                </Text>
              ))}
              <Radio.Group
                label={say({
                  key: 'documents.question',
                  values: {
                    theirs: isolated(names || notSaid),
                    ours: isolated(patient.name || notSaid),
                  },
                })}
                value={isSame === null ? null : String(isSame)}
                onChange={(answer) => onAnswer(answer === 'true')}
                error={error && say(error)}
                withAsterisk
              >
                <Group mt="xs" gap="lg">
                  <Radio value="true" label={say('documents.samePerson')} />
                  <Radio value="false" label={say('documents.otherPerson')} />
                </Group>
              </Radio.Group>
            </Stack>
          </Alert>
        )}
      </Stack>
    </Paper>
  )
}

function Beside({ label, text }: { label: MessageKey; text: string }) {
  const say = useSay()
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span size="xs" c="dimmed">
        {say(label)}:{' '}
      </Text>
      <bdi>{text}</bdi>
    </Text>
  )
}

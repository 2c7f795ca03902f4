import { Alert, Button, Group, Progress, Text } from '@mantine/core'
import { explainError } from '~/client/explain'
import { useSay } from '~/shared/say'
import type { useComputedTrend } from './computed-trend'

type Props = Omit<ReturnType<typeof useComputedTrend>, 'trend'>

/** How many periods of a chart are there; the rest is computed while the user looks. */
export function TrendProgress({ done, total, isStopped, setStopped, error, retry }: Props) {
  const say = useSay()
  if (error !== null)
    return (
      <Alert color="red" variant="light" role="alert">
        <Group justify="space-between">
          <Text size="sm">{say(explainError(error).text)}</Text>
          <Button size="xs" variant="default" onClick={retry}>
            {say('errors.tryAgain')}
          </Button>
        </Group>
      </Alert>
    )
  if (done === total) return null
  const text = say({ key: 'reports.shownOf', values: { done, total } })
  return (
    <Group gap="sm">
      <Progress
        value={(done / total) * 100}
        animated={!isStopped}
        aria-label={text}
        flex="1 1 8rem"
      />
      <Text size="sm" aria-live="polite">
        {text}
      </Text>
      <Button size="xs" variant="default" onClick={() => setStopped(!isStopped)}>
        {say(isStopped ? 'reports.continueComputing' : 'reports.stopComputing')}
      </Button>
    </Group>
  )
}

import { Paper, Stack, Text } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
import { useStepName } from '~/features/care/programs/StepName'
import { useSay } from '~/shared/say'
import { useDayText } from '~/ui/Day'
import type { PatientImmunizationPlan as Plan } from './immunizations.server'

/** "Today give …", "next on …": the sentences of the screen and of the card. */
export function usePlanSentences({ born, now, next, hidden }: Plan): string[] {
  const say = useSay()
  const dayText = useDayText()
  const stepName = useStepName()
  const list = useStepList()
  if (born === null) return [say('immunizations.planNoBirth')]
  const vaccines = (steps: readonly { step: string }[]) =>
    list(steps.map(({ step }) => stepName(step)))
  return [
    now.length > 0
      ? say({ key: 'immunizations.planNow', values: { vaccines: vaccines(now) } })
      : say('immunizations.planNothing'),
    ...(next
      ? [
          say({
            key: 'immunizations.planNext',
            values: { day: dayText(next.day), vaccines: vaccines(next.steps) },
          }),
        ]
      : []),
    ...(hidden > 0 ? [say({ key: 'immunizations.planHidden', values: { count: hidden } })] : []),
  ]
}

/** Names of vaccines hold commas: a semicolon separates them. */
function useStepList() {
  const say = useSay()
  return (names: readonly string[]) => names.join(say('immunizations.listSeparator'))
}

/** What is to be given by the schedule, above the list of doses, and the card to take home. */
export function ImmunizationPlan({ patientId, plan }: { patientId: string; plan: Plan }) {
  const say = useSay()
  const [first, ...rest] = usePlanSentences(plan)
  return (
    <Paper withBorder p="sm" mb="md">
      <Stack gap={4} align="flex-start">
        <Text fw={plan.now.length > 0 ? 600 : undefined}>{first}</Text>
        {rest.map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
        <LinkButton
          mt={4}
          size="xs"
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          to="/app/patients/immunization-card/$patientId"
          params={{ patientId }}
        >
          {say('immunizations.printCard')}
        </LinkButton>
      </Stack>
    </Paper>
  )
}

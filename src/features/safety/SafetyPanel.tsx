import { Alert, Button, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react'
import { useId } from 'react'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import { INTERACTIONS } from './interactions'
import type { EarlierOverride } from './overrides.server'
import { useWarningText } from './WarningText'
import type { Warning } from './warnings'

type Props = {
  /** Null: the check could not run. */
  warnings: readonly Warning[] | null
  earlier: readonly EarlierOverride[]
  /** By the warning's key. */
  reasons: Readonly<Record<string, string>>
  onReason: (key: string, reason: string) => void
  /** Somebody tried to go on without: those that are missing are marked. */
  isAsked: boolean
  onRetry: () => void
}

export const needsReason = (warnings: readonly Warning[], earlier: readonly { key: string }[]) =>
  warnings.filter(({ key }) => !earlier.some((override) => override.key === key))

const isGiven = (reason: string | undefined) => (reason ?? '').trim().length >= 3

/** The warnings that still have no reason to go past them. */
export const unreasoned = (
  warnings: readonly Warning[],
  earlier: readonly { key: string }[],
  reasons: Props['reasons'],
) => needsReason(warnings, earlier).filter(({ key }) => !isGiven(reasons[key]))

/** What the safety check says, with room for the reason to go on. It never says that something is safe. */
export function SafetyPanel({ warnings, earlier, reasons, onReason, isAsked, onRetry }: Props) {
  const say = useSay()
  const titleId = useId()
  if (warnings === null) {
    return (
      <Alert role="alert" color="red" variant="filled" icon={<IconAlertTriangle size={20} aria-hidden />}>
        <Stack gap="xs" align="flex-start">
          <Text size="sm" fw={600} c="white">
            {say('safety.couldNotRun')}
          </Text>
          <Button size="xs" variant="white" color="dark" onClick={onRetry}>
            {say('safety.tryAgain')}
          </Button>
        </Stack>
      </Alert>
    )
  }
  if (warnings.length === 0) {
    return (
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <IconShieldCheck size={18} aria-hidden style={{ flexShrink: 0 }} />
        <Text size="sm" c="dimmed">
          {say({ key: 'safety.noWarnings', values: { count: INTERACTIONS.length } })}
        </Text>
      </Group>
    )
  }
  return (
    <section aria-labelledby={titleId} aria-live="polite">
      <Title order={3} id={titleId} mb="xs">
        {say('safety.title')}
      </Title>
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {warnings.map((warning) => (
          <OneWarning
            key={warning.key}
            warning={warning}
            earlier={earlier.findLast(({ key }) => key === warning.key)}
            reason={reasons[warning.key] ?? ''}
            onReason={(reason) => onReason(warning.key, reason)}
            isAsked={isAsked}
          />
        ))}
      </Stack>
    </section>
  )
}

type OneProps = {
  warning: Warning
  earlier: EarlierOverride | undefined
  reason: string
  onReason: (reason: string) => void
  isAsked: boolean
}

const tones = { allergy: 'bad', interaction: 'bad', duplicate: 'warning', unchecked: 'warning' } as const

function OneWarning({ warning, earlier, reason, onReason, isAsked }: OneProps) {
  const say = useSay()
  const textOf = useWarningText()
  const format = useFormatter()
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const isMissing = isAsked && !isGiven(reason)
  return (
    <Paper
      component="li"
      withBorder
      p="sm"
      style={{
        borderInlineStart: `4px solid var(--mantine-color-${tones[warning.kind] === 'bad' ? 'red' : 'yellow'}-7)`,
      }}
    >
      <Stack gap="xs">
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <StatusBadge tone={tones[warning.kind]}>{say(`safety.kind.${warning.kind}`)}</StatusBadge>
          <Text size="sm">
            <bdi>{textOf(warning)}</bdi>
          </Text>
        </Group>
        {earlier ? (
          <Text size="sm" c="dimmed">
            {say({
              key: 'safety.alreadyOverridden',
              values: {
                who: earlier.by ?? '—',
                day: format.dateTime(new Date(earlier.overridden_at), day),
                reason: earlier.reason,
              },
            })}
          </Text>
        ) : (
          <Textarea
            label={say('safety.reason')}
            description={say('safety.reasonHint')}
            value={reason}
            onChange={(event) => onReason(event.currentTarget.value)}
            error={isMissing && say('safety.reasonRequired')}
            aria-invalid={isMissing || undefined}
            withAsterisk
            aria-required
            rows={1}
            maxLength={1000}
            dir="auto"
          />
        )}
      </Stack>
    </Paper>
  )
}

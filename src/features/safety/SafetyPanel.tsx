import { Alert, Anchor, Button, Group, List, Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import { INTERACTIONS } from './interactions'
import { InteractionsDialog } from './InteractionsDialog'
import type { EarlierOverride } from './overrides.server'
import { useWarningText } from './WarningText'
import { type AllergyScope, asksReason, isOfRule, type Warning } from './warning'

type Props = {
  /** Null: the check could not run. */
  warnings: readonly Warning[] | null
  /** What the check knew of the patient's allergies. */
  allergyState: AllergyScope | undefined
  /** Medicines whose dose could not be compared with a limit. */
  dosesUnchecked?: readonly string[]
  /** Where the answer about allergies can be recorded, for people who may open the patient's page. */
  patientId?: string
  earlier: readonly EarlierOverride[]
  /** By the warning's key. */
  reasons: Readonly<Record<string, string>>
  onReason: (key: string, reason: string) => void
  /** Somebody tried to go on without: those that are missing are marked. */
  isAsked: boolean
  onRetry: () => void
  /** Of its heading, below the one that it stands under. */
  order?: 2 | 3
}

export const needsReason = (warnings: readonly Warning[], earlier: readonly { key: string }[]) =>
  warnings.filter((warning) => asksReason(warning) && !earlier.some((override) => override.key === warning.key))

const isGiven = (reason: string | undefined) => (reason ?? '').trim().length >= 3

/** The warnings that still have no reason to go past them. */
export const unreasoned = (
  warnings: readonly Warning[],
  earlier: readonly { key: string }[],
  reasons: Props['reasons'],
) => needsReason(warnings, earlier).filter(({ key }) => !isGiven(reasons[key]))

/** What the safety check says and what it did not check, with room for the reason to go on. It never says that something is safe. */
export function SafetyPanel(props: Props) {
  const {
    warnings,
    allergyState,
    dosesUnchecked = [],
    patientId,
    earlier,
    reasons,
    onReason,
    isAsked,
    onRetry,
    order = 3,
  } = props
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
  return (
    <section aria-labelledby={titleId} aria-live="polite">
      <Title order={order} size="h3" id={titleId} mb="xs">
        {say('safety.title')}
      </Title>
      <Stack gap="sm">
        {allergyState?.state === 'not_asked' && <NotAsked patientId={patientId} />}
        {warnings.length > 0 && (
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
        )}
        <Scope allergyState={allergyState} dosesUnchecked={dosesUnchecked} hasWarnings={warnings.some(asksReason)} />
      </Stack>
    </section>
  )
}

/** "Not asked" is no "none": nothing was compared, and it is said where the reader looks first. */
function NotAsked({ patientId }: { patientId: string | undefined }) {
  const say = useSay()
  return (
    <Paper withBorder p="sm" style={{ borderInlineStart: '4px solid var(--mantine-color-yellow-7)' }}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <StatusBadge tone="warning">{say('safety.kind.unchecked')}</StatusBadge>
        <Text size="sm">
          {say('safety.allergiesNotAsked')}{' '}
          {patientId && (
            <Anchor
              target="_blank"
              inherit
              renderRoot={(props) => <Link to="/app/patients/$" params={{ _splat: patientId }} {...props} />}
            >
              {say('safety.openPatient')}
            </Anchor>
          )}
        </Text>
      </Group>
    </Paper>
  )
}

/** What the check compared and what it did not look at. */
type ScopeProps = {
  allergyState: AllergyScope | undefined
  dosesUnchecked: readonly string[]
  hasWarnings: boolean
}
function Scope({ allergyState, dosesUnchecked, hasWarnings }: ScopeProps) {
  const say = useSay()
  const format = useFormatter()
  const [isListed, setListed] = useState(false)
  return (
    <>
      <List size="sm" c="dimmed" spacing={4}>
        {allergyState?.state === 'recorded' && (
          <List.Item>{say({ key: 'safety.allergiesRecorded', values: { count: allergyState.count } })}</List.Item>
        )}
        {allergyState?.state === 'none_known' && (
          <List.Item>
            {say({
              key: allergyState.by ? 'safety.allergiesNone' : 'safety.allergiesNoneUnsigned',
              values: {
                day: format.dateTime(new Date(allergyState.at), { day: 'numeric', month: 'short', year: 'numeric' }),
                who: allergyState.by ?? '',
              },
            })}
          </List.Item>
        )}
        <List.Item>
          {say({
            key: hasWarnings ? 'safety.compared' : 'safety.noWarnings',
            values: { count: INTERACTIONS.length },
          })}{' '}
          <Anchor component="button" type="button" inherit onClick={() => setListed(true)}>
            {say('safety.pairs')}
          </Anchor>
        </List.Item>
        {dosesUnchecked.length > 0 && (
          <List.Item>{say({ key: 'safety.dosesUnchecked', values: { names: dosesUnchecked.join(', ') } })}</List.Item>
        )}
        <List.Item>{say('safety.notChecked')}</List.Item>
      </List>
      {isListed && <InteractionsDialog onClose={() => setListed(false)} />}
    </>
  )
}

type OneProps = {
  warning: Warning
  earlier: EarlierOverride | undefined
  reason: string
  onReason: (reason: string) => void
  isAsked: boolean
}

const toneOf = (warning: Warning) => {
  if (isOfRule(warning)) return warning.level === 'must_not' ? 'bad' : 'warning'
  return warning.kind === 'allergy' || warning.kind === 'interaction' ? 'bad' : 'warning'
}

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
        borderInlineStart: `4px solid var(--mantine-color-${toneOf(warning) === 'bad' ? 'red' : 'yellow'}-7)`,
      }}
    >
      <Stack gap="xs">
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <StatusBadge tone={toneOf(warning)}>{say(`safety.kind.${warning.kind}`)}</StatusBadge>
          <Text size="sm">
            <bdi>{textOf(warning)}</bdi>
          </Text>
        </Group>
        {earlier && (
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
        )}
        {!earlier && asksReason(warning) && (
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

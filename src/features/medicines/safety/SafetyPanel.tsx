import { Alert, Anchor, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useFormatter } from 'use-intl'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import { ComparedFold } from './Answers'
import { warningEdgeStyle, warningGravity, LevelBadge } from './LevelBadge'
import type { Stage } from './override'
import type { GivenReason, GivenReasons } from './second/given-reason'
import { isGiven, OverrideReason } from './OverrideReason'
import type { EarlierOverride } from './overrides.server'
import { RulesDialog } from './RulesDialog'
import {
  type AllergyScope,
  answersWarning,
  asksOwnLook,
  asksReason,
  type CheckScope,
  type Warning,
} from './rules/warning'
import { quotedList, WarningText } from './WarningText'

type Props = {
  /** Null: the check could not run. */
  warnings: readonly Warning[] | null
  /** What the check knew of the patient's allergies. */
  allergyState: AllergyScope | undefined
  /** What was compared and what was not. */
  scope: CheckScope | undefined
  stage: Stage
  /** Where the answer about allergies can be recorded, for people who may open the patient's page. */
  patientId?: string
  earlier: readonly EarlierOverride[]
  /** By the warning's key. */
  reasons: GivenReasons
  onReason: (key: string, reason: GivenReason) => void
  /** The user tried to go on without reasons: the missing ones are marked. */
  isAsked: boolean
  onRetry: () => void
  /** Of its heading, below the one that it stands under. */
  order?: 2 | 3
}

type Earlier = readonly EarlierOverride[]

export const warningsNeedingReason = (
  warnings: readonly Warning[],
  earlier: Earlier,
  stage: Stage,
) =>
  warnings.filter(
    (warning) =>
      asksReason(warning) && !earlier.some((override) => answersWarning(override, warning, stage)),
  )

/** The warnings that still have no reason to go past them. */
export const unreasoned = (
  warnings: readonly Warning[],
  earlier: Earlier,
  reasons: GivenReasons,
  stage: Stage,
) =>
  warningsNeedingReason(warnings, earlier, stage).filter(
    (warning) => !isGiven(reasons[warning.key], warning),
  )

/**
 * What the safety check says and what it did not check, with room for the reason to go on. It never
 * says that something is safe.
 */
export function SafetyPanel(props: Props) {
  const { warnings, allergyState, scope, patientId, earlier } = props
  const { reasons, onReason, isAsked, onRetry, order = 3 } = props
  const say = useSay()
  const titleId = useId()
  if (warnings === null) {
    return (
      <Alert
        role="alert"
        color="red"
        variant="filled"
        icon={<IconAlertTriangle size={20} aria-hidden />}
      >
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
        <WarningItems {...{ warnings, stage: props.stage, earlier, reasons, onReason, isAsked }} />
        <Scope allergyState={allergyState} scope={scope} />
      </Stack>
    </section>
  )
}

type ItemsProps = Pick<Props, 'stage' | 'earlier' | 'reasons' | 'onReason' | 'isAsked'> & {
  warnings: readonly Warning[]
}

/** Warnings with room for the reason to go on: of one medicine below it, of all in the panel. */
export function WarningItems({ warnings, stage, earlier, reasons, onReason, isAsked }: ItemsProps) {
  if (warnings.length === 0) return null
  return (
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {warnings.map((warning) => (
        <OneWarning
          key={warning.key}
          warning={warning}
          stage={stage}
          earlier={earlier.filter(({ key }) => key === warning.key)}
          reason={reasons[warning.key]}
          onReason={(reason) => onReason(warning.key, reason)}
          isAsked={isAsked}
        />
      ))}
    </Stack>
  )
}

/**
 * The warnings that are shown below the medicine at this place of the list: a warning about a medicine that is there
 * twice is below the first. What is about all medicines stays in the panel.
 */
export const warningsBelow = (
  warnings: readonly Warning[] | null,
  drugIds: readonly (string | undefined)[],
  at: number,
) => {
  const id = drugIds[at]
  if (id === undefined || drugIds.indexOf(id) !== at) return []
  return (warnings ?? []).filter(
    (warning) =>
      warning.drugId === id && !(warning.kind === 'unchecked' && warning.allergy !== undefined),
  )
}

/** "Not asked" is no "none": nothing was compared, and it is said where the reader looks first. */
function NotAsked({ patientId }: { patientId: string | undefined }) {
  const say = useSay()
  return (
    <Paper withBorder p="sm" style={warningEdgeStyle('unchecked')}>
      <Stack gap={4} align="flex-start">
        <LevelBadge gravity="unchecked" />
        <Text size="sm">
          {say('safety.allergiesNotAsked')}{' '}
          {patientId && (
            <LinkAnchor
              target="_blank"
              inherit
              underline="always"
              to="/app/patients/$patientId"
              params={{ patientId }}
            >
              {say('safety.openPatient')}
            </LinkAnchor>
          )}
        </Text>
      </Stack>
    </Paper>
  )
}

type ScopeProps = { allergyState: AllergyScope | undefined; scope: CheckScope | undefined }

/** How many allergies were compared, and behind a button what every list says about every medicine. */
function Scope({ allergyState, scope }: ScopeProps) {
  const say = useSay()
  const format = useFormatter()
  const [isListed, setListed] = useState(false)
  return (
    <>
      <List size="sm" c="dimmed" spacing={4}>
        {allergyState?.state === 'recorded' && <ComparedAllergies scope={allergyState} />}
        {allergyState?.state === 'none_known' && (
          <List.Item>
            {say({
              key: allergyState.by ? 'safety.allergiesNone' : 'safety.allergiesNoneUnsigned',
              values: {
                day: format.dateTime(new Date(allergyState.at), {
                  day: 'numeric',
                  month: 'short',
                  year: 'numeric',
                }),
                who: allergyState.by ?? '',
              },
            })}
          </List.Item>
        )}
        {scope && (
          <List.Item>
            {say('safety.notEverything')}{' '}
            <Anchor
              component="button"
              type="button"
              inherit
              underline="always"
              onClick={() => setListed(true)}
            >
              {say('safety.pairs')}
            </Anchor>
          </List.Item>
        )}
      </List>
      {scope && scope.medicines.length > 0 && <ComparedFold scope={scope} />}
      {isListed && <RulesDialog onClose={() => setListed(false)} />}
    </>
  )
}

/** How many allergies were compared with which medicines, and which were not. */
function ComparedAllergies({ scope }: { scope: AllergyScope & { state: 'recorded' } }) {
  const say = useSay()
  const format = useFormatter()
  const { compared, count, notCompared, medicines } = scope
  if (medicines.compared === 0 && medicines.count > 0)
    return (
      <List.Item>
        {say({ key: 'safety.allergiesNoMedicine', values: { count: medicines.count } })}
      </List.Item>
    )
  const names = notCompared.map(({ substance, parts }) =>
    parts
      ? say({
          key: 'safety.allergyPart',
          values: { substance, parts: quotedList(format, parts) },
        })
      : `\u2068${substance}\u2069`,
  )
  return (
    <>
      <List.Item>
        {notCompared.length === 0
          ? say({ key: 'safety.allergiesRecorded', values: { count } })
          : say({
              key: 'safety.allergiesPartly',
              values: { compared, count, names: format.list(names, { type: 'conjunction' }) },
            })}
      </List.Item>
      {medicines.compared < medicines.count && (
        <List.Item>{say({ key: 'safety.medicinesCompared', values: medicines })}</List.Item>
      )}
    </>
  )
}

type OneProps = {
  warning: Warning
  stage: Stage
  earlier: Earlier
  reason: GivenReason | undefined
  onReason: (reason: GivenReason) => void
  isAsked: boolean
}

function OneWarning({ warning, stage, earlier, reason, onReason, isAsked }: OneProps) {
  const say = useSay()
  const format = useFormatter()
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const last = earlier.at(-1)
  const isAnswered = earlier.some((override) => answersWarning(override, warning, stage))
  const gravity = warningGravity(warning)
  return (
    <Paper component="li" withBorder p="sm" style={warningEdgeStyle(gravity)}>
      <Stack gap={6}>
        <Group gap="xs">
          <LevelBadge gravity={gravity} />
          {gravity !== 'unchecked' && (
            <StatusBadge tone="quiet">{say(`safety.kind.${warning.kind}`)}</StatusBadge>
          )}
        </Group>
        <WarningText warning={warning} />
        {last && (
          <Text size="sm" c="dimmed">
            {say({
              key: 'safety.alreadyOverridden',
              values: {
                who: last.by ?? '—',
                day: format.dateTime(new Date(last.overridden_at), day),
                reason: [say(`safety.code.${last.reason_code}`), last.reason]
                  .filter(Boolean)
                  .join(': '),
              },
            })}
            {last.confirmed_by &&
              ` · ${say({ key: 'safety.confirmedBy', values: { who: last.confirmed_by } })}`}
          </Text>
        )}
        {!isAnswered && asksReason(warning) && (
          <OverrideReason
            warning={warning}
            reason={reason}
            onReason={onReason}
            isOwnLook={stage === 'dispensing' && asksOwnLook(warning)}
            isAsked={isAsked}
          />
        )}
      </Stack>
    </Paper>
  )
}

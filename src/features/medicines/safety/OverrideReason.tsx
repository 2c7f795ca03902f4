import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { PickList } from '~/fields/PickList'
import { isReasonInWords } from '~/shared/reason'
import { useSay } from '~/shared/say'
import type { GivenReason, GivenReasons } from './second/given-reason'
import { SecondSignIn } from './second/SecondSignIn'
import { EMERGENCY, REASON_CODES, type ReasonCode } from './override'
import { isGrave, namesMedicine, type Warning } from './rules/warning'

const isWhole = (reason: GivenReason | undefined) =>
  reason !== undefined &&
  (reason.code === EMERGENCY || (reason.code !== null && isReasonInWords(reason.text)))

/** Whether the reason answers the warning: of a grave one with the name of the medicine. */
export const isGiven = (reason: GivenReason | undefined, warning: Warning) =>
  isWhole(reason) &&
  (!isGrave(warning) ||
    reason!.code === EMERGENCY ||
    namesMedicine(reason!.medicine ?? '', warning))

/** The reasons that are complete, as they are sent. */
export const overridesFrom = (reasons: GivenReasons, warnings: readonly Pick<Warning, 'key'>[]) =>
  warnings.flatMap(({ key }) => {
    const reason = reasons[key]
    if (!isWhole(reason)) return []
    const { code, text, medicine = null, second } = reason!
    return [
      code === EMERGENCY
        ? { key, code, reason: null, medicine: null, second: null }
        : { key, code: code!, reason: text.trim(), medicine, second: second?.id ?? null },
    ]
  })

type Props = {
  warning: Warning
  reason?: GivenReason
  onReason: (reason: GivenReason) => void
  isOwnLook: boolean
  isAsked: boolean
}

const NONE: GivenReason = { code: null, text: '' }

/** Why a warning is overridden: a code and a text, of a grave warning also the name of the medicine. */
export function OverrideReason(props: Props) {
  const { warning, reason = NONE, onReason, isAsked } = props
  const say = useSay()
  if (!isGrave(warning)) return <CodeAndText {...props} />
  if (reason.code === EMERGENCY)
    return (
      <Group gap="sm">
        <Text size="sm" fw={600}>
          {say('safety.askedLater')}
        </Text>
        <Button size="xs" variant="default" onClick={() => onReason(NONE)}>
          {say('safety.giveReason')}
        </Button>
      </Group>
    )
  const isMissing = isAsked && !namesMedicine(reason.medicine ?? '', warning)
  const label = say({ key: 'safety.typeName', values: { name: warning.drug } })
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} c="var(--mantine-color-error)">
        {say({
          key: 'safety.recordedReaction',
          values: { reaction: warning.reaction ?? say('safety.reactionUnknown') },
        })}
      </Text>
      <TextInput
        label={label}
        description={say('safety.typeNameHint')}
        value={reason.medicine ?? ''}
        onChange={(event) => onReason({ ...reason, medicine: event.currentTarget.value })}
        error={isMissing && label}
        aria-invalid={isMissing || undefined}
        withAsterisk
        aria-required
        maxLength={500}
        dir="auto"
        autoComplete="off"
      />
      <CodeAndText {...props} />
      <SecondSignIn
        warningKey={warning.key}
        given={reason.second}
        isAsked={isAsked}
        onGiven={(second) => onReason({ ...reason, second })}
      />
      <Group>
        <Button
          size="xs"
          variant="default"
          onClick={() => onReason({ code: EMERGENCY, text: '', medicine: '' })}
        >
          {say('safety.askLater')}
        </Button>
      </Group>
    </Stack>
  )
}

function CodeAndText({ reason = NONE, onReason, isOwnLook, isAsked }: Props) {
  const say = useSay()
  return (
    <Group gap="sm" align="flex-start">
      <PickList
        label={say(isOwnLook ? 'safety.ownLook' : 'safety.reason')}
        description={isOwnLook ? say('safety.ownLookHint') : say('safety.reasonHint')}
        data={REASON_CODES.map((code) => ({ value: code, label: say(`safety.code.${code}`) }))}
        value={reason.code}
        onChange={(code) => onReason({ ...reason, code: code as ReasonCode | null })}
        error={isAsked && reason.code === null && say('safety.codeRequired')}
        withAsterisk
        aria-required
        allowDeselect={false}
        checkIconPosition="right"
        style={{ flex: '1 1 14rem' }}
      />
      <Textarea
        label={say('safety.reasonText')}
        description={say('safety.reasonTextHint')}
        value={reason.text}
        onChange={(event) => onReason({ ...reason, text: event.currentTarget.value })}
        error={isAsked && !isReasonInWords(reason.text) && say('safety.reasonShort')}
        aria-invalid={(isAsked && !isReasonInWords(reason.text)) || undefined}
        withAsterisk
        aria-required
        rows={1}
        maxLength={1000}
        dir="auto"
        style={{ flex: '2 1 16rem' }}
      />
    </Group>
  )
}

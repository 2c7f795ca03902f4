import { Group, Textarea } from '@mantine/core'
import { PickList } from '~/fields/PickList'
import { isReasonInWords } from '~/shared/reason'
import { useSay } from '~/shared/say'
import { REASON_CODES, type ReasonCode } from './override'
import type { Warning } from './rules/warning'

/** A reason as it is being given. */
export type GivenReason = { code: ReasonCode | null; text: string }
export type GivenReasons = Readonly<Record<string, GivenReason>>

export const isGiven = (reason: GivenReason | undefined) =>
  reason !== undefined && reason.code !== null && isReasonInWords(reason.text)

/** The reasons that are complete, as they are sent. */
export const overridesFrom = (reasons: GivenReasons, warnings: readonly Pick<Warning, 'key'>[]) =>
  warnings.flatMap(({ key }) => {
    const reason = reasons[key]
    return isGiven(reason) ? [{ key, code: reason!.code!, reason: reason!.text.trim() }] : []
  })

type Props = {
  reason?: GivenReason
  onReason: (reason: GivenReason) => void
  isOwnLook: boolean
  isAsked: boolean
}

/** Why a warning is overridden: a code and a text. */
export function OverrideReason({
  reason = { code: null, text: '' },
  onReason,
  isOwnLook,
  isAsked,
}: Props) {
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

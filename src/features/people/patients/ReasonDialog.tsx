import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { longText, optional, select } from '~/fields/field'
import { type Sayable, useSay } from '~/shared/say'
import { RecordDialog } from '~/ui/RecordDialog'
import { CARE_REASONS, type CareReason, reasonLabel } from './care-reason'

const fields = {
  reason: select('sharing.reason', CARE_REASONS, reasonLabel),
  reason_text: optional(longText('sharing.reason_text', { max: 500 })),
}

type GivenReason = { id: string; reason: CareReason; reason_text: string | null }
type Props = {
  title: Sayable
  /** What will happen. */
  text: Sayable
  submit: Sayable
  saved: Sayable
  /** Above the reason. */
  before?: ReactNode
  onSave: (given: GivenReason) => Promise<unknown>
  onClose: () => void
}

/** Asks why a patient of another clinic is linked, or why what others recorded is opened. */
export function ReasonDialog({ title, text, submit, saved, before, onSave, onClose }: Props) {
  const say = useSay()
  return (
    <RecordDialog
      title={title}
      size="md"
      submit={submit}
      fields={fields}
      suggested={{ reason: null, reason_text: null }}
      before={
        <>
          <Text size="sm" mb="md">
            {say(text)}
          </Text>
          {before}
        </>
      }
      onSave={({ reason, reason_text }, { id }) => onSave({ id, reason, reason_text })}
      saved={() => saved}
      onClose={onClose}
    />
  )
}

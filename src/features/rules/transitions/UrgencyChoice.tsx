import { Input, SegmentedControl } from '@mantine/core'
import { useId } from 'react'
import { useSay } from '~/shared/say'
import { type Urgency, URGENCIES } from './urgency'

type Props = { value: Urgency; onChange: (urgency: Urgency) => void }

/** Asks how urgent an arrival is; one press chooses. */
export function UrgencyChoice({ value, onChange }: Props) {
  const say = useSay()
  const id = useId()
  return (
    <Input.Wrapper label={say('urgency.label')} labelElement="div" labelProps={{ id }}>
      <SegmentedControl
        aria-labelledby={id}
        fullWidth
        value={value}
        onChange={(chosen) => onChange(chosen as Urgency)}
        // the usual one first
        data={URGENCIES.toReversed().map((urgency) => ({
          value: urgency,
          label: say(`urgency.${urgency}`),
        }))}
      />
    </Input.Wrapper>
  )
}

import { Text, TextInput } from '@mantine/core'
import { type Sayable, useSay } from '~/shared/say'
import { useFieldError } from './FormField'

type Props = {
  /** Its path in the errors of the form around it. */
  name: string
  label: Sayable
  /** As the clinic's clock shows it, `2026-03-01T09:30`; "" while it is being typed. */
  value: string
  onChange: (wall: string) => void
  /** What to look at again before saving; said beside the box, and to screen readers. */
  notice?: Sayable | null
}

/** A day and a time on the clinic's clock, by the browser's own input: typed, or picked on a phone. */
export function MomentInput({ name, label, value, onChange, notice }: Props) {
  const say = useSay()
  const error = useFieldError(name)
  return (
    <TextInput
      type="datetime-local"
      label={say(label)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error && say(error)}
      description={
        notice && (
          <Text span inherit c="var(--mantine-color-text)" fw={500} aria-live="polite">
            {say(notice)}
          </Text>
        )
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      aria-invalid={Boolean(error) || undefined}
      withAsterisk
      aria-required
      dir="ltr"
    />
  )
}

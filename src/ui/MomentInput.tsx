import { TextInput } from '@mantine/core'
import { type Sayable, useSay } from '~/shared/say'
import { useFieldError } from './FormField'

type Props = {
  /** Its path in the errors of the form around it. */
  name: string
  label: Sayable
  /** As the clinic's clock shows it, `2026-03-01T09:30`; "" while it is being typed. */
  value: string
  onChange: (wall: string) => void
}

/** A day and a time on the clinic's clock, by the browser's own input: typed, or picked on a phone. */
export function MomentInput({ name, label, value, onChange }: Props) {
  const say = useSay()
  const error = useFieldError(name)
  return (
    <TextInput
      type="datetime-local"
      label={say(label)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error && say(error)}
      aria-invalid={Boolean(error) || undefined}
      withAsterisk
      aria-required
      dir="ltr"
    />
  )
}

import { Textarea } from '@mantine/core'
import { useSay } from '~/shared/say'

/** A note about a count or a transfer. */
export function StockNote({
  value,
  onChange,
}: {
  value: string
  onChange: (note: string) => void
}) {
  const say = useSay()
  return (
    <Textarea
      label={say('inventory.note')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maxLength={500}
      autosize
      minRows={2}
      dir="auto"
      maw="40rem"
    />
  )
}

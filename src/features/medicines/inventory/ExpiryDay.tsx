import { hasNoExpiry } from '~/records/no-expiry'
import { useSay } from '~/shared/say'
import { Day, useDayText } from '~/ui/Day'

/** The expiry date of a batch, or that it has none. */
export function ExpiryDay({ value }: { value: string }) {
  const say = useSay()
  return hasNoExpiry(value) ? say('batches.noExpiry') : <Day value={value} />
}

/** "Expires 31 Jan 2027", or "no expiry". */
export function useExpiryText() {
  const say = useSay()
  const dayText = useDayText()
  return (expiryDate: string) =>
    hasNoExpiry(expiryDate)
      ? say('batches.noExpiry')
      : say({ key: 'dispensing.expires', values: { day: dayText(expiryDate) } })
}

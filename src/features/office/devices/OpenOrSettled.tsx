import { SegmentedControl } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { onlySearch } from '~/ui/search'
import { useSay } from '~/shared/say'

/** The URL says which of the two lists is shown. */
export function OpenOrSettled({ isSettled }: { isSettled: boolean }) {
  const say = useSay()
  const navigate = useNavigate()
  const show = (which: string) =>
    void navigate({ to: '.', search: onlySearch(which === 'settled' ? { settled: true } : {}) })
  return (
    <SegmentedControl
      w="fit-content"
      aria-label={say('devices.which')}
      value={isSettled ? 'settled' : 'open'}
      onChange={show}
      data={[
        { value: 'open', label: say('devices.open') },
        { value: 'settled', label: say('devices.settled') },
      ]}
    />
  )
}

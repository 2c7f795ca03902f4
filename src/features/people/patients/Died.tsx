import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { StatusBadge } from '~/ui/StatusBadge'

/** The mark beside the name of a patient who has died. */
export function Died({ on }: { on: string }) {
  return (
    <StatusBadge tone="bad" isLong>
      {useSay()('patients.died')} <Day value={on} />
    </StatusBadge>
  )
}

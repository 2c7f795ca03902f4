import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { StatusBadge } from '~/ui/StatusBadge'

/** Says, wherever the patient is named, that there is nobody to treat or to write to. */
export function Died({ on }: { on: string }) {
  return (
    <StatusBadge tone="bad" isLong>
      {useSay()('patients.died')} <Day value={on} />
    </StatusBadge>
  )
}

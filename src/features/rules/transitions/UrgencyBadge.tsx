import { useSay } from '~/shared/say'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import type { Urgency } from './urgency'

/** Red, yellow and green of the triage tool. */
const tones: Record<Urgency, Tone> = { emergency: 'bad', priority: 'warning', routine: 'good' }

export function UrgencyBadge({ urgency }: { urgency: Urgency }) {
  return <StatusBadge tone={tones[urgency]}>{useSay()(`urgency.${urgency}`)}</StatusBadge>
}

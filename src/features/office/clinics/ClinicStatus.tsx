import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'

export function ClinicStatus({ clinic }: { clinic: { is_archived: boolean } }) {
  const say = useSay()
  return (
    <StatusBadge tone={clinic.is_archived ? 'quiet' : 'good'}>
      {say(clinic.is_archived ? 'clinics.archived' : 'clinics.open')}
    </StatusBadge>
  )
}

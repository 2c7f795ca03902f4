import { createFileRoute } from '@tanstack/react-router'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/patients/register')({
  component: () => <ComingLater title="nav.registerPatient" />,
})

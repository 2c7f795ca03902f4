import { createFileRoute } from '@tanstack/react-router'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/patients/customize-registration-form')({
  component: () => <ComingLater title="nav.registrationForm" />,
})

import { createFileRoute } from '@tanstack/react-router'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/prescriptions/')({
  component: () => <ComingLater title="nav.prescriptions" />,
})

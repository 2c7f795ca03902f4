import { createFileRoute } from '@tanstack/react-router'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/inventory/clinic-inventory/')({
  component: () => <ComingLater title="nav.clinicInventory" />,
})

import { createFileRoute } from '@tanstack/react-router'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/inventory/drug-catalogue/')({
  component: () => <ComingLater title="nav.drugCatalogue" />,
})

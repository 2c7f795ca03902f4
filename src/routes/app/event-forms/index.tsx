import { createFileRoute } from '@tanstack/react-router'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/event-forms/')({ component: () => <ComingLater title="nav.eventForms" /> })

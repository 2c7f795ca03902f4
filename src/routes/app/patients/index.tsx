import { createFileRoute } from '@tanstack/react-router'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/patients/')({ component: () => <ComingLater title="nav.patients" /> })

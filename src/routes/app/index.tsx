import { createFileRoute } from '@tanstack/react-router'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/')({ component: () => <Page title="nav.dashboard">-</Page> })

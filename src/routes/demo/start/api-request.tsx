import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { Answer } from '~/features/office/demo/Answer'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/demo/start/api-request')({
  ssr: false,
  loader: async () => {
    // 503 is an answer, too: it says why
    const response = await fetch('/api/health')
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  },
  pendingComponent: PageSkeleton,
  component: ApiRequestPage,
})

function ApiRequestPage() {
  const say = useSay()
  const router = useRouter()
  return (
    <Page
      narrow
      title="demo.api"
      lead={say('demo.apiText')}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => void router.invalidate()}
        >
          {say('demo.readAgain')}
        </Button>
      }
    >
      <Answer label="demo.answer" value={Route.useLoaderData()} />
    </Page>
  )
}

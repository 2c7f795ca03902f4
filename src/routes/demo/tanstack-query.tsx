import { Button, List, Paper } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { Answer } from '~/features/office/demo/Answer'
import { HttpFailure } from '~/shared/httpFailure'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

type People = { result: { data: { id: number; name: string }[] } }

export const Route = createFileRoute('/demo/tanstack-query')({
  // in the browser, as any program outside would ask: by tRPC over HTTP
  ssr: false,
  loader: async () => {
    const response = await fetch('/api/trpc/people.list')
    if (!response.ok) throw new HttpFailure(response.status)
    return (await response.json()) as People
  },
  pendingComponent: PageSkeleton,
  component: QueryPage,
})

function QueryPage() {
  const say = useSay()
  const router = useRouter()
  const answer = Route.useLoaderData()
  return (
    <Page
      narrow
      title="demo.query"
      lead={say('demo.queryText')}
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
      <Paper withBorder p="md">
        <List>
          {answer.result.data.map(({ id, name }) => (
            <List.Item key={id}>
              <bdi>{name}</bdi>
            </List.Item>
          ))}
        </List>
      </Paper>
      <Answer label="demo.answer" value={answer} />
    </Page>
  )
}

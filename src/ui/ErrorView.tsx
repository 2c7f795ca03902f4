import { Alert, Button, Code, Collapse, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { DocumentTitle } from './DocumentTitle'
import { explain, isNotThere, isServersFault, isUnreachable, requestIdOf } from './explain'
import { NoConnectionView } from './NoConnectionView'
import { NotFoundView } from './NotFoundView'
import { useSay } from '~/shared/say'

const AGAIN_MS = 10_000

/**
 * What a screen shows instead of itself when it could not be loaded. A refusal says why; a bug says nothing but the
 * number under which the server's log knows it, and is tried again: nobody stands beside the screen of a waiting room.
 */
export function ErrorView({ error, reset }: Pick<ErrorComponentProps, 'error'> & { reset?: () => void }) {
  const say = useSay()
  const router = useRouter()
  const [shown, setShown] = useState(false)
  const detailsId = useId()
  const { text, code, title } = explain(error)
  const requestId = requestIdOf(error)

  const retry = async () => {
    reset?.()
    await router.invalidate()
  }
  useAgain(retry, isServersFault(error) && !shown)
  if (isNotThere(error)) return <NotFoundView text={code === 'not_found' ? text : undefined} />
  if (isUnreachable(error)) return <NoConnectionView retry={retry} />
  return (
    <Stack p="lg" maw="40rem" gap="md" role="alert">
      <DocumentTitle page={title} />
      <Group gap="sm" wrap="nowrap">
        <IconAlertTriangle color="var(--mantine-color-error)" aria-hidden />
        <Title order={1}>{say(title)}</Title>
      </Group>
      {code === undefined && <Text c="dimmed">{say('errors.wrongText')}</Text>}
      <Group gap="xs">
        <Button onClick={retry}>{say('errors.tryAgain')}</Button>
        {code === 'unauthenticated' ? (
          <Button variant="default" component="a" href="/">
            {say('shell.signInAgain')}
          </Button>
        ) : (
          <Button variant="default" renderRoot={(props) => <Link to="/app" {...props} />}>
            {say('errors.home')}
          </Button>
        )}
        <Button variant="subtle" onClick={() => setShown(!shown)} aria-expanded={shown} aria-controls={detailsId}>
          {say(shown ? 'errors.hide' : 'errors.show')}
        </Button>
      </Group>
      <Collapse expanded={shown} id={detailsId}>
        <Alert color="gray" variant="light">
          <Text size="sm">{say(text)}</Text>
          {requestId && (
            <Text size="sm" mt="xs">
              {say('errors.request')}: <Code>{requestId}</Code>
            </Text>
          )}
        </Alert>
      </Collapse>
    </Stack>
  )
}

function useAgain(retry: () => Promise<void>, isWanted: boolean) {
  const again = useEffectEvent(() => void retry())
  useEffect(() => {
    if (!isWanted) return
    const timer = setInterval(again, AGAIN_MS)
    return () => clearInterval(timer)
  }, [isWanted])
}

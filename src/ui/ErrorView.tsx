import { Alert, Button, Code, Collapse, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ErrorComponentProps, useLocation, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { useFormatter } from 'use-intl'
import { LinkButton } from '~/client/links'
import { needsSignIn } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { DocumentTitle } from './DocumentTitle'
import {
  browserErrorText,
  explainError,
  isNotThere,
  isServersFault,
  isUnreachable,
  errorRequestId,
} from '~/client/explain'
import { ForbiddenView } from './ForbiddenView'
import { NoConnectionView } from './NoConnectionView'
import { NotFoundView } from './NotFoundView'
import { useSay } from '~/shared/say'

const AGAIN_MS = 10_000

/**
 * What a screen shows instead of itself when it could not be loaded. A refusal says why; a bug says nothing but the
 * number under which the server's log knows it, and is tried again: no user is beside the screen of a waiting room.
 */
export function ErrorView({
  error,
  reset,
}: Pick<ErrorComponentProps, 'error'> & { reset?: () => void }) {
  const say = useSay()
  const router = useRouter()
  const [shown, setShown] = useState(false)
  const [at] = useState(() => new Date())
  const detailsId = useId()
  const { text, code, title } = explainError(error)

  const retry = async () => {
    reset?.()
    await router.invalidate()
  }
  useAgain(retry, isServersFault(error) && !shown)
  if (isNotThere(error)) return <NotFoundView text={code === 'not_found' ? text : undefined} />
  if (isUnreachable(error)) return <NoConnectionView retry={retry} />
  if (code === 'forbidden' && !needsSignIn(error)) return <ForbiddenView />
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
        {needsSignIn(error) ? (
          <Button variant="default" component="a" href="/">
            {say('shell.signInAgain')}
          </Button>
        ) : (
          <LinkButton variant="default" to="/app">
            {say('errors.home')}
          </LinkButton>
        )}
        <Button
          variant="subtle"
          onClick={() => setShown(!shown)}
          aria-expanded={shown}
          aria-controls={detailsId}
        >
          {say(shown ? 'errors.hide' : 'errors.show')}
        </Button>
      </Group>
      <Collapse expanded={shown} id={detailsId}>
        <Alert color="gray" variant="light">
          <Text size="sm">{say(text)}</Text>
          {/* not before it is asked for: the server's clock shows another second */}
          {shown && <ErrorFacts error={error} at={at} />}
        </Alert>
      </Collapse>
    </Stack>
  )
}

/** What an administrator can search for: which error, on which screen, when, and the request in the server's log. */
function ErrorFacts({ error, at }: { error: unknown; at: Date }) {
  const say = useSay()
  const format = useFormatter()
  const { pathname } = useLocation()
  const facts: [MessageKey, string | null][] = [
    ['errors.kind', browserErrorText(error)],
    ['errors.screen', pathname],
    ['errors.time', format.dateTime(at, { dateStyle: 'medium', timeStyle: 'medium' })],
    ['errors.request', errorRequestId(error)],
  ]
  return facts.map(
    ([label, value]) =>
      value && (
        <Text key={label} size="sm" mt="xs">
          {say(label)}:{' '}
          {label === 'errors.time' ? <bdi>{value}</bdi> : <Code dir="ltr">{value}</Code>}
        </Text>
      ),
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

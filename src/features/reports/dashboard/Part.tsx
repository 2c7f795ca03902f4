import { Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, Suspense, use, useDeferredValue, useId } from 'react'
import { LinkAnchor } from '~/client/links'
import type { MessageKey } from '~/shared/language'
import { type Sayable, useSay } from '~/shared/say'

/** The content of a part of the dashboard, or its error. */
type Settled<T> = { data: T } | { data?: undefined }
export type Coming<T> = Promise<Settled<T>>

/** A failed part shows its error in place, and the others stay. */
export const settlePart = <T,>(work: Promise<T>): Coming<T> =>
  work.then(
    (data) => ({ data }),
    () => ({}),
  )

type Props<T> = {
  coming: Coming<T>
  title: MessageKey
  /** Lines that the part takes up while it is on its way. */
  lines?: number
  children: (data: T) => ReactNode
}

/**
 * One part of the dashboard: drawn as soon as its own figures are there, however long the others
 * take.
 */
export function Part<T>({ coming, title, lines = 4, children }: Props<T>) {
  const say = useSay()
  const id = useId()
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id} h="100%">
      <Suspense
        fallback={
          <>
            <Heading id={id} title={title} />
            <Stack component="output" gap="sm" aria-label={say('common.loading')}>
              {Array.from({ length: lines }, (_, line) => (
                <Skeleton key={line} height={14} width={line % 2 ? '60%' : '85%'} />
              ))}
            </Stack>
          </>
        }
      >
        <Arrived coming={coming} id={id} title={title}>
          {children}
        </Arrived>
      </Suspense>
    </Paper>
  )
}

function Arrived<T>({ coming, id, title, children }: Props<T> & { id: string }) {
  // while it reloads, the old figures stay until the new ones arrive
  const { data } = use(useDeferredValue(coming))
  return (
    <>
      <Heading id={id} title={title} />
      {data === undefined ? <Failed /> : children(data)}
    </>
  )
}

function Heading({ id, title }: { id: string; title: MessageKey }) {
  const say = useSay()
  return (
    <Title order={2} id={id} mb="sm">
      {say(title)}
    </Title>
  )
}

/** Says in its place that a part is missing, and fetches it again. */
export function Failed() {
  const say = useSay()
  const router = useRouter()
  return (
    <Stack align="flex-start" gap="xs" role="alert">
      <Text c="dimmed" size="sm">
        {say('dashboard.failed')}
      </Text>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={() => void router.invalidate()}
      >
        {say('errors.tryAgain')}
      </Button>
    </Stack>
  )
}

/** A way to the list behind a figure. */
export function ListLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <LinkAnchor size="sm" to={to}>
      {children}
    </LinkAnchor>
  )
}

/** The text of a part with nothing to list. */
export function NothingHere({ what }: { what: Sayable }) {
  const say = useSay()
  return (
    <Text c="dimmed" size="sm">
      {say(what)}
    </Text>
  )
}

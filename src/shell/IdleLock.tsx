import { Button, Modal, Stack, Text, Title } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useExpiry } from '~/client/expiry'
import { whenIdle } from '~/client/idle'
import {
  hearTabs,
  idleFor,
  isScreenLocked,
  setLockShown,
  tellTabs,
  touch,
  watchTouches,
} from '~/client/lock'

const loadUnlock = () => import('~/features/office/sessions/Unlock')
const Unlock = lazy(async () => ({ default: (await loadUnlock()).Unlock }))

const LOOK_EVERY_MS = 1_000
const MINUTE_MS = 60_000

type Props = { name: string; onSignOut: () => Promise<unknown> }

/**
 * Covers the screen after a time without input, in every tab at once. Typed text stays beneath. The
 * server locks the session too, so that the cover is not the only barrier.
 */
export function IdleLock({ name, onSignOut }: Props) {
  const say = useSay()
  const router = useRouter()
  const { isLocked, show } = useLock()
  if (!isLocked) return null
  return (
    <Modal.Root
      opened
      onClose={() => {}}
      fullScreen
      closeOnEscape={false}
      zIndex={1000}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Content aria-label={say('sessions.lockedTitle')}>
        <Modal.Body>
          <Stack maw="26rem" mx="auto" mt="15vh">
            <Title order={2}>{say('sessions.lockedTitle')}</Title>
            <Text>{say({ key: 'sessions.lockedText', values: { name } })}</Text>
            <Suspense fallback={null}>
              <Unlock
                onUnlocked={async () => {
                  show(false)
                  tellTabs(false)
                  await router.invalidate()
                }}
              />
            </Suspense>
            <Button
              variant="subtle"
              color="gray"
              c="var(--mantine-color-text)"
              onClick={() => void onSignOut()}
            >
              {say('sessions.someoneElse')}
            </Button>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function useLock() {
  const router = useRouter()
  const [isLocked, setLocked] = useState(false)
  /** Where the user was typing: focus returns there. */
  const cursor = useRef<Element>(null)

  const show = useCallback((locked: boolean) => {
    setLockShown(locked)
    if (locked) cursor.current ??= document.activeElement
    else touch()
    setLocked(locked)
  }, [])
  /** The server may have locked the session before the screen did. */
  const lookAgain = useCallback(async () => {
    const session = await api.sessions.current(undefined).catch(() => null)
    if (session?.state === 'locked') show(true)
    return session
  }, [show])
  useExpiry(useCallback(() => void lookAgain(), [lookAgain]))
  // without a network, the cover has its form already
  useEffect(() => whenIdle(() => void loadUnlock().catch(() => {})), [])

  useEffect(() => {
    if (isLocked) return
    if (cursor.current instanceof HTMLElement) cursor.current.focus()
    cursor.current = null
  }, [isLocked])

  useEffect(() => {
    const ends = [
      hearTabs((locked) => {
        show(locked)
        if (!locked) void router.invalidate()
      }),
      () => setLockShown(false),
    ]
    let isOver = false
    const lock = () => {
      show(true)
      tellTabs(true)
      // without a network the server locks the session by itself, because it gets no requests
      void api.sessions.lock(undefined).catch(() => {})
    }
    const begin = async () => {
      const session = await lookAgain()
      if (session && !isOver) ends.push(keepWatch(session.lockMinutes * MINUTE_MS, lookAgain, lock))
    }
    void begin()
    return () => {
      isOver = true
      for (const end of ends) end()
    }
  }, [lookAgain, router, show])

  return { isLocked, show }
}

/**
 * Locks after `limit` without input. While there is input, it sends the server a request: typing alone
 * sends none, and the server would lock the session.
 */
function keepWatch(limit: number, tellServer: () => unknown, lock: () => void): () => void {
  touch()
  const stopWatching = watchTouches(limit)
  let reportedAt = Date.now()
  let wasLocked = false
  const timer = setInterval(() => {
    if (isScreenLocked()) {
      if (!wasLocked && idleFor() > limit) lock()
      wasLocked = true
      return
    }
    wasLocked = false
    if (Date.now() - reportedAt > limit / 3 && idleFor() < limit / 3) {
      reportedAt = Date.now()
      tellServer()
    }
  }, LOOK_EVERY_MS)
  return () => {
    clearInterval(timer)
    stopWatching()
  }
}

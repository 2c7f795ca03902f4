import { Button, Modal, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSay } from '~/shared/say'
import { useExpiry } from '~/ui/expiry'
import { idleFor, isScreenLocked, setLockShown, touch, watchTouches } from '~/ui/lock'
import { getSession, lockSession } from './sessions.functions'
import { Unlock } from './Unlock'

const LOOK_EVERY_MS = 1_000
const MINUTE_MS = 60_000
type News = 'lock' | 'unlock'

/**
 * Covers the screen when nobody touched it for a while, in every tab at once. What was typed stays beneath. The server
 * locks the session as well, so that the cover is not all there is between a stranger and the records.
 */
export function IdleLock({ name, onSignOut }: { name: string; onSignOut: () => Promise<unknown> }) {
  const say = useSay()
  const router = useRouter()
  const [isLocked, setLocked] = useState(false)
  const channel = useRef<BroadcastChannel>(null)
  /** Where the person was typing: there he goes on. */
  const cursor = useRef<Element>(null)

  const show = useCallback((locked: boolean) => {
    setLockShown(locked)
    if (locked) cursor.current ??= document.activeElement
    else touch()
    setLocked(locked)
  }, [])
  const lookAgain = useCallback(async () => {
    const session = await getSession({ data: undefined }).catch(() => null)
    if (session?.state === 'locked') show(true)
    return session
  }, [show])
  // a save was refused because the server locked the session first
  useExpiry(useCallback(() => void lookAgain(), [lookAgain]))

  useEffect(() => {
    if (isLocked) return
    if (cursor.current instanceof HTMLElement) cursor.current.focus()
    cursor.current = null
  }, [isLocked])

  useEffect(() => {
    const tabs = new BroadcastChannel('sanad_lock')
    channel.current = tabs
    tabs.onmessage = ({ data }: MessageEvent<News>) => {
      show(data === 'lock')
      if (data === 'unlock') void router.invalidate()
    }
    let stop = () => {}
    void lookAgain().then((session) => {
      if (session)
        stop = keepWatch(session.lockMinutes * MINUTE_MS, lookAgain, () => {
          show(true)
          tabs.postMessage('lock' satisfies News)
          void lockSession({ data: undefined }).catch(() => {})
        })
    })
    return () => {
      stop()
      tabs.close()
      setLockShown(false)
    }
  }, [lookAgain, router, show])

  if (!isLocked) return null
  return (
    <Modal
      opened
      onClose={() => {}}
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={1000}
      transitionProps={{ duration: 0 }}
      title={<Text fw={600}>{say('sessions.lockedTitle')}</Text>}
    >
      <Stack maw="26rem" mx="auto" mt="15vh">
        <Text>{say({ key: 'sessions.lockedText', values: { name } })}</Text>
        <Unlock
          onUnlocked={async () => {
            show(false)
            channel.current?.postMessage('unlock' satisfies News)
            await router.invalidate()
          }}
        />
        <Button variant="subtle" color="gray" c="var(--mantine-color-text)" onClick={() => void onSignOut()}>
          {say('sessions.someoneElse')}
        </Button>
      </Stack>
    </Modal>
  )
}

/** Locks after `limit` without a touch. While there are touches, the server hears of it: typing alone sends it nothing. */
function keepWatch(limit: number, tellServer: () => unknown, lock: () => void): () => void {
  touch()
  const stopWatching = watchTouches(limit)
  let told = Date.now()
  let wasLocked = false
  const timer = setInterval(() => {
    if (isScreenLocked()) {
      if (!wasLocked && idleFor() > limit) lock()
      wasLocked = true
      return
    }
    wasLocked = false
    if (Date.now() - told > limit / 3 && idleFor() < limit / 3) {
      told = Date.now()
      void tellServer()
    }
  }, LOOK_EVERY_MS)
  return () => {
    clearInterval(timer)
    stopWatching()
  }
}

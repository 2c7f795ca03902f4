import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { QueryName } from '~/client/api'
import { isScreenLocked } from '~/client/lock'
import { useToday } from './clock'

const SETTLE_MS = 250
const CONNECT_AGAIN_MS = 10_000

/**
 * Runs the screen's loader again when the answer of one of these operations may have changed: the server knows which
 * tables each of them reads. Midnight does so, too: what the screen shows of today is then of yesterday. Typed input
 * is kept. A hidden tab closes its connection (a browser allows six to one address) and reloads when it is shown again,
 * as does a tab that lost its connection. Nothing is reloaded before there is a connection: a failed reload would
 * replace the screen, with what is typed in it.
 */
export function useLive(...reads: QueryName[]) {
  const router = useRouter()
  const address = `/api/live?reads=${reads.join()}`
  const today = useToday()
  const readOn = useRef(today)
  const onMidnight = useRef(() => {})
  useEffect(() => {
    if (readOn.current === today) return
    readOn.current = today
    onMidnight.current()
  }, [today])
  useEffect(() => {
    let source: EventSource | undefined
    let settling: ReturnType<typeof setTimeout> | undefined
    let reconnecting: ReturnType<typeof setTimeout> | undefined
    // one write touches several tables: wait for the last of them
    const refresh = () => {
      if (isScreenLocked()) return // everything is read again when it opens
      clearTimeout(settling)
      settling = setTimeout(() => void router.invalidate(), SETTLE_MS)
    }
    let hasOpened = false
    onMidnight.current = () => {
      if (source?.readyState === EventSource.OPEN) refresh()
      // read when there is a connection again
      else hasOpened = true
    }
    const open = () => {
      if (hasOpened) refresh()
      hasOpened = true
    }
    // the browser does not retry after an answer that is no stream, such as a proxy's while the server starts
    const connectAgain = () => {
      if (source?.readyState !== EventSource.CLOSED) return
      source = undefined
      clearTimeout(reconnecting)
      reconnecting = setTimeout(followWhileVisible, CONNECT_AGAIN_MS)
    }
    function followWhileVisible() {
      if (document.hidden) {
        source?.close()
        source = undefined
      } else if (!source) {
        source = new EventSource(address)
        source.addEventListener('open', open)
        source.addEventListener('message', refresh)
        source.addEventListener('error', connectAgain)
      }
    }
    followWhileVisible()
    document.addEventListener('visibilitychange', followWhileVisible)
    return () => {
      document.removeEventListener('visibilitychange', followWhileVisible)
      clearTimeout(settling)
      clearTimeout(reconnecting)
      source?.close()
    }
  }, [router, address])
}

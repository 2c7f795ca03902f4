import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isScreenLocked } from '~/client/lock'

const SETTLE_MS = 250
const CONNECT_AGAIN_MS = 10_000

/**
 * Reads the screen's data again when rows of these tables changed anywhere. What is
 * being typed stays. A hidden tab lets go of its connection (a browser allows six to one address)
 * and catches up when it is shown again; so does one that lost it. Nothing is read again before
 * there is a connection: a screen that fails to would be gone, with what is typed in it.
 */
export function useLive(...tables: string[]) {
  const router = useRouter()
  const wanted = tables.join()
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
    const hear = ({ data }: MessageEvent<string>) => {
      if (data === '*' || wanted.split(',').includes(data)) refresh()
    }
    let hasOpened = false
    const open = () => {
      if (hasOpened) refresh()
      hasOpened = true
    }
    // the browser gives up by itself after an answer that is none, as of a proxy whose server starts
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
        source = new EventSource('/api/live')
        source.addEventListener('open', open)
        source.addEventListener('message', hear)
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
  }, [router, wanted])
}

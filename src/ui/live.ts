import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isScreenLocked } from './lock'

const SETTLE_MS = 250

/**
 * Reads the screen's data again when somebody, anywhere, changed rows of these tables. What is being typed stays.
 * A hidden tab lets go of its connection (a browser allows six to one address) and catches up when it is shown again.
 */
export function useLive(...tables: string[]) {
  const router = useRouter()
  const wanted = tables.join()
  useEffect(() => {
    let source: EventSource | undefined
    let settling: ReturnType<typeof setTimeout> | undefined
    // one write touches several tables: wait for the last of them
    const refresh = () => {
      if (isScreenLocked()) return // everything is read again when it opens
      clearTimeout(settling)
      settling = setTimeout(() => void router.invalidate(), SETTLE_MS)
    }
    const hear = ({ data }: MessageEvent<string>) => {
      if (data === '*' || wanted.split(',').includes(data)) refresh()
    }
    const followWhileVisible = () => {
      if (document.hidden) {
        source?.close()
        source = undefined
      } else if (!source) {
        source = new EventSource('/api/live')
        source.addEventListener('message', hear)
      }
    }
    const onVisibility = () => {
      if (!document.hidden) refresh()
      followWhileVisible()
    }
    followWhileVisible()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(settling)
      source?.close()
    }
  }, [router, wanted])
}

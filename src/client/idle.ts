import { useEffect, useState } from 'react'

const LATEST_MS = 4_000

/** Calls back once the page is loaded and the browser has nothing else to do. Returns how to call that off. */
export function whenIdle(callback: () => void): () => void {
  let isOff = false
  const call = () => {
    if (!isOff) callback()
  }
  const wait = () => {
    // Safari has no idle callbacks
    if ('requestIdleCallback' in window) requestIdleCallback(call, { timeout: LATEST_MS })
    else setTimeout(call, LATEST_MS / 2)
  }
  if (document.readyState === 'complete') wait()
  else addEventListener('load', wait, { once: true })
  return () => {
    isOff = true
  }
}

/** False while the page loads: what is not needed for its first second waits for it. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => setIdle(true)), [])
  return isIdle
}

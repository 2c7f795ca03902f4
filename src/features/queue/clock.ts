import { useEffect, useState } from 'react'

const EVERY_MS = 15_000

/** The time, read again a few times a minute: minutes of waiting pass without anybody changing anything. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const ticking = setInterval(() => setNow(new Date()), EVERY_MS)
    return () => clearInterval(ticking)
  }, [])
  return now
}

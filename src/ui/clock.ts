import { useMemo, useSyncExternalStore } from 'react'
import { useNow as useDrawnAt, useTimeZone } from 'use-intl'
import { dayIn } from '~/shared/zone'

/** A time of day as people write it: 6:00 AM, not 06:00 AM. Every screen formats clocks with it. */
export const TIME_OF_DAY = { hour: 'numeric', minute: '2-digit' } as const

const EVERY_MS = 15_000

const toTheTick = (at: number) => Math.floor(at / EVERY_MS) * EVERY_MS
const read = () => toTheTick(Date.now())

const listeners = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

/** One timer for all: a list shows a time in each row. */
function subscribe(onTick: () => void) {
  listeners.add(onTick)
  ticking ??= setInterval(() => {
    for (const listener of listeners) listener()
  }, EVERY_MS)
  return () => {
    listeners.delete(onTick)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

/**
 * The time, updated every 15 seconds for waiting times. The server and the hydrating browser both begin
 * with the time of rendering: otherwise their texts would differ.
 */
export function useNow(): Date {
  const drawnAt = toTheTick(useDrawnAt().getTime())
  const tick = useSyncExternalStore(subscribe, read, () => drawnAt)
  return useMemo(() => new Date(tick), [tick])
}

/** The day it is where the clinic is, `yyyy-MM-dd`. What reads it is drawn again at midnight alone. */
export function useToday(): string {
  const drawnAt = useDrawnAt()
  const timeZone = useTimeZone() ?? 'UTC'
  return useSyncExternalStore(
    subscribe,
    () => dayIn(new Date(read()), timeZone),
    () => dayIn(new Date(toTheTick(drawnAt.getTime())), timeZone),
  )
}

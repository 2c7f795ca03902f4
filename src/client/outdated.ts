import { useRouter, type RegisteredRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { isServersFault, isUnreachable } from './explain'
import { isScreenLocked } from './lock'

const AGAIN_MS = 10_000

/** Ids of the routes whose part of the screen could not be read again: a screen is made of several. */
const outdated = new Set<string>()
const listeners = new Set<() => void>()

function change(how: () => void) {
  const before = outdated.size
  how()
  if (before !== outdated.size) for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * A signed-in screen that stands there stays, with all that is typed in it, when it could not be read again: news from
 * elsewhere, or a save, ask for that while the server may be away. Opening another screen fails as ever. All loaders
 * are wrapped here: a route that forgot to do it would lose what is typed.
 */
export function keepWhatIsShown(router: RegisteredRouter) {
  for (const route of Object.values(router.routesById)) {
    const { loader } = route.options
    if (typeof loader !== 'function' || !route.id.startsWith('/app')) continue
    const read = loader as (asked: Asked) => unknown
    route.options.loader = (async (asked: Asked) => {
      try {
        const data = await read(asked)
        if (!asked.preload) change(() => outdated.delete(route.id))
        return data
      } catch (error) {
        const shown =
          isServersFault(error) || isUnreachable(error)
            ? shownAs(router, route.id, asked)
            : undefined
        if (!shown) throw error
        change(() => outdated.add(route.id))
        return shown.loaderData
      }
    }) as never // the loader's own type, which each route infers
  }
  router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (pathChanged) change(() => outdated.clear())
  })
}

type Asked = { params: object; deps: object; preload: boolean }

/** What the screen shows of this very address. */
function shownAs({ state }: RegisteredRouter, routeId: string, { params, deps, preload }: Asked) {
  if (preload) return undefined
  const address = JSON.stringify([params, deps])
  return state.matches.find(
    (match) =>
      match.routeId === routeId &&
      match.status === 'success' &&
      JSON.stringify([match.params, match.loaderDeps]) === address,
  )
}

/** Whether the screen shows what it could not read again. It is tried again until it can. */
export function useOutdated(): boolean {
  const router = useRouter()
  const isOutdated = useSyncExternalStore(
    subscribe,
    () => outdated.size > 0,
    () => false,
  )
  const again = useEffectEvent(() => {
    // everything is read again when it opens
    if (!isScreenLocked()) void router.invalidate()
  })
  useEffect(() => {
    if (!isOutdated) return undefined
    const readAgain = () => again()
    const timer = setInterval(readAgain, AGAIN_MS)
    window.addEventListener('online', readAgain)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', readAgain)
    }
  }, [isOutdated])
  return isOutdated
}

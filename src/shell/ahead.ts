import { type RegisteredRouter, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useLocale } from 'use-intl'
import { whenIdle } from '~/client/idle'
import type { Actor } from '~/shared/actor'
import { preferredLanguage } from '~/shared/language'
import { loadMessages } from '~/ui/messages'
import { areasFor } from './navigation'

/** Screens that most menu screens lead to. */
const NEXT = ['/app/patients/$patientId', '/app/patients/register']

/**
 * After the first screen, when nothing else is to be done: fetches the words and the code of the screens that the menu
 * offers this user, one after the other, so that opening one costs one request for its data. Not where the user saves
 * data.
 */
export function useScreensAhead(actor: Actor) {
  const router = useRouter()
  const language = preferredLanguage(useLocale())
  useEffect(() => {
    let isOver = false
    const stop = whenIdle(() => void fetchAhead())
    async function fetchAhead() {
      if (savesData()) return
      try {
        await loadMessages(language)
        const offered = areasFor(actor).flatMap(({ screens }) => screens.map(({ path }) => path))
        for (const id of [...offered, ...NEXT]) {
          if (isOver || !navigator.onLine) return
          await loadScreen(router, id)
          // the code of a screen takes a slow browser longer than a key press may wait
          await new Promise<void>(whenIdle)
        }
      } catch {
        // it is fetched when the screen opens, which says what is wrong
      }
    }
    return () => {
      isOver = true
      stop()
    }
  }, [actor, language, router])
}

const savesData = () =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

async function loadScreen(router: RegisteredRouter, path: string) {
  const byId: Record<string, Parameters<typeof router.loadRouteChunk>[0]> = {
    ...router.routesById,
  }
  const route = byId[path] ?? byId[`${path}/`]
  if (route) await router.loadRouteChunk(route)
}

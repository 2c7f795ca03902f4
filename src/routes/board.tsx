import { createFileRoute } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { Board } from '~/features/day/queue/Board'
import { AppError, notFound } from '~/shared/errors'
import { defineSearch, textParam } from '~/shared/search-params'
import { useNow } from '~/ui/clock'

/** A screen without a session has no live connection, so it asks again. */
const EVERY_MS = 5_000

/**
 * Outside of the frame with its menu and its idle lock, and without a session: the link's token
 * opens queue numbers alone, on a screen in the waiting room, all day.
 */
const readSearch = defineSearch({ token: textParam(100) })

export const Route = createFileRoute('/board')({
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { token } }) => {
    if (!token) throw notFound('queue.boardNeedsLink')
    return api.queue.showBoard({ token })
  },
  component: BoardPage,
})

function BoardPage() {
  const first = Route.useLoaderData()
  const { token = '' } = Route.useSearch()
  const now = useNow()
  const { data, error } = useQuery('queue.showBoard', { token }, { version: useTick() })
  // replaced or revoked: the error view says so
  if (error instanceof AppError && error.code === 'not_found') throw error
  // while the server cannot be reached, the last numbers stay
  return <Board board={data ?? first} isLate={error !== null} now={now} />
}

/** Counts up every few seconds. */
function useTick() {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return tick
}

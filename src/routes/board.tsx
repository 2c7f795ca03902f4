import { createFileRoute, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import * as z from 'zod'
import { api } from '~/client/api'
import { Board } from '~/features/day/queue/Board'
import type { Board as Shown } from '~/features/day/queue/board.server'
import { AppError, notFound } from '~/shared/errors'
import { useNow } from '~/ui/clock'
import { ErrorView } from '~/ui/ErrorView'

/** A screen without a session has no live connection, so it asks again. */
const EVERY_MS = 5_000

/**
 * Outside of the frame with its menu and its idle lock, and without a session: the link's token
 * opens queue numbers alone, on a screen in the waiting room, all day.
 */
export const Route = createFileRoute('/board')({
  validateSearch: z.object({ token: z.string().max(100).optional().catch(undefined) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { token } }) => {
    if (!token) throw notFound('queue.boardNeedsLink')
    return api.queue.showBoard({ token })
  },
  errorComponent: ErrorView,
  component: BoardPage,
})

function BoardPage() {
  const first = Route.useLoaderData()
  const { token = '' } = Route.useSearch()
  const now = useNow()
  const { board, isLate } = useBoard(first, token)
  return <Board board={board} isLate={isLate} now={now} />
}

/** The newest numbers. While the server cannot be reached the last ones stay, and say so. */
function useBoard(first: Shown, token: string) {
  const router = useRouter()
  const [read, setRead] = useState({ board: first, isLate: false })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    let isLeft = false
    const again = async () => {
      try {
        const board = await api.queue.showBoard({ token })
        if (!isLeft) setRead({ board, isLate: false })
      } catch (error) {
        // replaced or revoked: the loader says so
        if (error instanceof AppError && error.code === 'not_found') return router.invalidate()
        if (!isLeft) setRead(({ board }) => ({ board, isLate: true }))
      }
      if (!isLeft) timer = setTimeout(() => void again(), EVERY_MS)
    }
    timer = setTimeout(() => void again(), EVERY_MS)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [router, token])
  return read
}

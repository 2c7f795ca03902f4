import { createFileRoute, redirect } from '@tanstack/react-router'
import * as z from 'zod'
import { api } from '~/client/api'
import { Board } from '~/features/day/queue/Board'
import { invalid } from '~/shared/errors'
import { useNow } from '~/ui/clock'
import { ErrorView } from '~/ui/ErrorView'
import { useLive } from '~/ui/live'

/** Outside of the frame with its menu and its idle lock: it stands on a screen in the waiting room all day. */
export const Route = createFileRoute('/board')({
  validateSearch: z.object({ clinicId: z.uuid().optional().catch(undefined) }),
  beforeLoad: ({ context: { viewer }, location, search }) => {
    if (!viewer.actor) throw redirect({ to: '/', search: { to: location.href }, replace: true })
    const { clinicId } = viewer.actor
    if (!search.clinicId && clinicId)
      throw redirect({ to: '/board', search: { clinicId }, replace: true })
  },
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { clinicId } }) => {
    if (!clinicId) throw invalid({ clinicId: { key: 'queue.chooseClinic' } })
    return api.queue.board({ clinicId })
  },
  errorComponent: ErrorView,
  component: BoardPage,
})

function BoardPage() {
  const board = Route.useLoaderData()
  const { clinicId = '' } = Route.useSearch()
  const now = useNow()
  useLive('appointments', 'appointment_departments', 'clinics')
  return <Board board={board} clinicId={clinicId} now={now} />
}

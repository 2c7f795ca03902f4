import { useQuery } from '~/client/query'

type Named = { id: string; name: string }
const permission = 'can_prescribe_medications'

/**
 * The prescribers to choose from: users who may prescribe at the pickup clinic (before one is
 * chosen, anywhere), and `always`. `mayNot` marks a user chosen for another clinic who may not
 * prescribe at this one; they stay in the list, with the reason.
 */
export function usePrescribers(
  clinicId: string | null,
  chosenId: string | null,
  always: readonly Named[],
) {
  const { data: there } = useQuery('users.names', { permission, ...(clinicId && { clinicId }) })
  // without the list only `always` is offered; the server checks the prescriber on saving
  const offered = [
    ...(there ?? []),
    ...always.filter(({ id }) => !there?.some((user) => user.id === id)),
  ]
  const isOffered = chosenId === null || offered.some(({ id }) => id === chosenId)
  const { data: anywhere } = useQuery('users.names', there && !isOffered ? { permission } : null)
  const chosen = anywhere?.find(({ id }) => id === chosenId)
  return {
    prescribers: chosen && !isOffered ? [...offered, chosen] : offered,
    mayNot: there !== undefined && !isOffered,
  }
}

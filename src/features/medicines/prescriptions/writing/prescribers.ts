import { useEffect, useState } from 'react'
import { api } from '~/client/api'

type Named = { id: string; name: string }
const ANYWHERE = ''

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
  const [lists, setLists] = useState<Readonly<Record<string, readonly Named[]>>>({})
  const key = clinicId ?? ANYWHERE
  useEffect(() => {
    let isCurrent = true
    api.users
      .names({ permission: 'can_prescribe_medications', ...(clinicId && { clinicId }) })
      .then(
        (users) => isCurrent && setLists((known) => ({ ...known, [clinicId ?? ANYWHERE]: users })),
      )
      // without the list only `always` is offered; the server checks the prescriber on saving
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [clinicId])
  const there = lists[key]
  const offered = [
    ...(there ?? []),
    ...always.filter(({ id }) => !there?.some((user) => user.id === id)),
  ]
  const isOffered = chosenId === null || offered.some(({ id }) => id === chosenId)
  const chosen = isOffered
    ? undefined
    : Object.values(lists)
        .flat()
        .find(({ id }) => id === chosenId)
  return {
    prescribers: chosen ? [...offered, chosen] : offered,
    mayNot: there !== undefined && !isOffered,
  }
}

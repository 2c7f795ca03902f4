import { useState } from 'react'
import { newId } from '~/shared/id'

/**
 * The id of the run that is kept next, and how to get another. It stays when an answer was lost, so that what is sent
 * again is made once, until the run is among those of the report: what is asked for then is a further one.
 */
export function useRunId(runs: readonly { id: string }[]) {
  const [id, setId] = useState(newId)
  if (runs.some((run) => run.id === id)) setId(newId())
  return [id, () => setId(newId())] as const
}

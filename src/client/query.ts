import { useEffect, useEffectEvent, useState } from 'react'
import { useActionCount } from './ask-again'
import { type OperationResult, callOperation, type Input, type QueryName } from './api'

type Settled<T> = { key: string; data: T | undefined; error: unknown }
type Options = {
  /** While the answer to a new key is awaited, the last answer stays. */
  keepPrevious?: boolean
  /** Asks again when it changes. */
  version?: unknown
  /** Counted by `askAgain`. */
  actions?: number
}
type Query<T> = {
  /** Undefined before the first answer. A failed refetch keeps it. */
  data: T | undefined
  /** Why the last request failed; null if it did not. */
  error: unknown
  /** What `data` and `error` belong to; another object with every answer. */
  settled: Settled<T> | undefined
  refetch: () => void
}

/** What a query operation answers to this input; `null` asks nothing. Nothing is kept beyond the component's life. */
export function useQuery<N extends QueryName>(
  name: N,
  input: Exclude<Input<N>, null | undefined> | null,
  options?: Options,
): Query<OperationResult<N>> {
  const counted = useActionCount()
  return useAnswer(
    input && JSON.stringify([name, input]),
    (signal) => callOperation(name, input as Input<N>, { signal }),
    { ...options, actions: counted },
  )
}

/** The same for calls that are more than one query. `key` says everything that `ask` depends on. */
export function useAnswer<T>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  { keepPrevious = false, version, actions: counted }: Options = {},
): Query<T> {
  const [last, setLast] = useState<Settled<T>>()
  const [round, setRound] = useState(0)
  const askNow = useEffectEvent(ask)
  useEffect(() => {
    if (key === null) return undefined
    const aborter = new AbortController()
    const settle = (data: T | undefined, error: unknown) => {
      if (aborter.signal.aborted) return
      setLast((before) => ({
        key,
        data: error !== null && before?.key === key ? before.data : data,
        error,
      }))
    }
    askNow(aborter.signal).then(
      (data) => settle(data, null),
      (error: unknown) => settle(undefined, error ?? 'unknown'),
    )
    return () => aborter.abort()
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the last three ask the same again
  }, [key, version, round, counted])
  const settled = keepPrevious || last?.key === key ? last : undefined
  return {
    data: settled?.data,
    error: settled?.error ?? null,
    settled,
    refetch: () => setRound((count) => count + 1),
  }
}

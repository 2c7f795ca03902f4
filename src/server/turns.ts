import { perProcess } from '~/db/per-process'

/** Runs work of the same name one after the other. Waiting work holds no database connection. */
export async function runInTurn<R>(name: string, work: () => Promise<R>): Promise<R> {
  const last = perProcess('turns', () => new Map<string, Promise<unknown>>())
  const mine = (last.get(name) ?? Promise.resolve()).then(work)
  const finished = mine.catch(() => {})
  last.set(name, finished)
  try {
    return await mine
  } finally {
    if (last.get(name) === finished) last.delete(name)
  }
}

/** Measures that failed do not keep the others from being measured. */
export type Tries = ReturnType<typeof newTries>

export function newTries(signal: AbortSignal) {
  const failed: string[] = []
  return {
    /** The names of those that failed, each with its reason. */
    failed: failed as readonly string[],
    /** What `measure` returns; nothing if it fails. Throws once the bench is to stop. */
    async of<R>(name: string, measure: () => Promise<R>): Promise<R[]> {
      signal.throwIfAborted()
      process.stderr.write(`${name}…\n`)
      try {
        return [await measure()]
      } catch (error) {
        signal.throwIfAborted()
        const reason = `${name}: ${error instanceof Error ? error.message : String(error)}`
        process.stderr.write(`failed, ${reason}\n`)
        failed.push(reason)
        return []
      }
    },
  }
}

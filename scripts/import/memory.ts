import { memoryUsage } from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const GARBAGE = 24 * 1024 * 1024

/**
 * Collects garbage once 24 MB have come together. V8 alone lets it grow to some hundred megabytes before its first full
 * collection, and the small machines of clinics run PostgreSQL beside it.
 */
export function tidying(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const inUse = () => {
    const { heapUsed, external } = memoryUsage()
    return heapUsed + external
  }
  let least = Infinity
  return () => {
    const now = inUse()
    least = Math.min(least, now)
    if (now < least + GARBAGE) return
    collect()
    least = inUse()
  }
}

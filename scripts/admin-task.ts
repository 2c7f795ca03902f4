import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'

type Flags = Record<string, { type: 'string' | 'boolean'; help: string; required?: boolean }>
export type TaskValues = Record<string, string | boolean | undefined>

export type AdminTask = {
  summary: string
  flags: Flags
  /** Name of the required positional argument. */
  positional?: string
  /** Accepts the instance key of this machine although the records belong to another key. */
  replacesKey?: boolean
  run: (db: Kysely<DB>, values: TaskValues, url: string) => Promise<void>
}

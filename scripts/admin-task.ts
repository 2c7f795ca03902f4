import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'

type Flags = Record<string, { type: 'string' | 'boolean'; help: string; required?: boolean }>
export type Values = Record<string, string | boolean | undefined>

export type AdminTask = {
  summary: string
  flags: Flags
  /** The name of what follows the task without a flag. Required. */
  positional?: string
  /** Accepts the key of this machine for records that belong to another. */
  replacesKey?: boolean
  run: (db: Kysely<DB>, values: Values, url: string) => Promise<void>
}

import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'

type Flags = Record<string, { type: 'string' | 'boolean'; help: string; required?: boolean }>
export type Values = Record<string, string | boolean | undefined>

export type AdminTask = {
  summary: string
  flags: Flags
  run: (db: Kysely<DB>, values: Values) => Promise<void>
}

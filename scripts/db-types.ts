import { readFileSync, writeFileSync } from 'node:fs'
import { Refusal } from '~/db/refusal'
import { command } from './command'
import { withDatabase } from './database'
import { tableTypes } from './table-types'

const file = 'src/db/types.ts'

await command({
  name: 'npm run db:types',
  summary: `Writes ${file} from the migrated database. With --check it only tells whether that is needed.`,
  options: { check: { type: 'boolean' } },
  async run({ check }) {
    await withDatabase(async (db) => {
      const wanted = await tableTypes(db)
      if (wanted === readFileSync(file, 'utf8')) return
      if (check) throw new Refusal(`${file} is not what the migrations make: run npm run db:types.`)
      writeFileSync(file, wanted)
    })
  },
})

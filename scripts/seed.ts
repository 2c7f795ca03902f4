import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { command, wholeNumber } from './command'
import { withDatabase } from './database'
import { clinicFor, untilStopped } from './import/kind'
import { progress } from './progress'
import { writeSeed } from './seed/seed'

await command({
  name: 'npm run seed',
  summary:
    'Fills the database with sample patients, their visits, vital signs and problems, to try Sanad ' +
    'with or to measure it.',
  options: {
    patients: { type: 'string' },
    clinic: { type: 'string' },
    seed: { type: 'string' },
  },
  help: () => `  --patients   number of patients
  --clinic     an existing clinic for all of them (default: five invented ones)
  --seed       any word: the same word makes the same people (default: sanad). Dates go back from today

Repeated, it adds only what is missing. It refuses a database with records of real people.`,
  async run({ patients: count, clinic: clinicName, seed = 'sanad' }) {
    const patients = wholeNumber('patients', count, 1)
    await withDatabase(async (db, ownerUrl) => {
      const clinic = clinicName ? await clinicFor(db, clinicName) : undefined
      const bar = progress()
      const started = Date.now()
      const signal = untilStopped()
      const today = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`)
      try {
        const written = await writeSeed(
          ownerUrl,
          { patients, seed, today, clinic },
          {
            signal,
            onProgress: (done) =>
              bar.show(
                'people',
                done,
                patients,
                `${done.toLocaleString('en')} of ${patients.toLocaleString('en')}`,
              ),
          },
        )
        const rows = Object.entries(written).map(
          ([table, number]) => `${number.toLocaleString('en')} ${table}`,
        )
        process.stdout.write(
          `Written in ${((Date.now() - started) / 1000).toFixed(1)} s: ${rows.join(', ')}. ` +
            `The database holds ${await readDatabaseSize(db)}.\n`,
        )
      } catch (error) {
        if (!signal.aborted) throw error
        process.stdout.write(
          'Stopped. Written records are kept; run the same command again to continue.\n',
        )
        process.exitCode = 130
      } finally {
        bar.end()
      }
    })
  },
})

async function readDatabaseSize(db: Kysely<DB>) {
  const { rows } = await sql<{
    size: string
  }>`select pg_size_pretty(pg_database_size(current_database())) as size`.execute(db)
  return rows[0]!.size
}

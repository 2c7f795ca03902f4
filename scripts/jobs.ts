import { forgetOldImports, runImports } from '~/features/imports/run.server'
import type { Jobs } from '~/server/jobs.server'

/** Everything that the server does in the background, by name. Times are UTC. */
export const jobs: Jobs = {
  // every minute, for what a process left behind when it died; what somebody asks for is done at once
  imports: { schedule: '* * * * *', run: (db, _payload, signal) => runImports(db, signal) },
  forget_old_imports: {
    schedule: '17 2 * * *',
    run: async (db) => {
      await forgetOldImports(db)
    },
  },
}

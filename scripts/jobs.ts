import { forgetLookups } from '~/features/people/patients/lookups.server'
import { closeEndedOpenings } from '~/features/care/sharing/openings.server'
import { copyBackups } from '~/features/office/backups/copying.server'
import { runBackups } from '~/features/office/backups/run.server'
import { removeStrays } from '~/features/forms/events/event-files.server'
import { forgetOldImports, runImports } from '~/features/people/imports/run.server'
import { checkArrived } from '~/features/medicines/prescriptions/check/arrivals.server'
import { keepAccessLog } from '~/server/trail/retention.server'
import { sealTrails } from '~/server/trail/seal.server'
import type { Jobs } from '~/server/jobs.server'
import { forgetHubKeys } from '~/sync/http/hub-phones.server'
import { releaseWaiting } from '~/sync/push/release.server'

/** Everything that the server does in the background, by name. Times are UTC. */
export const jobs: Jobs = {
  // checks whether one is due; a requested one runs at once
  backups: { schedule: '*/10 * * * *', run: (db, _payload, signal) => runBackups(db, signal) },
  // a job of its own: a network mount that blocks must not block the backups
  backup_copies: {
    schedule: '*/10 * * * *',
    run: (db, _payload, signal) => copyBackups(db, signal),
  },
  // every minute, for what a killed process left behind; a requested one runs at once
  imports: { schedule: '* * * * *', run: (db, _payload, signal) => runImports(db, signal) },
  // what phones and programs bring is checked at once; every minute, for what an import or a merge changed
  check_medicines: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      await checkArrived(db, signal)
    },
  },
  // rows of phones whose missing record came in; every minute, for what came by the web or from the trash
  release_waiting: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      await releaseWaiting(db, signal)
    },
  },
  // a change of an entry is detected from one minute after it was written
  seal_trails: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      await sealTrails(db, { signal })
    },
  },
  keep_access_log: { schedule: '47 * * * *', run: (db) => keepAccessLog(db) },
  forget_stray_files: { schedule: '37 2 * * *', run: (db) => removeStrays(db) },
  // what a clinic opened of other clinics' records, 90 days after its last visit
  end_openings: {
    schedule: '7 * * * *',
    run: async (db) => {
      await closeEndedOpenings(db)
      await forgetLookups(db)
    },
  },
  // handshakes that open no message any more
  forget_hub_keys: { schedule: '27 * * * *', run: (db) => forgetHubKeys(db) },
  forget_old_imports: {
    schedule: '17 2 * * *',
    run: async (db) => {
      await forgetOldImports(db)
    },
  },
}

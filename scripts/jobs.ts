import type { Jobs } from '~/server/jobs.server'

/**
 * Everything that the server does in the background, by name. Times are UTC. The code of each job
 * is loaded when it first runs: the server is ready sooner.
 */
export const jobs: Jobs = {
  // checks whether one is due; a requested one runs at once
  backups: {
    schedule: '*/10 * * * *',
    run: async (db, _payload, signal) =>
      (await import('~/features/office/backups/run.server')).runBackups(db, signal),
  },
  // a job of its own: a network mount that blocks must not block the backups
  backup_copies: {
    schedule: '*/10 * * * *',
    run: async (db, _payload, signal) =>
      (await import('~/features/office/backups/copying.server')).copyBackups(db, signal),
  },
  // what a killed process left goes on at start, and every minute; a requested one runs at once
  imports: {
    schedule: '* * * * *',
    atStart: true,
    run: async (db, _payload, signal) =>
      (await import('~/features/exchange/imports/run.server')).runImports(db, signal),
  },
  // as imports
  large_deletions: {
    schedule: '* * * * *',
    atStart: true,
    run: async (db, _payload, signal) => {
      const { runLargeDeletions } = await import('~/features/people/patients/deletions/run.server')
      await runLargeDeletions(db, signal)
    },
  },
  // what phones and programs bring is checked at once; every minute, for what an import or a merge changed
  check_medicines: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      const { checkArrived } =
        await import('~/features/medicines/prescriptions/check/arrivals.server')
      await checkArrived(db, signal)
    },
  },
  // lists settle before they are read; every minute, for what no list has asked for
  settle_follow_ups: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) =>
      (await import('~/features/care/programs/stale.server')).settleFollowUps({ db }, signal),
  },
  // steps become lost and pregnancies end as days pass
  mark_follow_ups: {
    schedule: '7 1 * * *',
    run: async (db) => (await import('~/features/care/programs/stale.server')).markFollowUps(db),
  },
  // rows of phones whose missing record came in; every minute, for what came by the web or from the trash
  release_waiting: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      const { releaseWaiting } = await import('~/sync/push/release.server')
      await releaseWaiting(db, signal)
    },
  },
  // a change of an entry is detected from one minute after it was written
  seal_trails: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      const { sealTrails } = await import('~/server/trail/seal.server')
      await sealTrails(db, { signal })
    },
  },
  // every minute, for attempts that are due; a requested one is sent at once
  send_reports: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      const { sendReports } = await import('~/features/reports/exchange/send-queue.server')
      await sendReports(db, signal)
    },
  },
  // every minute, for attempts and questions that are due; a requested one is sent at once
  send_messages: {
    schedule: '* * * * *',
    run: async (db, _payload, signal) => {
      const { sendMessages } = await import('~/features/day/followups/messages/send-queue.server')
      await sendMessages(db, signal)
    },
  },
  // as imports
  fhir_exports: {
    schedule: '* * * * *',
    atStart: true,
    run: async (db, _payload, signal) =>
      (await import('~/fhir/export-run.server')).runFhirExports(db, signal),
  },
  keep_access_log: {
    schedule: '47 * * * *',
    run: async (db) => (await import('~/server/trail/retention.server')).keepAccessLog(db),
  },
  forget_stray_files: {
    schedule: '37 2 * * *',
    run: async (db) =>
      (await import('~/features/forms/events/event-files.server')).removeStrays(db),
  },
  // what a clinic opened of other clinics' records, 90 days after its last visit
  end_openings: {
    schedule: '7 * * * *',
    run: async (db) => {
      const { closeEndedOpenings } = await import('~/features/record/sharing/openings.server')
      const { forgetLookups } = await import('~/features/people/patients/lookups.server')
      await closeEndedOpenings(db)
      await forgetLookups(db)
    },
  },
  // handshakes that open no message any more
  forget_hub_keys: {
    schedule: '27 * * * *',
    run: async (db) => (await import('~/sync/http/hub-phones.server')).forgetHubKeys(db),
  },
  forget_old_imports: {
    schedule: '17 2 * * *',
    run: async (db) => {
      const { forgetOldImports } = await import('~/features/exchange/imports/run.server')
      await forgetOldImports(db)
      const { forgetFormerPasswords } =
        await import('~/features/office/sessions/passwords/password.server')
      await forgetFormerPasswords(db)
    },
  },
}

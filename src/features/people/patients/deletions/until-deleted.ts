import { api } from '~/client/api'
import { AppError } from '~/shared/errors'
import type { Progress } from '~/ui/action'

/** Milliseconds between two looks how far it is. */
const LOOKS = 500
/** Looks that may fail one after the other: the deletion goes on meanwhile. */
const MOST_FAILED = 20

/**
 * Waits for a deletion that a job runs, says how far it is, and stops it when the user wants to. Throws if nothing was
 * deleted, or if it cannot be known. Without a job, all is deleted already.
 */
export async function untilDeleted(job: string | null, progress: Progress): Promise<void> {
  if (!job) return
  const stop = { isWanted: false, isAsked: false }
  let failed = 0
  for (;;) {
    try {
      if (stop.isWanted && !stop.isAsked) {
        await api.patients.stopDeletion({ id: job })
        stop.isAsked = true
      }
      const { status, done, total, failure } = await api.patients.deletionProgress({ id: job })
      if (status === 'finished') return
      if (status === 'stopped') throw new Nothing('patientPage.deletionStopped')
      if (status === 'failed')
        throw failure
          ? new AppError('conflict', failure)
          : new Nothing('patientPage.deletionFailed')
      progress({ key: 'patientPage.deleting', values: { done, total } }, () => {
        stop.isWanted = true
      })
      failed = 0
    } catch (error) {
      failed += 1
      if (error instanceof AppError || failed > MOST_FAILED) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, LOOKS))
  }
}

class Nothing extends AppError {
  constructor(key: 'patientPage.deletionStopped' | 'patientPage.deletionFailed') {
    super('conflict', { key })
  }
}

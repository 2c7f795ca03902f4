import { api } from '~/client/api'
import { AppError } from '~/shared/errors'
import type { Progress } from '~/ui/action'

/** Milliseconds between two looks how far it is. */
const LOOKS = 500

/**
 * Waits for a deletion that a job runs, says how far it is, and stops it when the user wants to. Throws if nothing was
 * deleted. Without a job, all is deleted already.
 */
export async function untilDeleted(job: string | null, progress: Progress): Promise<void> {
  if (!job) return
  let isUnwanted = false
  for (;;) {
    if (isUnwanted) await api.patients.stopDeletion({ id: job })
    const { status, done, total, failure } = await api.patients.deletionProgress({ id: job })
    if (status === 'finished') return
    if (status === 'stopped') throw nothing('patientPage.deletionStopped')
    if (status === 'failed')
      throw failure ? new AppError('conflict', failure) : nothing('patientPage.deletionFailed')
    progress({ key: 'patientPage.deleting', values: { done, total } }, () => {
      isUnwanted = true
    })
    await new Promise((resolve) => setTimeout(resolve, LOOKS))
  }
}

const nothing = (key: 'patientPage.deletionStopped' | 'patientPage.deletionFailed') =>
  new AppError('conflict', { key })

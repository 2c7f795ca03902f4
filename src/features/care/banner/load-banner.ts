import { api } from '~/client/api'
import { AppError } from '~/shared/errors'
import type { Banner } from './banner.server'

/**
 * The line about a patient, for a loader; undefined where the user may see the screen and not the patient: a missing
 * line never takes the screen away.
 */
export async function loadBanner(patientId: string): Promise<Banner | undefined> {
  try {
    return await api.patients.banner({ patientId })
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}

import { api } from '~/client/api'
import { AppError } from '~/shared/errors'
import { confirm } from '~/ui/confirm'

/**
 * Before a death is recorded: asks whether the patient's appointments to come are cancelled. Asks nothing if there are
 * none, or if the user sees no appointments: then they stay.
 */
export async function asksToCancel(patientId: string, name: string): Promise<boolean> {
  const count = await countUpcoming(patientId)
  if (count === 0) return false
  return confirm({
    title: 'patients.toComeTitle',
    text: { key: 'patients.toComeText', values: { name, count } },
    action: { key: 'patients.toComeCancel', values: { count } },
    cancel: 'patients.toComeKeep',
  })
}

async function countUpcoming(patientId: string): Promise<number> {
  try {
    return (await api.appointments.toCome({ patientId })).count
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return 0
    throw error
  }
}

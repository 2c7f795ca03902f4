import { api } from '~/client/api'
import { confirm } from '~/ui/confirm'

/**
 * Before a death is recorded: asks whether the patient's appointments to come are cancelled. Asks nothing if there are
 * none, or if they cannot be counted: then they stay.
 */
export async function asksToCancel(patientId: string, name: string): Promise<boolean> {
  const { count } = await api.appointments.toCome({ patientId }).catch(() => ({ count: 0 }))
  if (count === 0) return false
  return confirm({
    title: 'patients.toComeTitle',
    text: { key: 'patients.toComeText', values: { name, count } },
    action: { key: 'patients.toComeCancel', values: { count } },
    cancel: 'patients.toComeKeep',
  })
}

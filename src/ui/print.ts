import { api } from '~/client/api'
import { useAction } from './action'

/** Prints the page after the access log has recorded the patients on it. */
export function usePrint(patientIds: readonly string[]) {
  const { run, pending } = useAction()
  return {
    pending,
    print: async () => {
      if (await run(() => api.prints.record({ patientIds: [...patientIds] }))) window.print()
    },
  }
}

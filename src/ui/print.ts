import { api } from '~/client/api'
import { useAction } from './action'

/** Prints the page, once the access log has who is on it. */
export function usePrint(patientIds: readonly string[]) {
  const { run, pending } = useAction()
  return {
    pending,
    print: async () => {
      if (await run(() => api.prints.record({ patientIds: [...patientIds] }))) window.print()
    },
  }
}

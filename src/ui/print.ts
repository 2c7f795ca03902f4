import { useWindowEvent } from '@mantine/hooks'
import { useRef } from 'react'
import { api } from '~/client/api'
import { useAction } from './action'

/**
 * Prints the page after the access log has recorded the patients on it. A print that the browser starts by itself
 * (Ctrl+P) is recorded as well, but does not wait for the entry.
 */
export function usePrint(patientIds: readonly string[]) {
  const { run, pending } = useAction()
  const isRecorded = useRef(false)
  const record = () => api.prints.record({ patientIds: [...patientIds] })
  useWindowEvent('beforeprint', () => {
    if (!isRecorded.current && patientIds.length > 0) record().catch(() => undefined)
  })
  return {
    pending,
    print: async () => {
      if (!(await run(record))) return
      isRecorded.current = true
      window.print()
      isRecorded.current = false
    },
  }
}

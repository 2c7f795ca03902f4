import { createFileRoute } from '@tanstack/react-router'
import { ExportPatients } from '~/features/people/patients/search/export'
import { exportPatients, patientSheet } from '~/features/people/patients/search/export.server'
import { sendsFile } from '~/server/list-file.server'

/** The list of patients as a file. */
const GET = sendsFile({ operation: exportPatients, input: ExportPatients, sheet: patientSheet })

export const Route = createFileRoute('/api/patients/export')({ server: { handlers: { GET } } })

import { createFileRoute } from '@tanstack/react-router'
import {
  exportPrescriptions,
  prescriptionSheet,
} from '~/features/medicines/prescriptions/export.server'
import { ExportPrescriptions } from '~/features/medicines/prescriptions/prescription-listing'
import { sendsFile } from '~/server/list-file.server'

/** The list of prescriptions as a file. */
const GET = sendsFile({
  operation: exportPrescriptions,
  input: ExportPrescriptions,
  sheet: prescriptionSheet,
})

export const Route = createFileRoute('/api/prescriptions/export')({ server: { handlers: { GET } } })

import { createFileRoute } from '@tanstack/react-router'
import { exportImmunizations, immunizationSheet } from '~/features/care/immunizations/export.server'
import { ExportPatients } from '~/features/people/patients/search/export'
import { sendsFile } from '~/server/list-file.server'

/** The doses of the patients of the list as a file. */
const GET = sendsFile({
  operation: exportImmunizations,
  input: ExportPatients,
  sheet: immunizationSheet,
})

export const Route = createFileRoute('/api/immunizations/export')({ server: { handlers: { GET } } })

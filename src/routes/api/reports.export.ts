import { createFileRoute } from '@tanstack/react-router'
import { ExportReport } from '~/features/reports/exchange/exchange'
import { exportReport, reportSheet } from '~/features/reports/exchange/export.server'
import { sendsFile } from '~/server/list-file.server'

/** A report as a file, cell by cell. */
const GET = sendsFile({ operation: exportReport, input: ExportReport, sheet: reportSheet })

export const Route = createFileRoute('/api/reports/export')({ server: { handlers: { GET } } })

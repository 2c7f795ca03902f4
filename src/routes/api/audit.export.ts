import { createFileRoute } from '@tanstack/react-router'
import { ExportAudit } from '~/features/office/audit/audit'
import { auditSheet, exportAudit } from '~/features/office/audit/audit.server'
import { sendsFile } from '~/server/list-file.server'

/** The trail of changes as a file. */
const GET = sendsFile({ operation: exportAudit, input: ExportAudit, sheet: auditSheet })

export const Route = createFileRoute('/api/audit/export')({ server: { handlers: { GET } } })

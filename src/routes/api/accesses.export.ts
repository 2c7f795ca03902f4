import { createFileRoute } from '@tanstack/react-router'
import { ExportAccesses } from '~/features/office/audit/accesses'
import { accessSheet, exportAccesses } from '~/features/office/audit/accesses.server'
import { sendsFile } from '~/server/list-file.server'

/** The access log as a file. */
const GET = sendsFile({ operation: exportAccesses, input: ExportAccesses, sheet: accessSheet })

export const Route = createFileRoute('/api/accesses/export')({ server: { handlers: { GET } } })

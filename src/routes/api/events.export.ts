import { createFileRoute } from '@tanstack/react-router'
import { ExportEvents } from '~/features/forms/events/explore/explore'
import { exportEvents, eventSheet } from '~/features/forms/events/explore/export.server'
import { sendsFile } from '~/server/list-file.server'

/** The answers to a form (`formId`) as a file. */
const GET = sendsFile({ operation: exportEvents, input: ExportEvents, sheet: eventSheet })

export const Route = createFileRoute('/api/events/export')({ server: { handlers: { GET } } })

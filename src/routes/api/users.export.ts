import { createFileRoute } from '@tanstack/react-router'
import { exportUsers, userSheet } from '~/features/office/users/export.server'
import { ExportUsers } from '~/features/office/users/user'
import { sendsFile } from '~/server/list-file.server'

/** The list of users as a file. */
const GET = sendsFile({ operation: exportUsers, input: ExportUsers, sheet: userSheet })

export const Route = createFileRoute('/api/users/export')({ server: { handlers: { GET } } })

import { createFileRoute } from '@tanstack/react-router'
import { immunizationFile } from '~/features/care/immunizations/export.server'
import { sendsFile } from '~/server/list-file.server'

const GET = sendsFile(immunizationFile)

export const Route = createFileRoute('/api/immunizations/export')({ server: { handlers: { GET } } })

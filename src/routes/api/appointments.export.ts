import { createFileRoute } from '@tanstack/react-router'
import {
  ExportAppointments,
  exportAppointments,
  appointmentSheet,
} from '~/features/day/appointments/export.server'
import { sendsFile } from '~/server/list-file.server'

/** The list of appointments as a file. */
const GET = sendsFile({
  operation: exportAppointments,
  input: ExportAppointments,
  sheet: appointmentSheet,
})

export const Route = createFileRoute('/api/appointments/export')({ server: { handlers: { GET } } })

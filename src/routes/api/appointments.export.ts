import { createFileRoute } from '@tanstack/react-router'
import { appointmentFile, ExportAppointments, exportAppointments } from '~/features/appointments/export.server'
import { type ExportFormat, TOTAL_HEADER } from '~/features/patients/export'
import { clientOf } from '~/server/http-client.server'
import { type Context, parse } from '~/server/operation'
import { contextOf, toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'
import { sentence } from '~/shared/sentence'

const types: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The list of appointments as a file: `?format=csv|xlsx&language=…` and the filters of the list. Refusals are plain JSON. */
async function send({ request }: { request: Request }) {
  try {
    const ctx = await contextOf(request, 'web')
    const asked = Object.fromEntries(new URL(request.url).searchParams) as unknown as ExportAppointments
    const { total } = await exportAppointments(ctx, asked)
    const input = parse(ExportAppointments, asked)
    return new Response(await appointmentFile(ctx as Context, input), {
      headers: {
        'content-type': types[input.format],
        'content-disposition': `attachment; filename="appointments.${input.format}"`,
        'cache-control': 'no-store',
        [TOTAL_HEADER]: String(total),
      },
    })
  } catch (error) {
    const shown = toShow(error, clientOf(request).requestId)
    if (!(shown instanceof AppError)) return Response.json({ requestId: shown.requestId }, { status: 500 })
    return Response.json(
      { key: shown.text.key, message: sentence('en', shown.text) },
      { status: httpStatus[shown.code] },
    )
  }
}

export const Route = createFileRoute('/api/appointments/export')({ server: { handlers: { GET: send } } })

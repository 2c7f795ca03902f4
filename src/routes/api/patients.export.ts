import { createFileRoute } from '@tanstack/react-router'
import { type ExportFormat, ExportPatients, TOTAL_HEADER } from '~/features/patients/export'
import { exportPatients, patientFile } from '~/features/patients/export.server'
import { clientOf } from '~/server/http-client.server'
import { type Context, parse } from '~/server/operation'
import { contextOf, toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'
import { sentence } from '~/shared/sentence'

const types: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}
const NUMBERS = new Set(['ageFrom', 'ageTo'])

/** The list of patients as a file: `?format=csv|xlsx&language=…` and the filters of the list. Refusals are plain JSON. */
async function send({ request }: { request: Request }) {
  try {
    const ctx = await contextOf(request, 'web')
    const { total } = await exportPatients(ctx, asked(request))
    const input = parse(ExportPatients, asked(request))
    const file = await patientFile(ctx as Context, input)
    const day = new Date().toISOString().slice(0, 10)
    return new Response(file, {
      headers: {
        'content-type': types[input.format],
        'content-disposition': `attachment; filename="patients-${day}.${input.format}"`,
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

function asked(request: Request) {
  const parameters = [...new URL(request.url).searchParams].filter(([, value]) => value !== '')
  return Object.fromEntries(
    parameters.map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]),
  ) as unknown as ExportPatients
}

export const Route = createFileRoute('/api/patients/export')({ server: { handlers: { GET: send } } })

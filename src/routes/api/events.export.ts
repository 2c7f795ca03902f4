import { createFileRoute } from '@tanstack/react-router'
import { ExportEvents } from '~/features/events/explore'
import { eventsFile, exportEvents } from '~/features/events/export.server'
import { clientOf } from '~/server/http-client.server'
import { type Context, parse } from '~/server/operation'
import { contextOf, toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'
import { sentence } from '~/shared/sentence'
import { TOTAL_HEADER } from '~/ui/download'

const types = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The answers to a form as a file: `?formId=…&format=csv|xlsx&language=…` and the filters of the screen. Refusals are plain JSON. */
async function send({ request }: { request: Request }) {
  try {
    const ctx = await contextOf(request, 'web')
    const asked = Object.fromEntries([...new URL(request.url).searchParams].filter(([, value]) => value !== ''))
    const { total, name } = await exportEvents(ctx, asked as never)
    const input = parse(ExportEvents, asked)
    const day = new Date().toISOString().slice(0, 10)
    return new Response(await eventsFile(ctx as Context, input), {
      headers: {
        'content-type': types[input.format],
        // RFC 6266: the name in UTF-8
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`${name} ${day}.${input.format}`)}`,
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

export const Route = createFileRoute('/api/events/export')({ server: { handlers: { GET: send } } })

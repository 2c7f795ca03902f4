import { createFileRoute } from '@tanstack/react-router'
import { exportUsers, userFile } from '~/features/users/export.server'
import { ExportUsers } from '~/features/users/user'
import { clientOf } from '~/server/http-client.server'
import { type Context, parse } from '~/server/operation'
import { contextOf, toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'
import { sentence } from '~/shared/sentence'

const types = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

/** The list of users as a file: `?format=csv|xlsx&language=…` and the filters of the list. Refusals are plain JSON. */
async function send({ request }: { request: Request }) {
  try {
    const ctx = await contextOf(request, 'web')
    const asked = Object.fromEntries(
      [...new URL(request.url).searchParams].filter(([, value]) => value !== ''),
    ) as unknown as ExportUsers
    await exportUsers(ctx, asked)
    const input = parse(ExportUsers, asked)
    const day = new Date().toISOString().slice(0, 10)
    return new Response(userFile(ctx as Context, input), {
      headers: {
        'content-type': types[input.format],
        'content-disposition': `attachment; filename="users-${day}.${input.format}"`,
        'cache-control': 'no-store',
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

export const Route = createFileRoute('/api/users/export')({ server: { handlers: { GET: send } } })

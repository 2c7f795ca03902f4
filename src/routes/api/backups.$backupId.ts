import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createFileRoute } from '@tanstack/react-router'
import { backupFile } from '~/features/office/backups/backups.server'
import { backupSettings } from '~/server/backup-settings'
import { requestContext, toShow } from '~/server/serve.server'
import { AppError, httpStatus, notFound } from '~/shared/errors'
import { sentence } from '~/shared/sentence'

/** A backup's file, to the super administrator who got a ticket from `backups.download`. */
async function send({ request, params }: { request: Request; params: { backupId: string } }) {
  const context = await requestContext(request, 'web')
  try {
    const ticket = new URL(request.url).searchParams.get('ticket') ?? ''
    const { fileName, bytes } = await backupFile(context, { id: params.backupId, ticket })
    const file = await open(join(backupSettings().folder, fileName)).catch(() => {
      throw notFound('backups.notFound')
    })
    const stream = file.createReadStream({ signal: request.signal })
    return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, {
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(bytes),
        'content-disposition': `attachment; filename="${fileName}"`,
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      },
    })
  } catch (error) {
    const shown = toShow(error, context.request.id)
    const [status, text] =
      shown instanceof AppError
        ? [httpStatus[shown.code], sentence('en', shown.text)]
        : [500, 'Something went wrong!']
    return new Response(text, { status, headers: { 'cache-control': 'no-store' } })
  }
}

export const Route = createFileRoute('/api/backups/$backupId')({
  server: { handlers: { GET: send } },
})

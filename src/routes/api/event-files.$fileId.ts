import { createFileRoute } from '@tanstack/react-router'
import { getEventFile, nameFor } from '~/features/forms/events/event-files.server'
import { contentDisposition } from '~/server/content-disposition'
import { requestContext, toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'

/**
 * A file of an answer, to users who may read the patient's history. Kept by no cache: computers in
 * clinics are shared. A picture is shown; a PDF is saved, as a browser's reader would run what is in it.
 */
async function show({ request, params }: { request: Request; params: { fileId: string } }) {
  const headers = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }
  const context = await requestContext(request, 'web')
  try {
    const { name, mime_type, content } = await getEventFile(context, { id: params.fileId })
    const how = mime_type === 'application/pdf' ? 'attachment' : 'inline'
    return new Response(Buffer.from(content, 'base64'), {
      headers: {
        ...headers,
        'content-security-policy': "default-src 'none'; sandbox",
        'content-type': mime_type,
        'content-disposition': contentDisposition(how, nameFor(name, mime_type)),
      },
    })
  } catch (error) {
    const shown = toShow(error, context.request.id)
    return new Response(null, {
      status: shown instanceof AppError ? httpStatus[shown.code] : 500,
      headers,
    })
  }
}

export const Route = createFileRoute('/api/event-files/$fileId')({
  server: { handlers: { GET: show } },
})

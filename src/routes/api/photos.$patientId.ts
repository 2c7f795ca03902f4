import { createFileRoute } from '@tanstack/react-router'
import { getPhoto } from '~/features/people/patients/photos/photos.server'
import { requestContext, toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'

/**
 * A patient's picture, to users who may see the patient's identity. Kept by no cache: computers in
 * clinics are shared.
 */
async function show({ request, params }: { request: Request; params: { patientId: string } }) {
  const headers = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }
  const context = await requestContext(request, 'web')
  try {
    const photo = await getPhoto(context, { id: params.patientId })
    if (!photo) return new Response(null, { status: 404, headers })
    const policy = {
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline',
    }
    return new Response(Buffer.from(photo.image, 'base64'), {
      headers: { ...headers, ...policy, 'content-type': photo.type },
    })
  } catch (error) {
    const shown = toShow(error, context.request.id)
    return new Response(null, {
      status: shown instanceof AppError ? httpStatus[shown.code] : 500,
      headers,
    })
  }
}

export const Route = createFileRoute('/api/photos/$patientId')({
  server: { handlers: { GET: show } },
})

import { createServerFn } from '@tanstack/react-start'
import { getRequest, setResponseStatus } from '@tanstack/react-start/server'
import { clientInfo } from '~/server/http-client.server'
import { requestContext, toShow } from '~/server/serve.server'
import { markServed } from '~/server/served'
import { forbidden } from '~/shared/errors'

const post = { method: 'POST' } as const

/** A bug, made on purpose: it goes the way of every other, to the log and to SENTRY_DSN. Strangers fill no log. */
export const failOnPurpose = createServerFn(post).handler(async () => {
  const request = getRequest()
  markServed(request)
  const { actor } = await requestContext(request, 'web')
  setResponseStatus(actor ? 500 : 403)
  if (!actor) throw forbidden()
  throw toShow(new Error('Made on purpose by the sample page'), clientInfo(request).requestId)
})

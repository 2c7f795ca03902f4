import {
  createServerEntry,
  createStartHandler,
  defaultStreamHandler,
  defineHandlerCallback,
} from '@tanstack/react-start/server'
import { statusOfScreen } from './ui/explain'

/** A screen that could not be loaded is answered with what happened: 404, 403, …; the router would call each of them 500. */
const screens = defineHandlerCallback(async (ctx) => {
  const rendered = await defaultStreamHandler(ctx)
  const failed = ctx.router.state.matches.find(({ status }) => status === 'error')
  const status = failed && statusOfScreen(failed.error)
  if (status === undefined || rendered instanceof Response) return rendered
  const { body, headers } = rendered.response
  return { ...rendered, response: new Response(body, { status, headers }) }
})

export default createServerEntry({ fetch: createStartHandler(screens) })

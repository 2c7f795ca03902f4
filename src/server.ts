import {
  createServerEntry,
  createStartHandler,
  defaultStreamHandler,
  defineHandlerCallback,
  setResponseStatus,
} from '@tanstack/react-start/server'
import { getSsrStatus } from '@tanstack/react-router/ssr/server'
import { statusOfScreen } from './ui/explain'

/**
 * A screen is answered with what became of it as a whole: 404, 403, … when it could not be loaded, which the router calls
 * 500; and 200 when only a part of it failed, whose operation has set a status of its own.
 */
const screens = defineHandlerCallback((ctx) => {
  const failed = ctx.router.state.matches.find(({ status }) => status === 'error')
  setResponseStatus((failed && statusOfScreen(failed.error)) ?? getSsrStatus(ctx.router))
  return defaultStreamHandler(ctx)
})

export default createServerEntry({ fetch: createStartHandler(screens) })

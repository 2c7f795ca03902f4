import { createFileRoute } from '@tanstack/react-router'
import { onChange } from '~/server/live.server'
import { contextOf } from '~/server/serve.server'

const BEAT_MS = 25_000

/**
 * News for open screens, as server-sent events: `data: <table>` when rows changed there, "*" after an
 * interruption. Names of tables only: a screen then asks again for what it shows, with its own rights.
 */
async function follow({ request }: { request: Request }) {
  const { actor } = await contextOf(request, 'web')
  if (!actor) return new Response(null, { status: 401 })

  let end = () => {}
  const stream = new ReadableStream<string>({
    start(controller) {
      const beat = setInterval(() => controller.enqueue(': still here\n\n'), BEAT_MS)
      const unsubscribe = onChange((table) => controller.enqueue(`data: ${table}\n\n`))
      end = () => {
        clearInterval(beat)
        unsubscribe()
      }
      request.signal.addEventListener('abort', end)
      controller.enqueue('retry: 3000\n\n')
    },
    cancel: () => end(),
  })
  return new Response(stream.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}

export const Route = createFileRoute('/api/live')({ server: { handlers: { GET: follow } } })

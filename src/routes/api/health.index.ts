import { createFileRoute } from '@tanstack/react-router'
import { backupHealth } from '~/features/office/backups/health.server'
import { diskState } from '~/server/disk.server'
import { healthResponse, health } from '~/server/health.server'
import { log } from '~/server/log'
import { requestContext } from '~/server/serve.server'
import { filesState } from '~/server/storage.server'

/** Both answers in one; the status is that of "ready". Administrators also see how the backups and files are. */
async function respond({ request }: { request: Request }): Promise<Response> {
  const state = await health()
  return healthResponse(state, state.database === 'ok' ? await detailsFor(request) : {})
}

async function detailsFor(request: Request) {
  try {
    const isProgram = request.headers.has('authorization')
    const ctx = await requestContext(request, isProgram ? 'trpc' : 'web')
    const backups = await backupHealth(ctx)
    if (!backups) return {}
    const { free } = await diskState()
    return { backups, files: await filesState(ctx.db), freeBytes: free }
  } catch (error) {
    log.warn({ err: error }, 'the state of the backups and files could not be read')
    return {}
  }
}

export const Route = createFileRoute('/api/health/')({
  server: { handlers: { GET: respond } },
})

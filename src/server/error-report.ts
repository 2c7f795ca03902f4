import { randomUUID } from 'node:crypto'

/** Where reports go: `https://<key>@<host>/<project>`, as Sentry and what speaks its protocol hand it out. */
type Dsn = { endpoint: string; key: string }

/** Null when the text is no such address. */
export function parseDsn(text: string): Dsn | null {
  const url = URL.canParse(text) ? new URL(text) : null
  const [, folder = '', project = ''] = /^(.*)\/([^/]+)$/.exec(url?.pathname ?? '') ?? []
  if (!url || !/^https?:$/.test(url.protocol) || !url.username || !project) return null
  return { endpoint: `${url.origin}${folder}/api/${project}/envelope/`, key: url.username }
}

type Facts = { requestId?: string }

const A_MINUTE_MS = 60_000
const AT_MOST_A_MINUTE = 30
const PATIENCE_MS = 5_000

/**
 * Sends bugs to Sentry by its envelope endpoint (develop.sentry.dev/sdk/data-model/envelopes). Of a
 * bug it tells the kind, the place and the request's id, under which our own log has the rest.
 * Never what it says: a message may quote what a user typed, and so a patient.
 */
export function errorReporter(dsn: Dsn, onFailure: (reason: string) => void) {
  let [since, sent] = [0, 0]
  return (error: unknown, facts: Facts = {}) => {
    if (Date.now() - since > A_MINUTE_MS) [since, sent] = [Date.now(), 0]
    // a bug in every request of a busy morning is one bug
    if ((sent += 1) > AT_MOST_A_MINUTE) return Promise.resolve()
    return post(dsn, buildErrorEvent(error, facts)).catch((failure: Error) =>
      onFailure(failure.name),
    )
  }
}

async function post({ endpoint, key }: Dsn, event: ReturnType<typeof buildErrorEvent>) {
  const lines = [
    { event_id: event.event_id, sent_at: new Date().toISOString() },
    { type: 'event' },
    event,
  ]
  const response = await fetch(endpoint, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=sanad/1, sentry_key=${key}`,
    },
    body: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  if (!response.ok) throw Object.assign(new Error('refused'), { name: `HTTP ${response.status}` })
}

function buildErrorEvent(error: unknown, { requestId }: Facts) {
  const { name, code, constraint, stack } = (
    error instanceof Error ? error : {}
  ) as Partial<Error> & {
    code?: unknown
    constraint?: unknown
  }
  // of PostgreSQL and of Node: 23505, ECONNREFUSED
  const detail = [code, constraint].filter(
    (part) => typeof part === 'string' && /^[\w.-]{1,63}$/.test(part),
  )
  return {
    event_id: randomUUID().replaceAll('-', ''),
    timestamp: Date.now() / 1000,
    platform: 'node',
    level: 'error',
    logger: 'sanad',
    tags: requestId ? { request_id: requestId } : {},
    exception: {
      values: [
        {
          type: name ?? 'Error',
          value: detail.join(' '),
          stacktrace: { frames: parseStackFrames(stack ?? '') },
        },
      ],
    },
  }
}

/** Outermost first. Paths begin at the installation: what is before it is a home directory. */
function parseStackFrames(stack: string) {
  const frames = [
    ...stack.matchAll(/^ {4}at (?:(.*?) \()?(?:file:\/\/)?([^()\n]+?):(\d+):(\d+)\)?$/gm),
  ]
  return frames.toReversed().map(([, name = '', file = '', line, column]) => ({
    function: name,
    filename: file.replace(`${process.cwd()}/`, ''),
    lineno: Number(line),
    colno: Number(column),
    in_app: !file.includes('node_modules') && !file.startsWith('node:'),
  }))
}

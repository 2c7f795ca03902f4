import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { RequestFailure } from '~/server/outgoing.server'
import { log } from '~/server/log'
import type { SentAs } from './data-value-set'
import { askDhis2, type Dhis2Server } from './dhis-client.server'
import { configuredServer } from './dhis-server.server'
import type { Dhis2SendingError, SendingState } from './exchange'
import { readImportSummary, type ImportSummary } from './import-summary'
import { failureForStatus, sendingRetryDelay } from './sending'

/** Data elements and org units by their codes; data sets and category option combinations by UID. */
const PATH = '/api/dataValueSets?dataElementIdScheme=CODE&orgUnitIdScheme=CODE'
/** In ADX everything is named by its code, unless the address says otherwise. */
const FORMATS: Readonly<Record<SentAs, { path: string; type: string }>> = {
  json: { path: PATH, type: 'application/json' },
  adx: { path: `${PATH}&dataSetIdScheme=UID`, type: 'application/adx+xml' },
}

/** While an attempt runs, other processes leave the sending alone; after it they take over from a process that died. */
const LEASE = sql`clock_timestamp() + interval '5 minutes'`

type Outcome = {
  status: SendingState
  httpStatus: number | null
  summary: ImportSummary | null
  error: Dhis2SendingError | null
}

/**
 * Sends what is due, one after the other. An attempt that ends without an answer is repeated later: DHIS2 updates a
 * value that it already has, so that a repeated request counts nothing twice. A queue of its own: a message to a
 * patient must not be repeated so (`messages/send-queue.server.ts`).
 */
export async function sendReports(db: Kysely<DB>, signal?: AbortSignal): Promise<number> {
  for (let count = 0; ; count += 1) {
    signal?.throwIfAborted()
    const sending = await takeNext(db)
    if (!sending) return count
    const server = await configuredServer(db)
    const outcome = server
      ? await attempt(server, sending, signal)
      : { ...NO_ANSWER, status: 'failed' as const, error: 'no_server' as const }
    await record(db, sending, outcome)
  }
}

async function takeNext(db: Kysely<DB>) {
  const { rows } = await sql<Taken>`
    update report_sendings set attempts = attempts + 1, due_at = ${LEASE}
    where id = (
      select id from report_sendings where status = 'queued' and due_at <= clock_timestamp()
      order by due_at limit 1 for update skip locked)
    returning id, payload, format, is_dry_run, attempts`.execute(db)
  return rows[0]
}
type Taken = {
  id: string
  payload: string
  format: SentAs
  is_dry_run: boolean
  attempts: number
}

const NO_ANSWER = { httpStatus: null, summary: null }

async function attempt(
  server: Dhis2Server,
  { payload, format, is_dry_run, attempts }: Taken,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { type, ...sent } = FORMATS[format]
  const path = is_dry_run ? `${sent.path}&dryRun=true` : sent.path
  const failed = (error: Dhis2SendingError, httpStatus: number | null = null): Outcome => ({
    status: sendingRetryDelay(attempts, error) === null ? 'failed' : 'queued',
    httpStatus,
    summary: null,
    error,
  })
  try {
    const { status, body } = await askDhis2(server, {
      method: 'POST',
      path,
      contentType: type,
      body: payload,
      signal,
    })
    const failure = failureForStatus(status)
    if (failure) return failed(failure, status)
    const summary = readImportSummary(status, body)
    if (!summary) return failed('unreadable', status)
    return {
      status: summary.isComplete ? 'sent' : 'rejected',
      httpStatus: status,
      summary,
      error: null,
    }
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    return failed(error.failure)
  }
}

async function record(db: Kysely<DB>, { id, attempts }: Taken, outcome: Outcome) {
  const { status, httpStatus, summary, error } = outcome
  const wait = error === null ? null : sendingRetryDelay(attempts, error)
  await sql`
    update report_sendings set status = ${status}, http_status = ${httpStatus}, error = ${error},
      counts = ${summary?.counts ? JSON.stringify(summary.counts) : null}::jsonb,
      conflicts = ${JSON.stringify(summary?.conflicts ?? [])}::jsonb,
      due_at = clock_timestamp() + make_interval(secs => ${(wait ?? 0) / 1000}),
      finished_at = ${status === 'queued' ? null : sql`clock_timestamp()`}
    -- cancelled meanwhile: only what the server took is recorded
    where id = ${id} and (status = 'queued' or ${summary !== null})`.execute(db)
  if (error) log.warn({ sending: id, error, attempts }, 'reports.send')
}

import { newId } from '~/shared/id'
import { LIVE } from '~/features/reports/runs/runs'
import { guess, sendLargest } from './strangers'

/** The user who sends, where it is no stranger: one who may do everything. */
export type LoadSender = { token: string; clinicIds: string[] }

/** Requests of one kind, sent as fast as they are answered. */
export type Load = {
  /** Connections at once. */
  connections: number
  /** Sends one request and reads the answer. Returns the status. */
  send: (url: string, at: number, sender: LoadSender) => Promise<number>
}

const read = async (url: string, init?: RequestInit): Promise<number> => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  await response.arrayBuffer()
  return response.status
}

const PAGES = ['/', '/trust', '/setup', '/app/patients', '/board?token=unknown', '/no-such-page']

const bearer = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
})

const post = (address: string, { token }: LoadSender, body: string) =>
  read(address, { method: 'POST', headers: bearer(token), body })

const CALLS_OF_BATCH = 50
const batch = {
  path: Array.from({ length: CALLS_OF_BATCH }, () => 'patients.list').join(','),
  body: JSON.stringify(
    Object.fromEntries(Array.from({ length: CALLS_OF_BATCH }, (_, at) => [at, {}])),
  ),
}

/** Deletions of rows that nobody has: the server reads, looks up and stores nothing. Some 2 MB. */
const deletions = () =>
  JSON.stringify({
    patients: { created: [], updated: [], deleted: Array.from({ length: 50_000 }, () => newId()) },
  })
let sent: string | undefined

const SYNC = '/api/v2/sync?last_pulled_at=0&schema_version=9'

/** Of strangers, and then of one user who may do everything. */
export const loads = {
  guesses: { connections: 50, send: guess },
  bodies: { connections: 20, send: sendLargest },
  pages: { connections: 20, send: (url, at) => read(url + PAGES[at % PAGES.length]!) },
  calls: {
    connections: 20,
    send: (url, _, sender) => post(`${url}/api/trpc/patients.list`, sender, '{}'),
  },
  batches: {
    connections: 4,
    send: (url, _, sender) => post(`${url}/api/trpc/${batch.path}?batch=1`, sender, batch.body),
  },
  pushes: {
    connections: 8,
    send: (url, _, sender) => post(url + SYNC, sender, (sent ??= deletions())),
  },
  pulls: {
    connections: 8,
    send: (url, _, { token }) => read(url + SYNC, { headers: bearer(token) }),
  },
  exports: {
    connections: 8,
    send: (url, _, { token }) =>
      read(`${url}/api/patients/export?format=csv&language=en`, { headers: bearer(token) }),
  },
  reports: {
    connections: 20,
    send: (url, _, sender) =>
      post(
        `${url}/api/trpc/reports.run`,
        sender,
        JSON.stringify({
          code: 'opd-morbidity',
          clinic_ids: sender.clinicIds,
          period: new Date().toISOString().slice(0, 7),
          number: LIVE,
        }),
      ),
  },
} satisfies Record<string, Load>

/** What each load is compared with: as many connections that ask for what costs next to nothing. */
export const healthLoad = (connections: number): Load => ({
  connections,
  send: (url) => read(`${url}/api/health/live`),
})

import { readFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import pg from 'pg'
import { built } from '../built'

/** `peak`: the most memory in megabytes, where the system tells. */
type Ended = { code: number | null; stdout: string; stderr: string; peak: number }
type Settings = Record<string, string | undefined>

function memoryOf(pid: number) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

/** Runs `npm run import -- hikma <source>` as npm does it. */
export function moveIn(source: string, settings: Settings, args: string[] = []) {
  const command = ['--max-semi-space-size=4', built('commands/import.js'), 'hikma', source, ...args]
  const child = spawn(process.execPath, command, {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (said.stdout += String(text)))
  child.stderr.on('data', (text) => (said.stderr += String(text)))
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid!))
  }, 200)
  const end = new Promise<Ended>((resolve) =>
    child.once('close', (code) => {
      clearInterval(watch)
      resolve({ code, ...said, peak })
    }),
  )
  return { kill: () => child.kill('SIGKILL'), end, pid: child.pid! }
}

export async function clientOf(url: string) {
  const client = new pg.Client(url)
  // if a test fails, the database stops while this connection is open
  client.on('error', () => {})
  await client.connect()
  return client
}

/** What an import writes. A server beside it checks prescriptions, enrols patients, lists what is due. */
const WRITTEN =
  `app_config appointments clinic_departments clinic_inventory clinics credentials_bcrypt
  deletion_items deletions dispensing_records drug_batches drug_catalogue event_forms event_logs
  event_form_versions events import_rows inventory_transactions patient_additional_attributes
  patient_allergies patient_links patient_problems patient_vitals patients prescription_items prescriptions
  registration_forms sync_rows user_clinic_permissions users visits`.split(/\s+/)

/** Number of rows and a sum over all their values, by table: two are equal if nothing was written between them. */
export async function fingerprint(client: pg.Client, without: readonly string[] = []) {
  const all: Record<string, string> = {}
  for (const name of [...WRITTEN, 'audit_log']) {
    const { rows } = await client.query<{ sum: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended((to_jsonb(t) - $1::text[])::text, 0)), 0) as sum
       from ${name} t ${name === 'audit_log' ? "where via = 'command'" : ''}`,
      [[...without]],
    )
    all[name] = rows[0]!.sum
  }
  return all
}

/** Columns that say when or by which transaction a row was written, or which random id it got. */
export const WHEN = [
  'last_modified',
  'server_created_at',
  'since',
  'changed_xid',
  'xid',
  'at',
  'imported_at',
  'received_at',
  'saved_at',
  'position',
  'occurred_at',
  'request_id',
  'moved',
  'born',
]

/** Forwards to PostgreSQL, and cuts every connection once so many bytes came back. */
export async function cuttingProxy(url: string, bytes: number) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let left = bytes
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname)
    for (const each of [socket, upstream]) {
      sockets.add(each)
      each.on('error', () => {})
    }
    socket.pipe(upstream)
    upstream.on('data', (data) => {
      left -= data.length
      if (left > 0) socket.write(data)
      else for (const each of sockets) each.destroy()
    })
    upstream.on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as { port: number }).port)
  return {
    url: through.href,
    close: () => {
      for (const each of sockets) each.destroy()
      server.close()
    },
  }
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { databaseUrl, postgresPid, settingsForUsed, test } from './sanad'

const EMAIL = 'amal@clinic.example'
const PASSWORD = 'seven green herons'
const CLIENTS = 8

type Call = { name: string; input: Record<string, unknown>; id: string; answered?: boolean }

test('after a crash while stock is received, moved or written off, the ledger balances; repeats count once', async ({
  start,
  temporaryDirectory,
}) => {
  const directory = temporaryDirectory()
  const settings = await settingsForUsed(directory)
  const first = start(settings)
  const url = await first.ready
  await makeAdministrator(settings)
  const db = new pg.Client(databaseUrl(directory))
  db.on('error', () => {})
  await db.connect()
  const token = await tokenOf(url)
  const places = await prepare(db, url, token)

  const calls: Call[] = []
  let isKilled = false
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let turn = client; !isKilled; turn += 1) {
      const call = callOf(turn, places)
      calls.push(call)
      call.answered = await ask(url, token, call).catch(() => false)
      if (calls.filter(({ answered }) => answered).length >= 150 && !isKilled) {
        isKilled = true
        process.kill(postgresPid(directory), 'SIGKILL')
        first.child.kill('SIGKILL')
      }
    }
  })
  await Promise.all(clients)
  await first.exit
  await db.end().catch(() => undefined)

  const again = await start(settings).ready
  const after = new pg.Client(databaseUrl(directory))
  await after.connect()
  expect(await mistakes(after)).toEqual([])
  const posted = async () => {
    const { rows } = await after.query<{ id: string; rows: string }>(
      'select reference_id as id, count(*) as rows from inventory_transactions group by 1',
    )
    return new Map(rows.map((row) => [row.id, Number(row.rows)]))
  }
  const kept = await posted()
  expect(calls.filter(({ answered, id }) => answered && !kept.has(id))).toEqual([])
  expect(calls.some(({ answered }) => !answered)).toBe(true)

  // a client without an answer repeats its request, and so do all the others
  for (const call of calls) expect(await ask(again, token, call)).toBe(true)
  expect(await mistakes(after)).toEqual([])
  const rowsOf = { 'inventory.transfer': 2, 'batches.create': 1, 'inventory.writeOff': 1 }
  const final = await posted()
  expect(
    calls.filter(({ id, name }) => final.get(id) !== rowsOf[name as keyof typeof rowsOf]),
  ).toEqual([])
  await after.end()
})

function callOf(turn: number, { clinics, drug, batch }: Places): Call {
  const id = uuidv7()
  if (turn % 3 === 0) {
    const input = { id, clinic_id: clinics[0], drug_id: drug, quantity: 5, ...aBatch }
    return { name: 'batches.create', id, input }
  }
  if (turn % 3 === 1) {
    const input = {
      id,
      fromClinicId: clinics[0],
      toClinicId: clinics[1],
      lines: [{ batchId: batch, quantity: 3 }],
    }
    return { name: 'inventory.transfer', id, input }
  }
  const input = {
    id,
    clinicId: clinics[0],
    batchId: batch,
    kind: 'damaged',
    quantity: 1,
    reason: 'Fell',
  }
  return { name: 'inventory.writeOff', id, input }
}

const aBatch = { batch_number: 'L-1', expiry_date: '2099-06-30', received_date: '2026-01-05' }
type Places = { clinics: string[]; drug: string; batch: string }

async function prepare(db: pg.Client, url: string, token: string): Promise<Places> {
  const [clinics, drug] = [[uuidv7(), uuidv7()], uuidv7()]
  for (const [at, id] of clinics.entries()) {
    await db.query('insert into clinics (id, name) values ($1, $2)', [id, `Clinic ${at}`])
  }
  await db.query(
    `insert into drug_catalogue (id, generic_name, form, route, dosage_units)
     values ($1, 'Zinc', 'tablet', 'oral', 'mg')`,
    [drug],
  )
  const input = { id: uuidv7(), clinic_id: clinics[0], drug_id: drug, quantity: 100_000, ...aBatch }
  await ask(url, token, { name: 'batches.create', input, id: input.id })
  const { rows } = await db.query<{ id: string }>('select id from drug_batches')
  return { clinics, drug, batch: rows[0]!.id }
}

/** True when it was answered; a refusal is a mistake here. */
async function ask(url: string, token: string, { name, input }: Call): Promise<boolean> {
  const response = await fetch(`${url}/api/trpc/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(input),
  })
  if (response.status >= 400 && response.status < 500) throw new Error(await response.text())
  return response.ok
}

async function tokenOf(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  })
  return ((await response.json()) as { token: string }).token
}

async function makeAdministrator(settings: Record<string, string>) {
  const args = [
    'dist/commands/admin.js',
    'create-super-admin',
    '--email',
    EMAIL,
    '--name',
    'Amal',
    '--password-stdin',
  ]
  const running = promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH, ...settings },
  })
  running.child.stdin?.end(`${PASSWORD}\n`)
  await running
}

/** Where quantity, ledger and batches differ, or a transfer is half done: nowhere. */
async function mistakes(db: pg.Client) {
  const { rows } = await db.query(`
    select 'clinic' as level, i.id from clinic_inventory i
    where i.quantity_available < 0 or i.quantity_available <> (
      select sum(t.quantity) from inventory_transactions t where t.clinic_id = i.clinic_id and t.batch_id = i.batch_id)
    union all
    select 'batch', b.id from drug_batches b
    where b.quantity_remaining <> (select sum(i.quantity_available) from clinic_inventory i where i.batch_id = b.id)
    union all
    select 'transfer', reference_id from inventory_transactions where reference_type = 'transfer'
    group by reference_id having sum(quantity) <> 0`)
  return rows
}

import type pg from 'pg'
import { v7 } from 'uuid'
import { aPatient } from '../sync/chart'
import type { Chance } from '../sync/random/chance'
import type { Phone } from '../sync/phone'

/** The rows on which writers and phones work. */
export type Places = {
  token: string
  clinics: [string, string]
  drug: string
  batch: string
  patient: string
  visit: string
  /** One for each writer, as two cannot dispense the same item at once. */
  prescriptions: { id: string; itemId: string }[]
}

type Call = { name: string; id: string; input: object; isAnswered: boolean }

/** Each kind of write, with the table and the number of rows that one call leaves. */
const kinds = {
  'patients.create': ['patients', 'id', 1],
  'visits.save': ['visits', 'id', 1],
  'vitals.save': ['patient_vitals', 'id', 1],
  'dispensing.dispense': ['dispensing_records', 'id', 1],
  'batches.create': ['inventory_transactions', 'reference_id', 1],
  'inventory.transfer': ['inventory_transactions', 'reference_id', 2],
  'inventory.writeOff': ['inventory_transactions', 'reference_id', 1],
} as const satisfies Record<string, [table: string, column: string, rows: number]>
type Kind = keyof typeof kinds
const names = Object.keys(kinds) as Kind[]

function inputOf(name: Kind, id: string, at: Places, writer: number): object {
  const { clinics, drug, batch, patient, visit, prescriptions } = at
  switch (name) {
    case 'patients.create':
      return {
        id,
        primary_clinic_id: clinics[0],
        given_name: 'Layla',
        surname: `Haddad ${id}`,
        date_of_birth: '1990-05-17',
        sex: 'female',
      }
    case 'visits.save':
      return {
        id,
        patient_id: patient,
        clinic_id: clinics[0],
        check_in_timestamp: '2026-01-05T08:00:00Z',
        // from paper, and over: a patient has one open visit a day
        closed_at: '2026-01-05T09:00:00Z',
      }
    case 'vitals.save':
      return {
        id,
        patient_id: patient,
        visit_id: visit,
        timestamp: '2026-01-05T08:10:00Z',
        temperature_celsius: 37.2,
      }
    case 'dispensing.dispense': {
      const { id: prescriptionId, itemId } = prescriptions[writer]!
      return {
        prescriptionId,
        items: [{ itemId, records: [{ id, batchId: batch, quantity: 1 }] }],
        allergies_reason: 'The patient does not answer',
      }
    }
    case 'batches.create':
      return {
        id,
        clinic_id: clinics[0],
        drug_id: drug,
        quantity: 5,
        batch_number: 'L-1',
        expiry_date: '2099-06-30',
        received_date: '2026-01-05',
        confirmed: ['old_day', 'unlikely_date'],
      }
    case 'inventory.transfer':
      return {
        id,
        fromClinicId: clinics[0],
        toClinicId: clinics[1],
        lines: [{ batchId: batch, quantity: 3 }],
      }
    case 'inventory.writeOff':
      return {
        id,
        clinicId: clinics[0],
        batchId: batch,
        kind: 'damaged',
        quantity: 1,
        reason: 'broken',
      }
  }
}

/** Ten users who write without a pause. `calls` must be neither lost nor doubled. */
export class Writers {
  calls: Call[] = []
  answered = 0
  /** Refused calls. There should be none. */
  readonly refused: string[] = []

  constructor(
    readonly origin: string,
    readonly places: Places,
  ) {}

  /** Writes until `isOver`; `onAnswer` is called after each answer. */
  async work(random: Chance, isOver: () => boolean, onAnswer: () => void) {
    await Promise.all(
      this.places.prescriptions.map(async (_, writer) => {
        while (!isOver() && this.refused.length === 0) {
          const name = random.one(names)!
          const id = v7()
          const call = {
            name,
            id,
            input: inputOf(name, id, this.places, writer),
            isAnswered: false,
          }
          this.calls.push(call)
          await this.send(call).catch(() => undefined)
          if (call.isAnswered) onAnswer()
        }
      }),
    )
  }

  async send(call: Call) {
    const response = await fetch(`${this.origin}/api/trpc/${call.name}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.places.token}`,
      },
      body: JSON.stringify(call.input),
    })
    const text = await response.text()
    if (response.status >= 400 && response.status < 500)
      this.refused.push(`${call.name}: ${response.status} ${text}`)
    if (!response.ok || call.isAnswered) return
    call.isAnswered = true
    this.answered += 1
  }

  /** Sends the unanswered calls again, as clients do. */
  async repeatUnanswered() {
    for (const call of this.calls.filter(({ isAnswered }) => !isAnswered)) {
      await this.send(call)
      if (!call.isAnswered)
        throw new Error(`${call.name} ${call.id} was not answered: ${this.refused.join(', ')}`)
    }
  }

  /** Of the acknowledged calls, those that are not stored exactly as often as they should. */
  async wrong(db: pg.Client): Promise<string[]> {
    const found: string[] = []
    for (const [name, [table, column, rows]] of Object.entries(kinds)) {
      const ids = this.calls
        .filter((call) => call.name === name && call.isAnswered)
        .map(({ id }) => id)
      const { rows: wrong } = await db.query<{ id: string; count: number }>(
        `select asked.id, count(t.${column})::integer as count
        from unnest($1::uuid[]) asked (id) left join ${table} t on t.${column} = asked.id
        group by asked.id having count(t.${column}) <> $2`,
        [ids, rows],
      )
      found.push(...wrong.map(({ id, count }) => `${name} ${id} is stored ${count} times`))
    }
    return found
  }
}

/** A phone whose user registers patients and syncs without a pause. */
export class WorkingPhone {
  readonly made: string[] = []
  /** How many of them the server has acknowledged. */
  acknowledged = 0

  constructor(
    readonly phone: Phone,
    readonly clinic: { id: string },
  ) {}

  async work(isOver: () => boolean) {
    while (!isOver()) {
      for (let at = 0; at < 3; at += 1)
        this.made.push(await this.phone.create('patients', aPatient(this.clinic)))
      await this.sync().catch(() => undefined)
    }
  }

  async sync() {
    const before = this.made.length
    await this.phone.sync()
    this.acknowledged = before
  }

  async lost(db: pg.Client): Promise<string[]> {
    const { rows } = await db.query<{ id: string }>(
      `select id from unnest($1::uuid[]) made (id)
      where not exists (select from patients p where p.id = made.id)`,
      [this.made.slice(0, this.acknowledged)],
    )
    return rows.map(({ id }) => `patient ${id} of a phone is lost`)
  }
}

/**
 * Inconsistent rows: quantity, ledger and batches differ, a balance does not follow from the one
 * before, a transfer is half done, a record has two entries of its creation in the trail, or a
 * phone's row was not applied. Should be empty.
 */
export async function mistakes(db: pg.Client): Promise<object[]> {
  const { rows } = await db.query<object>(`
    select 'stock' as what, i.id from clinic_inventory i
    where i.quantity_available < 0 or i.quantity_available <> (
      select sum(t.quantity) from inventory_transactions t
      where t.clinic_id = i.clinic_id and t.batch_id = i.batch_id)
    union all
    select 'batch', b.id from drug_batches b
    where b.quantity_remaining <> (
      select sum(i.quantity_available) from clinic_inventory i where i.batch_id = b.id)
    union all
    select 'balance', id from (
      select id, balance_after, sum(quantity) over (
        partition by clinic_id, batch_id order by position) as balance
      from inventory_transactions) chain
    where balance_after <> balance
    union all
    select 'transfer', reference_id from inventory_transactions
    where reference_type = 'transfer' group by reference_id having sum(quantity) <> 0
    union all
    select 'dispensed', r.id from dispensing_records r
    where (select sum(-t.quantity) from inventory_transactions t where t.reference_id = r.id)
      is distinct from r.quantity_dispensed
    union all
    select 'quarantine', id from sync_quarantine
    union all
    select 'conflict', id from sync_conflicts`)
  return rows
}

import { existsSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { stableId } from '~/features/exchange/imports/stable-id'
import { newId } from '~/shared/id'
import { connectToDataDir } from './database'
import { sampleAnswers, buildDayChangeSet } from './day'
import { waitUntilIdle } from './idle'
import { BenchPhone } from './phone'
import { readProcessorTime, watchPeak } from './processes'
import { type Figure, summarizeTimes } from './percentiles'
import type { Tries } from './tries'
import type { Workbench } from './workbench'

/**
 * `cpu`: milliseconds of a processor each time; `bytes`: of one answer or push; `peak`: what the
 * server's process grew by at most.
 */
export type PhoneFigure = Figure & {
  cpu: { server: number | null; postgres: number | null }
  bytes: number
  peak: number | null
}
type Clinic = {
  place: Parameters<typeof buildDayChangeSet>[2]
  phone: () => BenchPhone
  provider: () => Promise<BenchPhone>
}
type PhoneMeasure = {
  name: string
  times: number
  /** How often before those that count (default: 1). */
  warmUp?: number
  prepare?: (clinic: Clinic) => Promise<unknown>
  /** What a phone has ready before it sends. */
  made?: (clinic: Clinic, i: number) => string
  run: (clinic: Clinic, i: number, made: string) => Promise<number>
}

const EVENTS_PER_PATIENT = 6
const EVENTS_AT_ONCE = 1_000
const PHONES = 30

const sender: BenchPhone[] = []

/** A connection plans the statements of small pushes five times. */
const pushMeasure = (rows: number, times: number): PhoneMeasure => ({
  name: `phones: push of ${rows} rows`,
  times,
  warmUp: 10,
  // one that is up to date, as the app pulls before it pushes
  async prepare({ phone }) {
    sender[0] ??= phone()
    await sender[0].pull()
  },
  made: ({ place }) => JSON.stringify(buildDayChangeSet(newId(), rows, place)),
  run: (_, __, made) => sender[0]!.push(made),
})

const upToDate: BenchPhone[] = []
const fleet: BenchPhone[] = []

/** Everything that is measured of sync. `run` returns bytes. */
const measures: readonly PhoneMeasure[] = [
  { name: 'phones: full pull', times: 3, run: ({ phone }) => phone().pull() },
  {
    name: 'phones: full pull, gzip',
    times: 1,
    run: ({ phone }) => phone().pull({ encoding: 'gzip' }),
  },
  {
    name: 'phones: four full pulls at once',
    times: 1,
    run: async ({ phone }) => sum(await Promise.all([...Array(4)].map(() => phone().pull()))),
  },
  {
    name: 'phones: full pull, one clinic',
    times: 2,
    run: async ({ provider }) => (await provider()).pull(),
  },
  {
    name: 'phones: empty pull',
    times: 50,
    async prepare({ provider }) {
      upToDate[0] = await provider()
      await upToDate[0].pull()
    },
    run: () => upToDate[0]!.pull(),
  },
  pushMeasure(30, 30),
  pushMeasure(300, 10),
  pushMeasure(1_500, 10),
  {
    name: `phones: ${PHONES} sync at once`,
    times: 1,
    // each with a number of its own, or most of them would count as unknown phones
    async prepare({ provider }) {
      fleet.splice(0)
      for (let i = 0; i < PHONES; i += 1) fleet.push(await provider())
      for (const phone of fleet) await phone.pull()
    },
    async run({ place }, i) {
      const synced = fleet.map(async (phone, at) => {
        await phone.signIn()
        const bytes = await phone.pull()
        await phone.push(JSON.stringify(buildDayChangeSet(`${newId()} ${i} ${at}`, 30, place)))
        return bytes
      })
      return sum(await Promise.all(synced))
    },
  },
]

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)

export async function phoneFigures(
  bench: Workbench,
  isChosen: (measure: { name: string }) => boolean,
  tries: Tries,
  signal: AbortSignal,
): Promise<PhoneFigure[]> {
  const chosen = measures.filter(isChosen)
  if (chosen.length === 0) return []
  const clinic = await openClinic(bench, signal)
  const figures: PhoneFigure[] = []
  for (const measure of chosen) {
    const figure = await tries.of(measure.name, async () => {
      await measure.prepare?.(clinic)
      await waitUntilIdle(bench.dataDir, signal)
      const { times, warmUp = 1 } = measure
      const most = { times: Math.min(times, bench.most), warmUp: Math.min(warmUp, bench.most) }
      return measured({ ...measure, ...most }, clinic, bench.server.pid!)
    })
    figures.push(...figure)
  }
  return figures
}

async function measured(
  { name, times, warmUp, made, run }: PhoneMeasure & { warmUp: number },
  clinic: Clinic,
  server: number,
): Promise<PhoneFigure> {
  const peak = watchPeak(server)
  for (let i = -warmUp; i < 0; i += 1) await run(clinic, i, made?.(clinic, i) ?? '')
  const taken: number[] = []
  let bytes = 0
  const before = readProcessorTime(server)
  for (let i = 0; i < times; i += 1) {
    const sent = made?.(clinic, i) ?? ''
    const started = performance.now()
    bytes = await run(clinic, i, sent)
    taken.push(performance.now() - started)
  }
  const after = readProcessorTime(server)
  const each = (part: keyof typeof after) =>
    after[part] && before[part] && (after[part] - before[part]) / times
  return {
    ...summarizeTimes(name, taken),
    cpu: { server: each('server'), postgres: each('postgres') },
    bytes,
    peak: peak?.() ?? null,
  }
}

/** The workbench's people with the answers that their visits recorded, which phones bring. */
async function openClinic(bench: Workbench, signal: AbortSignal): Promise<Clinic> {
  const { admin, owner, url, dataDir } = bench
  const clinics = await admin.call<{ id: string; name: string }[]>('clinics.list', {})
  const { id: clinicId } = clinics.find(({ name }) => name !== 'Bench clinic') ?? clinics[0]!
  const formId = stableId('bench', 'form')
  const phone = () => new BenchPhone(url, owner.email, owner.password)
  const place = { clinicId, formId, userId: await phone().signIn(), userName: 'Bench' }
  if (!existsSync(join(dataDir, 'bench-events'))) {
    await admin.call('eventForms.installStarter', { id: formId, key: 'phq-2', clinic_ids: [] })
    await pushEvents(bench, phone(), place, signal)
    writeFileSync(join(dataDir, 'bench-events'), '')
  }
  const [email, password] = [`phone-${newId()}@clinic.example`, randomBytes(12).toString('hex')]
  let isMade = false
  async function provider() {
    if (!isMade)
      await admin.call('users.save', {
        id: newId(),
        name: 'Phone',
        email,
        role: 'provider',
        clinic_id: clinicId,
        password,
      })
    isMade = true
    return new BenchPhone(url, email, password)
  }
  return { place, phone, provider }
}

/** So many that each person has six, over the visits that the seed made. */
async function pushEvents(
  { patients, dataDir }: Workbench,
  phone: BenchPhone,
  { formId, userId }: Clinic['place'],
  signal: AbortSignal,
) {
  await phone.pull()
  const db = connectToDataDir(dataDir)
  const visits = await db
    .selectFrom('visits')
    .select(['id', 'patient_id', 'check_in_timestamp'])
    .where('is_deleted', '=', false)
    .orderBy('id')
    .execute()
  await db.destroy()
  const total = patients * EVENTS_PER_PATIENT
  for (let start = 0; start < total; start += EVENTS_AT_ONCE) {
    signal.throwIfAborted()
    process.stderr.write(`phones: answers ${start} of ${total}…\n`)
    const updated = Array.from({ length: Math.min(EVENTS_AT_ONCE, total - start) }, (_, at) => {
      const i = start + at
      const { id: visit_id, patient_id, check_in_timestamp } = visits[i % visits.length]!
      const when = check_in_timestamp.getTime()
      return {
        id: stableId('bench', 'event', String(i)),
        _status: 'created',
        _changed: '',
        patient_id,
        visit_id,
        form_id: formId,
        event_type: 'Consultation',
        form_data: sampleAnswers(i),
        recorded_by_user_id: userId,
        metadata: '{}',
        is_deleted: false,
        deleted_at: null,
        created_at: when,
        updated_at: when,
      }
    })
    await phone.push(JSON.stringify({ events: { created: [], updated, deleted: [] } }))
  }
}

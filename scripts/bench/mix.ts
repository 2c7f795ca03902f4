import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '~/shared/id'
import { aPerson } from './measures'
import { type Figure, summarizeTimes } from './percentiles'
import type { Workbench } from './workbench'

/** Half of them at the front desk, half of them doctors, as in Bahmni's published test. */
const USERS = 70
/** Milliseconds between two steps of one user, at random around the middle. */
const THINK = { least: 5_000, most: 15_000 }

export type MixFigure = Figure & { errors: number }
type User = Awaited<ReturnType<Workbench['userOf']>>
type Step = { name: string; run: (user: User, bench: Workbench, i: number) => Promise<unknown> }

const frontDesk: readonly Step[] = [
  {
    name: 'mix: register a patient',
    run: (user, bench) => user.call('patients.create', aPerson(bench)),
  },
  {
    name: 'mix: find by name',
    run: (user, bench, i) => {
      const { given_name, surname } = bench.patientAt(i)
      return user.call('patients.search', { searchQuery: `${given_name} ${surname}` })
    },
  },
  {
    name: 'mix: find by phone',
    run: (user, bench, i) => user.call('patients.search', { searchQuery: bench.phoneAt(i) }),
  },
  { name: 'mix: appointments', run: (user) => user.call('appointments.list', {}) },
]

/** What a doctor reads and writes of one patient. */
async function consultation(user: User, bench: Workbench, i: number) {
  const of = bench.ofClinic(i)
  await user.call('patients.get', { id: of })
  await user.call('timeline.list', { patientId: of })
  await user.call('vitals.latest', { patientId: of })
  await user.call('vitals.save', {
    id: newId(),
    patient_id: of,
    visit_id: null,
    timestamp: new Date().toISOString(),
    heart_rate: 60 + (i % 40),
    systolic_bp: 110 + (i % 40),
    diastolic_bp: 70 + (i % 20),
  })
}

const doctors: readonly Step[] = [
  frontDesk[1]!,
  { name: 'mix: consultation', run: consultation },
  { name: 'mix: prescriptions', run: (user) => user.call('prescriptions.list', {}) },
]

/** Seventy users for so many minutes, each with a session and pauses of its own. */
export async function mixFigures(
  bench: Workbench,
  minutes: number,
  signal: AbortSignal,
): Promise<MixFigure[]> {
  const taken = new Map<string, number[]>()
  const errors = new Map<string, number>()
  const users = await Promise.all([bench.userOf('registrar'), bench.userOf('provider')])
  const end = performance.now() + minutes * 60_000

  async function work(who: number) {
    const steps = who % 2 ? doctors : frontDesk
    // they do not begin all at once
    await sleep(Math.random() * Math.min(THINK.most, minutes * 30_000))
    for (let i = who; performance.now() < end && !signal.aborted; i += USERS) {
      const { name, run } = steps[Math.floor(i / USERS) % steps.length]!
      const started = performance.now()
      try {
        await run(users[who % 2]!, bench, i)
        taken.set(name, [...(taken.get(name) ?? []), performance.now() - started])
      } catch (error) {
        if (!errors.has(name)) process.stderr.write(`${name}: ${(error as Error).message}\n`)
        errors.set(name, (errors.get(name) ?? 0) + 1)
      }
      const think = THINK.least + Math.random() * (THINK.most - THINK.least)
      await sleep(Math.max(0, Math.min(think, end - performance.now())))
    }
  }
  await Promise.all(Array.from({ length: USERS }, (_, who) => work(who)))
  signal.throwIfAborted()
  const names = new Set([...frontDesk, ...doctors].map(({ name }) => name))
  return [...names].flatMap((name) => {
    const times = taken.get(name)
    const failed = errors.get(name) ?? 0
    if (!times) return failed ? [{ name, times: 0, p50: 0, p95: 0, max: 0, errors: failed }] : []
    return [{ ...summarizeTimes(name, times), errors: failed }]
  })
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { watchPeak } from '../bench/processes'
import type { Figure } from '../bench/percentiles'
import { timed } from '../bench/timing'
import { openWorkbench, type Workbench } from '../bench/workbench'
import { parsed, wholeNumber, WrongUsage } from '../command'
import { untilStopped } from '../import/kind'
import { healthLoad, type Load, loads, type LoadSender } from './loads'
import type { Proof } from './proof'
import { onConnections } from './strangers'

const help = `npm run prove -- attack [--patients 2000] [--times 100] [--repeats 3] [--loads guesses,pages,…]

  --patients  how many the clinic has (default: 2000)
  --times     how often the list is read, quiet and under each load (default: 100)
  --repeats   how often it is measured (default: 3)
  --loads     which of ${Object.keys(loads).join(', ')} (default: all)

Each load is sent by a process of its own, so that it delays the measured user only through the server
and the processor. The list is measured at least once under each load, and until the load has been answered on
as many requests as it has connections.
`

/** How many times the quiet figure a signed-in user may wait while others send. */
const SLOWER = 3
/** Or how many times what as many connections cost that ask whether the server lives. */
const SLOWER_THAN_HEALTH = 1.5
const MOST_MEMORY = 1024 ** 3
/** How often the list is measured under one load, until the load has as many answers as connections. */
const MOST_MEASURES = 20

export const attack: Proof = {
  summary: 'a signed-in user, while strangers and another user send as much as they can',
  async run(args) {
    const { values } = parse(args)
    if (values.help) {
      process.stdout.write(help)
      return 0
    }
    if (values.as) return sendAs(loadNamed(values.as), values.url!, Number(values.from))
    const patients = wholeNumber('patients', values.patients, 1)
    const times = wholeNumber('times', values.times, 1)
    const repeats = wholeNumber('repeats', values.repeats, 1)
    const names = values.loads.split(',')
    for (const name of names)
      if (!Object.hasOwn(loads, name)) throw new WrongUsage(`There is no load "${name}".`)
    const bench = await openWorkbench({ patients, signal: untilStopped() })
    try {
      let isKept = true
      for (let round = 1; round <= repeats; round += 1)
        isKept = (await oneRound(bench, { round, times, names })) && isKept
      return isKept ? 0 : 1
    } finally {
      await bench.close()
      rmSync(bench.dataDir, { recursive: true, force: true })
    }
  },
}

type Round = { round: number; times: number; names: readonly string[] }

async function oneRound(bench: Workbench, { round, times, names }: Round): Promise<boolean> {
  const list = { name: 'list', times, run: () => bench.provider.call('patients.list', {}) }
  const quiet = await timed(list, bench)
  process.stdout.write(`Round ${round}: list ${figures(quiet)} quiet\n`)
  const measured = new Map<string, Figure>()
  const under = async (name: string) => {
    const load = await inProcess(bench, name, round)
    const taken = [await timed(list, bench)]
    // a load of long requests is one only once it has been answered
    while (load.answers() < loadNamed(name).connections && taken.length < MOST_MEASURES)
      taken.push(await timed(list, bench))
    const figure = taken.reduce((slowest, each) => (each.p50 > slowest.p50 ? each : slowest))
    const [ready, counts] = [await fetch(`${bench.url}/api/health/ready`), await load.stop()]
    const answers = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { figure, counts, isReady: ready.ok, isAnswered: answers >= loadNamed(name).connections }
  }
  let isKept = true
  for (const name of names) {
    const base = `health-${loadNamed(name).connections}`
    if (!measured.has(base)) measured.set(base, (await under(base)).figure)
    const peak = watchPeak(bench.server.pid!)
    const { figure, counts, isReady, isAnswered } = await under(name)
    const memory = peak?.() ?? null
    const [ratio, ofHealth] = [figure.p50 / quiet.p50, measured.get(base)!.p50 / quiet.p50]
    const isGood =
      ratio <= Math.max(SLOWER, SLOWER_THAN_HEALTH * ofHealth) &&
      (memory === null || memory <= MOST_MEMORY) &&
      isReady &&
      isAnswered &&
      !Object.keys(counts).some((status) => Number(status) >= 500)
    isKept &&= isGood
    process.stdout.write(
      `  ${name}: ${figures(figure)}, ${ratio.toFixed(1)} times quiet (as many that ask for health: ` +
        `${ofHealth.toFixed(1)}); memory ${megabytes(memory)} more at most; answers by status ` +
        `${JSON.stringify(counts)}${isGood ? '' : ' - NOT KEPT'}\n`,
    )
  }
  return isKept
}

/** A load by its name, or `health-20`: so many connections. */
function loadNamed(name: string): Load {
  const [, connections] = /^health-(\d+)$/.exec(name) ?? []
  return connections ? healthLoad(Number(connections)) : loads[name as keyof typeof loads]
}

/** Printed for each answer. */
const ANSWER = '.'

/** Sends until its input ends, and then prints the counts of answers by status. */
async function sendAs({ connections, send }: Load, url: string, from: number): Promise<0> {
  const [line] = (await once(process.stdin, 'data')) as [Buffer]
  const sender = JSON.parse(String(line)) as LoadSender
  const stopped = new AbortController()
  process.stdin.once('end', () => stopped.abort()).resume()
  process.stdout.write('ready\n')
  const counts = await onConnections(
    connections,
    stopped.signal,
    (at) => send(url, from + at, sender),
    () => process.stdout.write(ANSWER),
  )
  process.stdout.write(JSON.stringify(counts))
  process.exit(0)
}

/** A load in a process of its own, which has begun when this resolves. */
async function inProcess({ url, admin, clinicIds }: Workbench, name: string, round: number) {
  const args = ['attack', '--as', name, '--url', url, '--from', String(round * 1e6)]
  const child: ChildProcess = spawn(process.execPath, [process.argv[1]!, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin!.write(JSON.stringify({ token: admin.token, clinicIds } satisfies LoadSender))
  let said = ''
  child.stdout!.on('data', (text) => (said += String(text)))
  await once(child.stdout!, 'data')
  return {
    answers: () => said.split(ANSWER).length - 1,
    async stop(): Promise<Record<string, number>> {
      child.stdin!.end()
      await once(child, 'close')
      return JSON.parse(said.replace('ready\n', '').replaceAll(ANSWER, '')) as Record<
        string,
        number
      >
    },
  }
}

const figures = ({ p50, p95 }: Figure) => `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`
const megabytes = (bytes: number | null) =>
  bytes === null ? 'unknown' : `${Math.round(bytes / 1024 ** 2)} MB`

function parse(args: string[]) {
  const options = {
    patients: { type: 'string', default: '2000' },
    times: { type: 'string', default: '100' },
    repeats: { type: 'string', default: '3' },
    loads: { type: 'string', default: Object.keys(loads).join(',') },
    // of a load's own process
    as: { type: 'string' },
    url: { type: 'string' },
    from: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  return parsed(() => parseArgs({ args, options }))
}

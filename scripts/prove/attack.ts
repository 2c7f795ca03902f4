import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { watchPeak } from '../bench/processes'
import type { Figure } from '../bench/percentiles'
import { timed } from '../bench/timing'
import { openWorkbench, type Workbench } from '../bench/workbench'
import { parsed, wholeNumber } from '../command'
import { untilStopped } from '../import/kind'
import type { Proof } from './proof'
import { guess, onConnections, sendLargest } from './strangers'

const help = `npm run prove -- attack [--patients 2000] [--times 100] [--repeats 3]

  --patients  how many the clinic has (default: 2000)
  --times     how often the list is read, quiet and under attack (default: 100)
  --repeats   how often it is measured (default: 3)

The strangers run in two processes of their own, so that they delay the measured user only through
the server and the processor.
`

const GUESSING = 50
const SENDING = 20
/** How many times the quiet figure a signed-in user may wait. */
const SLOWER = 5
const MOST_MEMORY = 1024 ** 3

export const attack: Proof = {
  summary: 'a signed-in user, while strangers guess passwords and send the largest bodies',
  async run(args) {
    const { values } = parse(args)
    if (values.help) {
      process.stdout.write(help)
      return 0
    }
    if (values.as) return asStrangers(values.as, values.url!, Number(values.from))
    const patients = wholeNumber('patients', values.patients, 1)
    const times = wholeNumber('times', values.times, 1)
    const repeats = wholeNumber('repeats', values.repeats, 1)
    const bench = await openWorkbench({ patients, signal: untilStopped() })
    try {
      let isKept = true
      for (let round = 1; round <= repeats; round += 1)
        isKept = (await oneRound(bench, round, times)) && isKept
      return isKept ? 0 : 1
    } finally {
      await bench.close()
      rmSync(bench.dataDir, { recursive: true, force: true })
    }
  },
}

async function oneRound(bench: Workbench, round: number, times: number): Promise<boolean> {
  const list = { name: 'list', times, run: () => bench.provider.call('patients.list', {}) }
  const quiet = await timed(list, bench)
  const peak = watchPeak(bench.server.pid!)
  const strangers = [
    await inProcess('guessing', bench.url, round),
    await inProcess('sending', bench.url, round),
  ]
  const underAttack = await timed(list, bench)
  const health = await fetch(`${bench.url}/api/health/ready`)
  const [guesses, bodies] = await Promise.all(strangers.map((stranger) => stranger.stop()))
  const memory = peak?.() ?? null
  const isKept =
    underAttack.p50 <= SLOWER * quiet.p50 &&
    underAttack.p95 <= SLOWER * quiet.p95 &&
    (memory === null || memory <= MOST_MEMORY) &&
    health.ok
  process.stdout.write(
    `Round ${round}: list ${figures(quiet)} quiet, ${figures(underAttack)} under attack ` +
      `(goal ${SLOWER} times quiet); memory ${megabytes(memory)} more at most (goal 1024 MB); ` +
      `health ${health.status}; guesses by status ${guesses}, ` +
      `bodies ${bodies}${isKept ? '' : ' - NOT KEPT'}\n`,
  )
  return isKept
}

const kinds = {
  guessing: { connections: GUESSING, send: guess },
  sending: { connections: SENDING, send: sendLargest },
}

/** Attacks until its input ends, and then prints the counts of answers by status. */
async function asStrangers(kind: string, url: string, from: number): Promise<0> {
  const { connections, send } = kinds[kind as keyof typeof kinds]
  const stopped = new AbortController()
  process.stdin.once('end', () => stopped.abort()).resume()
  process.stdout.write('ready\n')
  const counts = await onConnections(connections, stopped.signal, (at) => send(url, from + at))
  process.stdout.write(JSON.stringify(counts))
  process.exit(0)
}

/** Strangers in a process of their own, which have begun when this resolves. */
async function inProcess(kind: keyof typeof kinds, url: string, round: number) {
  const args = ['attack', '--as', kind, '--url', url, '--from', String(round * 1e6)]
  const child: ChildProcess = spawn(process.execPath, [process.argv[1]!, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout!.on('data', (text) => (said += String(text)))
  await once(child.stdout!, 'data')
  return {
    async stop(): Promise<string> {
      child.stdin!.end()
      await once(child, 'close')
      return said.replace('ready\n', '')
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
    // of the strangers' own processes
    as: { type: 'string' },
    url: { type: 'string' },
    from: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  return parsed(() => parseArgs({ args, options }))
}

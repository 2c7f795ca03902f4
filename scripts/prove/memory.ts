import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder } from '../build-folder'
import { untilStopped } from '../import/kind'
import { BenchPhone } from '../bench/phone'
import { readMemoryUsage } from '../bench/processes'
import { openWorkbench, type Workbench } from '../bench/workbench'
import { wholeNumber } from '../command'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- memory [--patients 20000] [--limit-mb 1792] [--keep <directory>]

  --patients  invented patients of a new clinic (default: 20000)
  --limit-mb  what server, PostgreSQL, this proof and their page cache may use together (default: 1792, which leaves
              256 MB of 2 GB to the system). Linux's control groups keep it; root makes one. Without root: begin the
              command with systemd-run --user --scope -p MemoryMax=1792M -p MemorySwapMax=0
  --keep      a data directory to make, or to measure again as it was left
`

const MB = 1024 ** 2
const LISTS = 200
const PULLS_AT_ONCE = 2

export const memory: Proof = {
  summary: 'a machine of 2 GB serves lists, whole pulls, reports and backups',
  async run(args) {
    const values = parseProofOptions(args, help, {
      patients: { type: 'string', default: '20000' },
      'limit-mb': { type: 'string', default: '1792' },
      keep: { type: 'string' },
    })
    if (!values) return 0
    const patients = wholeNumber('patients', values.patients, 100)
    const limit = enterLimit(wholeNumber('limit-mb', values['limit-mb'], 256) * MB)
    if (!limit) {
      process.stderr.write(
        'No memory limit: run as root on Linux, or install systemd and see --help.\n',
      )
      return 3
    }
    try {
      return (await measured(patients, values.keep, limit)) ? 0 : 1
    } finally {
      limit.leave()
    }
  },
}

async function measured(patients: number, keep: string | undefined, limit: Limit) {
  const bench = await openWorkbench({ patients, keep, signal: untilStopped() })
  try {
    return await measure(bench, limit)
  } finally {
    await bench.close()
    if (!keep) rmSync(bench.dataDir, { recursive: true, force: true })
  }
}

type Limit = {
  bytes: number
  /** Processes that the kernel has ended for want of memory. */
  killed: () => number | null
  leave: () => void
}

/** Puts this process and all that it starts below the limit. Undefined without a way to do so. */
function enterLimit(bytes: number): Limit | undefined {
  // https://docs.kernel.org/admin-guide/cgroup-v1/memory.html and cgroup-v2.html
  for (const [root, file] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const) {
    if (!existsSync(join(root, 'cgroup.procs'))) continue
    const group = join(root, `sanad-memory-${process.pid}`)
    try {
      mkdirSync(group)
      writeFileSync(join(group, file), String(bytes))
      writeFileSync(join(group, 'cgroup.procs'), String(process.pid))
    } catch {
      continue
    }
    const events = join(group, file === 'memory.max' ? 'memory.events' : 'memory.oom_control')
    return {
      bytes,
      killed: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(events, 'utf8'))?.[1] ?? 0),
      leave() {
        writeFileSync(join(root, 'cgroup.procs'), String(process.pid))
        rmdirSync(group)
      },
    }
  }
  const given = process.constrainedMemory()
  return given > 0 && given <= bytes ? { bytes: given, killed: () => null, leave() {} } : undefined
}

/** Prints what was used. Returns whether no process was ended for want of memory. */
async function measure(bench: Workbench, { bytes, killed }: Limit): Promise<boolean> {
  const { admin } = bench
  const pid = bench.server.pid!
  const rows: string[] = []
  const during = async (name: string, work: () => Promise<string>) => {
    let [server, postgres] = [0, 0]
    const look = () => {
      const now = readMemoryUsage(pid)
      server = Math.max(server, now.server ?? 0)
      postgres = Math.max(postgres, now.postgres ?? 0)
    }
    const timer = setInterval(look, 250)
    const began = Date.now()
    const said = await work()
    clearInterval(timer)
    look()
    const took = `${((Date.now() - began) / 1000).toFixed(1)} s`
    rows.push(
      `| ${name} | ${said} | ${took} | ${Math.round(server / MB)} | ${Math.round(postgres / MB)} |`,
    )
    process.stderr.write(`${rows.at(-1)!}\n`)
  }

  await during('nothing', async () => '')
  await during('lists', async () => {
    for (let at = 0; at < LISTS; at += 4)
      await Promise.all([
        admin.call('patients.list', { page: 1 + at }),
        admin.call('appointments.list', {}),
        admin.call('prescriptions.list', {}),
        admin.call('patients.search', { searchQuery: bench.patientAt(at).surname }),
      ])
    return `${LISTS} requests, 4 at once`
  })
  await during('reports', async () => {
    const clinics = await admin.call<{ id: string }[]>('clinics.list', {})
    const clinic_ids = clinics.map(({ id }) => id)
    const codes = ['facility-activity', 'hypertension-diabetes', 'medicines']
    const period = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 7)
    for (const code of codes)
      await admin.call('reports.run', { code, clinic_ids, period, number: 0 })
    return `${codes.length} reports of all clinics`
  })
  await during('whole pulls', async () => {
    const { email, password } = bench.owner
    const sizes = await Promise.all(
      Array.from({ length: PULLS_AT_ONCE }, () =>
        new BenchPhone(bench.url, email, password).pull(),
      ),
    )
    return `${PULLS_AT_ONCE} at once, ${Math.round(sizes[0]! / MB)} MB each`
  })
  await during('backup', async () => {
    const file = join(bench.dataDir, 'memory.backup')
    const backup = spawn(process.execPath, [join(buildFolder(), 'commands', 'backup.js'), file], {
      env: { PATH: process.env.PATH, SANAD_DATA_DIR: bench.dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    backup.stdout.on('data', (text) => (said += String(text)))
    const [code] = (await once(backup, 'close')) as [number | null]
    rmSync(file, { force: true })
    if (code !== 0) throw new Error(`The backup ended with ${code}`)
    return / in ([\d.,]+ MB)/.exec(said)?.[1] ?? ''
  })
  const ended = killed()
  process.stdout.write(
    [
      `${bench.patients} patients, ${Math.round(bytes / MB)} MB for everything; megabytes are the most seen:`,
      '',
      '| during | what | time | server | PostgreSQL |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
      '',
      ended === null ? '' : `Processes ended for want of memory: ${ended}.`,
      '',
    ].join('\n'),
  )
  return !ended
}

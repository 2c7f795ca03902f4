import { rmSync } from 'node:fs'
import { command, wholeNumber } from './command'
import { machine, tableOf } from './bench/figures'
import { waitUntilIdle } from './bench/idle'
import { measures } from './bench/measures'
import { phoneFigures } from './bench/phones'
import { memoryOf } from './bench/processes'
import type { Figure } from './bench/percentiles'
import { timed } from './bench/timing'
import { openWorkbench } from './bench/workbench'
import { untilStopped } from './import/kind'

await command({
  name: 'npm run bench',
  summary:
    'Measures this version on this machine: the requests of screens and programs, to a temporary ' +
    'clinic with invented patients.',
  options: {
    patients: { type: 'string', default: '20000' },
    only: { type: 'string' },
    json: { type: 'boolean' },
    keep: { type: 'string' },
  },
  help: () => `  --patients   number of patients (default: 20000)
  --only       measures whose name contains this, or one of these: audit,push
  --json       figures for programs, on stdout
  --keep       a data directory to make, or to measure again as it was left

Milliseconds, each measure by itself, one request after the other. The same people and the same questions every time.
No measure begins before the background jobs are idle.`,
  async run({ patients: count, only = '', json, keep }) {
    const patients = wholeNumber('patients', count, 100)
    const isChosen = ({ name }: { name: string }) =>
      only.split(',').some((part) => name.includes(part))
    const signal = untilStopped()
    const bench = await openWorkbench({ patients, keep, signal })
    try {
      const figures: Figure[] = bench.starts
      process.stderr.write('background jobs…\n')
      const checkedFirst = await waitUntilIdle(bench.dataDir, signal)
      for (const measure of measures.filter(isChosen)) {
        signal.throwIfAborted()
        process.stderr.write(`${measure.name}…\n`)
        figures.push(await timed(measure, bench))
      }
      const phones = await phoneFigures(bench, isChosen, signal)
      const memory = memoryOf(bench.server.pid!)
      const result = {
        version: bench.version,
        machine: machine(),
        patients,
        checkedFirst,
        figures,
        phones,
        memory,
      }
      process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : tableOf(result))
    } finally {
      await bench.close()
      if (!keep) rmSync(bench.dataDir, { recursive: true, force: true })
    }
  },
})

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Refusal } from '~/db/refusal'
import { command, wholeNumber } from './command'
import { machine, pageWith, type Result, formatFiguresTable } from './bench/figures'
import type { Round } from './bench/goals'
import { waitUntilIdle } from './bench/idle'
import { measures } from './bench/measures'
import { mixFigures } from './bench/mix'
import { phoneFigures } from './bench/phones'
import { readMemoryUsage } from './bench/processes'
import { fixedWork } from './bench/speed'
import { type Case, timed } from './bench/timing'
import { newTries } from './bench/tries'
import { openWorkbench } from './bench/workbench'
import { untilStopped } from './import/kind'

const PAGE = 'docs/performance.md'

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
    rounds: { type: 'string', default: '1' },
    times: { type: 'string', default: '100' },
    mix: { type: 'string', default: '0' },
    markdown: { type: 'boolean' },
  },
  help: () => `  --patients   number of patients (default: 20000)
  --only       measures whose name contains this, or one of these: audit,push
  --json       figures for programs, on stdout
  --keep       a data directory to make, or to measure again as it was left
  --rounds     measures everything but the seventy users so many times (default: 1)
  --times      most times that each measure is taken (default: 100); with fewer, one stall changes a figure
  --mix        minutes of seventy users at once (default: 0)
  --markdown   writes the measurement into docs/performance.md

Milliseconds, each measure by itself, one request after the other. The same people and the same questions every time.
No measure begins before the background jobs are idle. A measure that fails is named at the end, with exit code 1, and
no page is written; the others are measured all the same.`,
  async run({ patients: count, only = '', json, keep, ...chosen }) {
    const patients = wholeNumber('patients', count, 100)
    const minutes = wholeNumber('mix', chosen.mix, 0)
    const rounds = wholeNumber('rounds', chosen.rounds, 1)
    const most = wholeNumber('times', chosen.times, 1)
    const before = machine()
    const isChosen = ({ name }: { name: string }) =>
      only.split(',').some((part) => name.includes(part))
    const signal = untilStopped()
    const tries = newTries(signal)
    const bench = await openWorkbench({ patients, keep, signal, most })
    try {
      process.stderr.write('background jobs…\n')
      const checkedFirst = await waitUntilIdle(bench.dataDir, signal)
      const round = async (): Promise<Round> => {
        const figures: Case[] = []
        const speed: number[] = []
        for (const measure of measures.filter(isChosen)) {
          speed.push(fixedWork())
          figures.push(...(await tries.of(measure.name, () => timed(measure, bench))))
        }
        return { speed, figures, phones: await phoneFigures(bench, isChosen, tries, signal) }
      }
      const first = await round()
      const again: Round[] = []
      while (again.length < rounds - 1) {
        process.stderr.write(`round ${again.length + 2} of ${rounds}…\n`)
        again.push(await round())
      }
      const mix = minutes > 0 ? await mixFigures(bench, minutes, signal) : []
      const memory = readMemoryUsage(bench.server.pid!)
      const result: Result = {
        version: bench.version,
        machine: before,
        patients,
        only,
        minutes,
        checkedFirst,
        ...first,
        figures: [...bench.starts, ...first.figures],
        again,
        mix,
        memory,
      }
      process.stdout.write(
        json ? `${JSON.stringify(result, null, 2)}\n` : formatFiguresTable(result),
      )
      if (tries.failed.length > 0)
        throw new Refusal(`These measures failed:\n${tries.failed.join('\n')}`)
      // last: a page without its marks is refused
      if (chosen.markdown) writeFileSync(PAGE, pageWith(result, readFileSync(PAGE, 'utf8')))
    } finally {
      await bench.close()
      if (!keep) rmSync(bench.dataDir, { recursive: true, force: true })
    }
  },
})

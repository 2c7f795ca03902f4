import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { IMPORT_BATCH as IMPORT_BATCH } from '~/features/exchange/imports/batches.server'
import { UNDO_BATCH as UNDO_BATCH } from '~/features/exchange/imports/undo/undo.server'
import { connectToDataDir } from '../bench/database'
import { openWorkbench } from '../bench/workbench'
import { wholeNumber, WrongUsage } from '../command'
import { untilStopped } from '../import/kind'
import { type Random, seededRandom } from '../seed/random'
import {
  type Contents,
  readDatabaseContents,
  contentDifferences,
  importedRecords,
  visibleRecords,
  waitUntilSettled,
} from './import-contents'
import { type KnownPatient, medicinesList, peopleList, type WrittenList } from './import-lists'
import { type ProofClinic, Importing, KINDS_OF_KILL } from './importing'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- imports [--rows 20000] [--kills 10] [--seed 1] [--list patients]

  --rows   people of the list; the list of medicines has half as many (default: 20000)
  --kills  how often each import and each undo is killed, once for 1,000 rows at most (default: 10)
  --seed   determines the moments (default: 1)
  --list   patients or medicines alone

Imports a list of people and one of medicines by the operations of the screen, once with 5,000 rows at most, once in
peace and once under kill -9 of the server, of PostgreSQL and of both. At the end the tables must hold the same, and
after the undo what they held before.
`

const MB = 1024 ** 2
/** Rows after which memory must be flat: until then V8 lets garbage come together, to some 500 MB of the process. */
const FEW = 5_000
/** Of the server's process beyond the most for those; V8 gives back little of what it once took. */
const MORE_MB = 64
/** Of the server beyond what it holds after those, once garbage is collected. */
const MORE_HELD_MB = 8
const SEEDED = 100
const NAMES = ['patients', 'medicines']

export const imports: Proof = {
  summary: 'lists of 20,000 people and 10,000 medicines: memory, ten kills, and the undo',
  async run(args) {
    const values = parseProofOptions(args, help, {
      rows: { type: 'string', default: '20000' },
      kills: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      list: { type: 'string' },
    })
    if (!values) return 0
    const rows = wholeNumber('rows', values.rows, 1_000)
    const kills = wholeNumber('kills', values.kills, 1)
    const seed = wholeNumber('seed', values.seed, 1)
    if (values.list && !NAMES.includes(values.list))
      throw new WrongUsage(`--list is ${NAMES.join(' or ')}.`)
    // an import that is interrupted three times without getting further ends as failed
    const shortest = values.list === 'patients' ? rows : rows / 2
    if (kills > shortest / IMPORT_BATCH)
      throw new WrongUsage(`--kills is at most one for each ${IMPORT_BATCH} rows of a list.`)
    const folder = mkdtempSync(join(tmpdir(), 'sanad-imports-'))
    try {
      const clinic = await madeClinic(join(folder, 'before'))
      let holds = true
      for (const [name, make] of Object.entries(clinic.lists)) {
        if (values.list && values.list !== name) continue
        const length = name === 'medicines' ? rows / 2 : rows
        const proven = new ProvenList(
          clinic,
          folder,
          seededRandom('prove imports', seed, name),
          kills,
        )
        const [few, many] = [Math.min(FEW, length / 2), length].map(Math.round)
        holds = (await proven.run(make(few!), make(many!))) && holds
      }
      return holds ? 0 : 1
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** A clinic with patients and medicines of its own, as a directory that is copied for each run. */
async function madeClinic(dataDir: string) {
  const signal = untilStopped()
  const bench = await openWorkbench({ patients: SEEDED, keep: dataDir, signal })
  try {
    const db = connectToDataDir(dataDir)
    await waitUntilSettled(db, new Date(0))
    const { rows: known } = await sql<KnownPatient>`
      select external_patient_id, given_name, surname, date_of_birth, sex from patients
      where primary_clinic_id = ${bench.clinicId} and not is_deleted and external_patient_id <> ''
        and date_of_birth is not null and sex is not null and given_name <> '' and surname <> ''
        and metadata ->> 'date_of_birth_precision' is null
      order by id limit ${SEEDED / 2}`.execute(db)
    const contents = await readDatabaseContents(db)
    await db.destroy()
    return {
      dataDir,
      owner: bench.owner,
      clinicId: bench.clinicId,
      contents,
      lists: { patients: (rows: number) => peopleList(rows, known), medicines: medicinesList },
    }
  } finally {
    await bench.close()
  }
}

type Made = ProofClinic & { contents: Contents; lists: object }

class ProvenList {
  constructor(
    readonly clinic: Made,
    readonly folder: string,
    readonly random: Random,
    readonly kills: number,
  ) {}

  async run(few: WrittenList, many: WrittenList): Promise<boolean> {
    say(`${many.name}: ${many.rows} rows, ${Math.round(many.content.length / 1024)} kB`)
    const small = await this.inPeace(few)
    const large = await this.inPeace(many)
    say(
      '| during | rows | s | server, MB at most | of it held afterwards | PostgreSQL, MB at most |',
    )
    say('| --- | ---: | ---: | ---: | ---: | ---: |')
    for (const [at, { during, took, server, held, postgres }] of [
      ...small.used,
      ...large.used,
    ].entries())
      say(
        `| ${during} | ${at < small.used.length ? few.rows : many.rows} | ${(took / 1000).toFixed(1)} | ` +
          `${Math.round(server / MB)} | ${Math.round(held / MB)} | ${Math.round(postgres / MB)} |`,
      )
    const isJudged = few.rows >= FEW
    if (!isJudged) say(`Memory is judged from ${FEW} rows on.`)
    const isFlat =
      !isJudged ||
      small.used.every(
        ({ server, held }, at) =>
          large.used[at]!.server - server <= MORE_MB * MB &&
          large.used[at]!.held - held <= MORE_HELD_MB * MB,
      )
    if (!isFlat)
      say(`More than ${MORE_MB} MB, or ${MORE_HELD_MB} MB of it held, beyond ${few.rows} rows.`)
    const killed = await this.killed(many, large)
    return isFlat && small.isUndone && large.isUndone && killed
  }

  /** Without a kill: what was used, what the tables hold, and whether the undo takes everything back. */
  private async inPeace(list: WrittenList) {
    return this.with(async (sanad) => {
      await sanad.upload(list)
      const check = await sanad.measured('check', () => sanad.finish('check'))
      const run = await sanad.measured('import', () => sanad.finish('import'))
      const tally = await sanad.tally()
      const contents = await sanad.contents()
      const undo = await sanad.measured('undo', () => sanad.finish('undo'))
      const isUndone = this.compare(
        `${list.rows} rows, undone`,
        visibleRecords(this.clinic.contents),
        visibleRecords(await sanad.contents()),
      )
      return { used: [check, run, undo], tally, contents, isUndone }
    })
  }

  private async killed(
    list: WrittenList,
    peace: { used: { during: string; took: number }[]; tally: object; contents: Contents },
  ): Promise<boolean> {
    /** Milliseconds of a batch. */
    const batchMilliseconds = (task: string, size: number) =>
      (peace.used.find(({ during }) => during === task)!.took * size) / list.rows
    return this.with(async (sanad) => {
      await sanad.upload(list)
      await this.kill(sanad, 'import', batchMilliseconds('import', IMPORT_BATCH))
      const tally = await sanad.tally()
      const counts = this.compareTally(peace.tally, tally)
      const isEqual = this.compare(
        'killed import',
        importedRecords(peace.contents),
        importedRecords(await sanad.contents()),
      )
      const worked = await sanad.workOn(list.name)
      await this.kill(sanad, 'undo', batchMilliseconds('undo', UNDO_BATCH))
      const { left } = (await sanad.tally()) as { left: { key: string; count: number }[] }
      say(`left by the undo: ${left.map(({ key, count }) => `${count} ${key}`).join(', ')}`)
      const named = left.reduce((sum, { count }) => sum + count, 0) === 1
      const isUndone = this.compare(
        'killed undo',
        visibleRecords(this.clinic.contents),
        visibleRecords(await sanad.contents(worked)),
      )
      return counts && isEqual && isUndone && named
    })
  }

  /** Asks for the task and kills, every other time while the next batch is written, else soon after the start. */
  private async kill(sanad: Importing, task: 'import' | 'undo', batch: number) {
    const done: number[] = []
    await sanad.ask(task)
    for (let at = 0; at < this.kills; at += 1) {
      if (at % 2 === 0) await sanad.untilDone(at / this.kills)
      await sleep(this.random.between(0, at % 2 === 0 ? batch : 3 * batch))
      const now = await sanad.done()
      if (now.isOver) break
      done.push(now.rows)
      await sanad.kill(KINDS_OF_KILL[at % KINDS_OF_KILL.length]!)
    }
    await sanad.untilOver()
    say(`${task} killed ${done.length} times, with ${done.join(', ')} rows done`)
    if (done.length < this.kills) throw new Error(`The ${task} was over before ${this.kills} kills`)
  }

  private compare(what: string, wanted: Contents, found: Contents): boolean {
    const wrong = contentDifferences(wanted, found)
    const rows = [...wanted.values()].reduce((sum, lines) => sum + lines.length, 0)
    say(`${what}: ${rows} rows of ${wanted.size} tables compared, ${wrong.length} differ`)
    const tables = Map.groupBy(wrong, (line) => line.split(' ', 2).join(' '))
    for (const [table, lines] of tables)
      say(`  ${lines.length} × ${table}, for example ${lines[0]!.slice(0, 400)}`)
    return wrong.length === 0
  }

  private compareTally(wanted: object, found: object): boolean {
    const [a, b] = [JSON.stringify(wanted), JSON.stringify(found)]
    say(a === b ? `result: ${a.slice(0, 200)}` : `the results differ:\n  ${a}\n  ${b}`)
    return a === b
  }

  private async with<R>(work: (sanad: Importing) => Promise<R>): Promise<R> {
    const dataDir = join(this.folder, 'run')
    // PostgreSQL's own user keeps its folder
    spawnSync('cp', ['-a', this.clinic.dataDir, dataDir], { stdio: 'inherit' })
    const sanad = await Importing.open({ ...this.clinic, dataDir })
    try {
      return await work(sanad)
    } finally {
      await sanad.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

const say = (text: string) => process.stdout.write(`${text}\n`)

import { spawnSync } from 'node:child_process'

/** Sweeps have 2, 3, 4 or 6 parts: files take turns after all of these, so that each file meets each part. */
const PARTS_OF_SWEEPS = 12

/**
 * Files of long scenarios, in groups of about one length: a run of everything takes one group of each project, and
 * beside it all files that are not named here, those of rights and attacks among them. A run with filters leaves
 * nothing out.
 */
const FILES: Record<string, readonly (readonly string[])[]> = {
  e2e: [
    ['routes', 'follow-up'],
    ['patient-page', 'processes'],
    ['clinic-day', 'messages'],
    ['round-trip', 'registration'],
    ['paper', 'prescriptions'],
    ['devices', 'stock'],
    ['event-forms', 'slow', 'form-builder'],
    ['first-day.en', 'first-day.ar', 'reports'],
  ],
  commands: [
    ['import'],
    ['start', 'fhir-export'],
    ['external', 'smart'],
    ['backup', 'hikma'],
    ['bench', 'killed-restore'],
    ['build', 'backup-commands'],
    ['restore-drill', 'killed', 'scale'],
    ['full-disk', 'hub', 'growth'],
  ],
  sync: [
    ['restores'],
    ['form-answers', 'authors'],
    ['bodies', 'limits'],
    ['week', 'one-phone'],
    ['simulated', 'app-writes'],
    ['random', 'hub', 'phone-numbers'],
    ['two-steps', 'online', 'sign-in', 'online-sessions'],
    ['former-server', 'reports', 'deep', 'cursor', 'app-passwords', 'dispensing', 'hidden-fields'],
  ],
}

/** Globs of the files of a project that the present turn leaves to others. */
export function filesOfOtherTurns(project: string, number = turn()): string[] {
  const groups = FILES[project] ?? []
  const present = groups.length ? turnOf(groups.length, PARTS_OF_SWEEPS, number) : 0
  return [...new Set(groups.flat())]
    .filter((name) => !groups[present]!.includes(name))
    .map((name) => `test/${project}/${name}.test.ts`)
}

/**
 * Long sweeps take turns: each commit tries one of `parts` parts, chosen by its id, so that two runs on the same commit
 * try the same; `npm run prove` tries all of them (docs/proof.md, "Files and sweeps that take turns"). SANAD_TURN names
 * a part to be tried again. `after`: goes on to the next part only once so many numbers have had theirs.
 */
export const turnOf = (parts: number, after = 1, number = turn()): number =>
  Math.floor(number / after) % parts

let found: number | undefined
const turn = () => (found ??= named(process.env['SANAD_TURN']) ?? ofCommit())

function named(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  // any other text would try nothing
  if (!/^\d{1,9}$/.test(text)) throw new Error(`SANAD_TURN is a whole number, not "${text}".`)
  return Number(text)
}

/** Without git, as in a downloaded archive, the first. */
function ofCommit(): number {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  if (status === 0) return parseInt(stdout.slice(0, 8), 16)
  process.stderr.write('Git names no commit here: each sweep tries its first part.\n')
  return 0
}

/** Those of a list whose turn it is: each `parts`th. A list that is shorter than its parts would try nothing. */
export function inTurn<T>(all: readonly T[], parts: number): T[] {
  const taken = all.filter((_, at) => at % parts === turnOf(parts))
  if (taken.length === 0)
    throw new Error(`Of ${all.length} none is in part ${turnOf(parts)} of ${parts}.`)
  return taken
}

import { spawnSync } from 'node:child_process'

/**
 * Long sweeps take turns: each commit tries one of `parts` parts, chosen by its id, so that two runs on the same commit
 * try the same; `npm run prove` tries all of them (docs/proof.md, "Sweeps that take turns"). SANAD_TURN names a part
 * to be tried again.
 */
export const turnOf = (parts: number): number => turn() % parts

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

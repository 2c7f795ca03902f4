import { spawnSync } from 'node:child_process'

export type Proof = {
  summary: string
  /** Gets what follows the name; answers the exit code. */
  run: (args: string[]) => Promise<0 | 1 | 3>
}

/** Whether a program from outside is there; if not, the package that brings it is named, and the proof ends with 3. */
export function hasProgram(program: string, debianPackage: string): boolean {
  if (!spawnSync(program, ['--version'], { stdio: 'ignore' }).error) return true
  process.stderr.write(`This proof needs ${program}: install the package ${debianPackage}.\n`)
  return false
}

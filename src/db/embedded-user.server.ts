import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refusal } from './refusal'

/** How to start one of PostgreSQL's programs as a user that PostgreSQL accepts. */
export type Launcher = {
  command: (program: string, args: string[]) => [program: string, args: string[]]
  /** For spawn, where the user is changed without a tool. */
  identity: { uid?: number; gid?: number }
  /** Who must own the cluster's directory. */
  owner?: { uid: number; gid: number }
}

export type User = { name: string; uid: number; gid: number }

/**
 * PostgreSQL refuses to run as root. As an ordinary user it runs as that user; as root it runs as `owner` (of a cluster
 * that exists) or as the system user `sanad`, made if possible, else `nobody`. Where that user may not reach `paths`
 * (a checkout under /root, say), it keeps the single capability to pass through directories.
 *
 * Where Linux's setpriv is present, PostgreSQL also gets a fast shutdown from the kernel when the
 * thread that started it ends, so that it does not outlive a killed server.
 */
export function launcherFor(paths: string[], owner?: { uid: number; gid: number }): Launcher {
  const direct = {
    command: (program: string, args: string[]) => [program, args] as [string, string[]],
    identity: {},
  }
  if (process.getuid?.() !== 0) return viaSetpriv([]) ?? direct

  const user = userBelowRoot(owner)
  const identity = { uid: user.uid, gid: user.gid }
  const demotion = demotionTo(user, paths)
  const launcher = demotion && viaSetpriv(demotion)
  if (launcher) return { ...launcher, owner: identity }
  const closed = paths.find((path) => isClosedTo(user, path))
  if (!closed) return { ...direct, identity, owner: identity }
  throw new Refusal(
    `PostgreSQL refuses to run as root, and the user ${user.name} that it would run as may not enter ${closed}: ` +
      'run Sanad as an ordinary user, or from a directory that everyone may enter.',
  )
}

/** The user as which programs run that root starts: `owner` unless that is root, else `sanad`, else `nobody`. */
export function userBelowRoot(owner?: { uid: number; gid: number }): User {
  return owner?.uid ? { ...owner, name: `number ${owner.uid}` } : unprivilegedUser()
}

/**
 * Arguments of setpriv with which root starts a program as `user`, with no capability but `needed`, and
 * the one to read everything if one of `paths` is closed to the user. Undefined if setpriv is missing or
 * this process lacks one of them.
 */
export function demotionTo(user: User, paths: string[], needed: string[] = []) {
  const become = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--no-new-privs']
  const isClosed = paths.some((path) => isClosedTo(user, path))
  // Containers often lack the first capability and have the second.
  const choices = isClosed ? [['dac_read_search'], ['dac_override']] : [[]]
  for (const choice of choices) {
    const kept = [...needed, ...choice].map((name) => `,+${name}`).join('')
    const sets = ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all${kept}`)
    // no_setuid_fixup: PostgreSQL looks at its own files with access(2), which otherwise ignores capabilities.
    const options = kept ? [...become, ...sets, '--securebits=+no_setuid_fixup'] : become
    if (viaSetpriv(options)) return options
  }
  return undefined
}

function viaSetpriv(options: string[]): Launcher | undefined {
  if (process.platform !== 'linux') return undefined
  const all = ['--pdeathsig', 'INT', ...options]
  if (spawnSync('setpriv', [...all, 'true'], { cwd: '/', stdio: 'ignore' }).status !== 0)
    return undefined
  return { command: (program, args) => ['setpriv', [...all, '--', program, ...args]], identity: {} }
}

/** Whether the user may not enter a directory on the way to `path`, or may not enter or read `path` itself. */
export function isClosedTo(user: User, path: string): boolean {
  const above = dirname(path)
  if (above !== path && isClosedTo(user, above)) return true
  const entry = statSync(path)
  const bit = entry.isDirectory() ? 1 : 4
  const shiftOfOthers = entry.gid === user.gid ? 3 : 0
  const shift = entry.uid === user.uid ? 6 : shiftOfOthers
  return !(entry.mode & (bit << shift))
}

function unprivilegedUser(): User {
  const existing = findUser('sanad')
  if (existing) return existing
  for (const [tool, args] of creators) {
    spawnSync(tool, args, { stdio: 'ignore' })
    const made = findUser('sanad')
    if (made) return made
  }
  const nobody = findUser('nobody')
  if (nobody) return nobody
  throw new Refusal(
    'PostgreSQL refuses to run as root, and no other user could be made: run Sanad as an ordinary user.',
  )
}

const creators: [string, string[]][] = [
  [
    'useradd',
    [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
      'sanad',
    ],
  ],
  ['adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', 'sanad']],
]

function findUser(name: string): User | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
    return { name, uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}

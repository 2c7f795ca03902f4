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

type User = { name: string; uid: number; gid: number }

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

  const user = owner?.uid ? { ...owner, name: `number ${owner.uid}` } : unprivilegedUser()
  const identity = { uid: user.uid, gid: user.gid }
  const become = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--no-new-privs']
  const closed = paths.map((path) => closedTo(user, path)).find(Boolean)
  if (!closed) {
    const launcher = viaSetpriv(become)
    return launcher ? { ...launcher, owner: identity } : { ...direct, identity, owner: identity }
  }
  // no_setuid_fixup: PostgreSQL looks at its own files with access(2), which otherwise ignores capabilities.
  // Containers often lack the first capability and have the second.
  for (const capability of ['dac_read_search', 'dac_override']) {
    const sets = ['inh-caps', 'ambient-caps', 'bounding-set'].map(
      (set) => `--${set}=-all,+${capability}`,
    )
    const launcher = viaSetpriv([...become, ...sets, '--securebits=+no_setuid_fixup'])
    if (launcher) return { ...launcher, owner: identity }
  }
  throw new Refusal(
    `PostgreSQL refuses to run as root, and the user ${user.name} that it would run as may not enter ${closed}: ` +
      'run Sanad as an ordinary user, or from a directory that everyone may enter.',
  )
}

function viaSetpriv(options: string[]): Launcher | undefined {
  if (process.platform !== 'linux') return undefined
  const all = ['--pdeathsig', 'INT', ...options]
  if (spawnSync('setpriv', [...all, 'true'], { cwd: '/', stdio: 'ignore' }).status !== 0)
    return undefined
  return { command: (program, args) => ['setpriv', [...all, '--', program, ...args]], identity: {} }
}

/** The first directory on the way to `path` (itself included) that the user may not enter. */
function closedTo(user: User, path: string): string | undefined {
  const above = dirname(path)
  const closed = above === path ? undefined : closedTo(user, above)
  if (closed) return closed
  const { mode, uid, gid } = statSync(path)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  return mode & bit ? undefined : path
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

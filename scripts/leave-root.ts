import { existsSync, lchownSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findBinaries } from '~/db/embedded-binaries.server'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { demotionTo, isClosedTo, type User, userBelowRoot } from '~/db/embedded-user.server'
import { Refusal } from '~/db/refusal'
import { backupSettings } from '~/server/backup-settings'
import { env } from '~/server/env'
import { buildFolder } from './build-folder'

/** Folders that Sanad makes in its data directory, except PostgreSQL's own. Others there may belong to anyone. */
const FOLDERS = ['run', 'files', 'spool', 'certificate', 'backups']

/**
 * Started as root, the server continues as the user that PostgreSQL runs as: the process
 * replaces itself, keeps its process id, and gives the data directory to that user. If that is
 * impossible, it stays root and prints the reason.
 */
export function leaveRoot(): void {
  if (process.getuid?.() !== 0 || process.env['SANAD_STAY_ROOT'] === 'yes') return
  if (process.argv.includes('--help') || process.argv.includes('-h')) return
  let reason = 'the program setpriv or a capability that it needs is missing'
  try {
    const { user, paths } = prepare(process.argv.includes('--demo'))
    const demotion = demotionTo(user, paths, needed())
    if (demotion) become(demotion)
    else if (!needed().length && !paths.some((path) => isClosedTo(user, path))) {
      process.setgroups?.([])
      process.setgid?.(user.gid)
      process.setuid?.(user.uid)
      return
    }
  } catch (error) {
    if (error instanceof Refusal) return // the start refuses for the same reason
    reason = (error as Error).message
  }
  process.stderr.write(`Sanad keeps running as root (${reason}).\n`)
}

/** Makes the user the owner of what the server writes. Also returns the paths that the server reads. */
function prepare(isDemo: boolean) {
  const { dataDir, databaseUrl, tls } = env()
  const build = buildFolder()
  const paths = [process.execPath, join(build, 'server'), join(build, 'client')]
  if (isDemo || !databaseUrl) paths.push(findBinaries().directory)
  if (tls) paths.push(resolve(tls.cert), resolve(tls.key))
  if (isDemo) return { user: userBelowRoot(), paths }

  const { path, cluster } = openDataDirectory(dataDir)
  const user = userBelowRoot(statSync(existsSync(cluster) ? cluster : path))
  const { folder } = backupSettings()
  if (existsSync(folder)) giveFolder(folder, user, (name) => name.endsWith('.backup'))
  for (const name of FOLDERS) if (existsSync(join(path, name))) giveAll(join(path, name), user)
  giveFolder(path, user)
  paths.push(path)
  return { user, paths }
}

/** Ports below 1024 need a capability, unless the kernel is configured otherwise. */
function needed(): string[] {
  const { port, hubPort, metricsPort = 0 } = env()
  return [port, hubPort, metricsPort].some((one) => one > 0 && one < 1024)
    ? ['net_bind_service']
    : []
}

function become(demotion: string[]) {
  const { SANAD_LIFELINE_FD: lifeline, ...rest } = process.env
  // The pipe to the parent does not survive: the kernel signals this process instead when the parent has ended.
  const signal = lifeline ? ['--pdeathsig', 'TERM'] : []
  const [, script = '', ...args] = process.argv
  const self = [process.execPath, ...process.execArgv, realpathSync(script), ...args]
  process.execve?.('/usr/bin/env', ['env', 'setpriv', ...signal, ...demotion, '--', ...self], rest)
}

/** Makes the user the owner of the folder and of Sanad's files in it. */
function giveFolder(path: string, user: User, isOurs = (_: string) => true) {
  const folder = realpathSync(path)
  give(folder, user)
  for (const name of readdirSync(folder).filter(isOurs))
    unlessRemoved(() => {
      if (lstatSync(join(folder, name)).isFile()) give(join(folder, name), user)
    })
}

/** Another Sanad process can remove a file after it was listed: a temporary file of the code cache, an old backup. */
function unlessRemoved(work: () => void) {
  try {
    work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

const giveAll = (path: string, user: User) => unlessRemoved(() => giveEntry(path, user))

function giveEntry(path: string, user: User) {
  const entry = lstatSync(path)
  // a link that root made leads to another disk; one that the user made may lead anywhere
  if (entry.isSymbolicLink() && entry.uid === 0 && existsSync(path))
    giveAll(realpathSync(path), user)
  else if (entry.isDirectory())
    for (const name of readdirSync(path)) giveAll(join(path, name), user)
  give(path, user)
}

/** Skips hard links: another name of the file may be in any directory. */
function give(path: string, { uid, gid }: User) {
  const entry = lstatSync(path)
  if (entry.uid === uid || entry.isSymbolicLink() || (entry.isFile() && entry.nlink > 1)) return
  lchownSync(path, uid, gid)
}

import { createInterface } from 'node:readline/promises'
import { connect, openConnection } from '~/db/connect'
import {
  alreadyRunning,
  openDataDirectory,
  waitForDataDirectory,
} from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { checkExternalDatabase } from '~/db/external.server'
import { Refusal } from '~/db/refusal'
import { backupSettings } from '~/server/backup-settings'
import { check } from '~/server/backup.server'
import { env } from '~/server/env'
import { adoptInstanceKey } from '~/server/instance-key.server'
import { analyze, restoreBackup, WITHOUT_LOG } from '~/server/restore.server'
import { codeAfterRestore, isRestored } from '~/server/startup.server'
import { storage } from '~/server/storage.server'
import { keepRowCaches } from '~/sync/pull/row-cache.server'
import { givenPassphrase, passphraseHelp, passphraseOptions, showPhase } from './backup/terminal'
import { command, WrongUsage } from './command'
import { externalUrls } from './database'
import { resolveFromUser } from './import/kind'

await command({
  name: 'npm run restore',
  usage: '-- <file>',
  summary: 'Restores a backup: records, photos and history. Stop Sanad first.',
  options: {
    ...passphraseOptions,
    trust: { type: 'string' },
    replace: { type: 'boolean' },
    check: { type: 'boolean' },
  },
  help: () => `${passphraseHelp}
  --trust             accepts a backup that is signed with the key of this fingerprint
  --replace           deletes the current records
  --check             only reads the whole backup and says whether it can be restored

A backup of an older version is upgraded. All users must sign in again afterwards; if the backup is not
encrypted, it holds no passwords: a one-time code sets that of a super administrator.`,
  async run(options, [source, ...more]) {
    if (!source || more.length)
      throw new WrongUsage('Name the file, for example npm run restore -- /media/usb/monday.backup')
    const file = resolveFromUser(source)
    const passphrase = (await givenPassphrase(options, 'once')) ?? backupSettings().passphrase
    const phases = showPhase()
    try {
      if (options.check) {
        const { rows, files, fingerprint } = await check(file, passphrase, undefined, phases.show)
        process.stdout.write(
          `Verified: ${rows.toLocaleString('en')} rows and ${files.toLocaleString('en')} files` +
            `${fingerprint ? `, made by the key ${fingerprint}` : ''}.\n`,
        )
        return
      }
      const replace = options.replace || (await confirmReplacing())
      await withStoppedSanad(async (url) => {
        const restored = await restoreBackup(url, storage(), file, {
          passphrase,
          trust: options.trust,
          replace,
          onProgress: phases.show,
        })
        await adoptInstanceKey(url)
        // otherwise the next start would spend the time
        await Promise.all([analyze(url), keepRowCaches(url, { isOffline: true })])
        process.stdout.write(
          `Restored: ${restored.rows.toLocaleString('en')} rows and ` +
            `${restored.files.toLocaleString('en')} files as of ${restored.madeAt}.\n` +
            (restored.migrations.length
              ? `Upgraded to this version: ${restored.migrations.join(', ')}.\n`
              : '') +
            'All users must sign in again.\n' +
            (await firstPassword(url)),
        )
      })
    } finally {
      phases.end()
    }
  },
})

/** How the first user signs in if the backup holds no passwords. */
async function firstPassword(url: string): Promise<string> {
  const db = connect(url, { max: 1 })
  try {
    if (!(await isRestored(db))) return ''
    return [
      ...(await codeAfterRestore(db)),
      'That user sets new passwords for all others. Phones keep what they have not sent, and need new app passwords.',
      '',
    ].join('\n')
  } finally {
    await db.destroy()
  }
}

/** False without a terminal: then --replace is required. */
async function confirmReplacing(): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(
    'All current records will be replaced. Type "replace" to confirm: ',
  )
  terminal.close()
  return answer.trim() === 'replace'
}

/** `work` gets the owner of the database: a restore makes tables. */
async function withStoppedSanad(work: (ownerUrl: string) => Promise<void>): Promise<void> {
  const { dataDir } = env()
  const external = externalUrls()
  if (external) {
    await checkExternalDatabase(external)
    await refuseOthers(external.ownerUrl)
    return work(external.ownerUrl)
  }
  const directory = openDataDirectory(dataDir)
  const lock = await waitForDataDirectory(directory, { pid: process.pid, is: 'command' })
  if (!lock) throw alreadyRunning(directory)
  const postgres = await startEmbedded(directory, { settings: WITHOUT_LOG })
  try {
    await work(postgres.ownerUrl)
  } finally {
    await postgres.stop()
    lock.release()
  }
}

/** A running server would keep serving what it has read, and hold locks. */
async function refuseOthers(url: string) {
  const client = await openConnection(url)
  try {
    const { rowCount } = await client.query(
      `select from pg_stat_activity
       where datname = current_database()
         and pid <> pg_backend_pid()
         and application_name like 'sanad%'`,
    )
    if (rowCount) throw new Refusal('Sanad is running on this database. Stop it first.')
  } finally {
    await client.end()
  }
}

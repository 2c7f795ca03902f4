import { backupSettings } from '~/server/backup-settings'
import { ownFingerprint } from '~/server/instance-key.server'
import { verifyBackup } from '~/server/verify-backup.server'
import type { AdminTask } from './admin-task'
import { say } from './admin-context'
import { givenPassphrase, showPhase } from './backup/terminal'
import { resolveFromUser } from './import/kind'

export const backupTasks: Record<string, AdminTask> = {
  'verify-backup': {
    summary: 'restore a backup into a scratch database and compare it, table by table',
    positional: 'file',
    flags: {
      encrypt: { type: 'boolean', help: 'asks for the passphrase' },
      'passphrase-file': { type: 'string', help: 'takes it from the first line of a file' },
      trust: { type: 'string', help: 'accepts the key of this fingerprint' },
    },
    async run(_db, values, url) {
      const file = resolveFromUser(String(values['file']))
      const { encrypt, 'passphrase-file': passphraseFile, trust } = values
      const given = await givenPassphrase(
        { encrypt: Boolean(encrypt), 'passphrase-file': passphraseFile?.toString() },
        'once',
      )
      const phases = showPhase()
      try {
        const { tables, rows, files, madeAt } = await verifyBackup(url, file, {
          passphrase: given ?? backupSettings().passphrase,
          trust: trust?.toString(),
          onProgress: phases.show,
        })
        say(
          `Verified: ${tables} tables with ${rows.toLocaleString('en')} rows and ` +
            `${files.toLocaleString('en')} files as of ${madeAt}, restored and compared.`,
        )
      } finally {
        phases.end()
      }
    },
  },
  'replace-instance-key': {
    summary: 'after the loss of the instance key: accept the key of this machine',
    flags: {},
    replacesKey: true,
    async run() {
      say(`The records now belong to the key ${ownFingerprint()}.
Users with two-step verification set it up again. Phones and programs sign in again.`)
    },
  },
}

import { join } from 'node:path'
import { perProcess } from '~/db/per-process'
import { Refusal } from '~/db/refusal'
import { env } from './env'

type Source = Record<string, string | undefined>

/** Where backups go. Read from the environment once. */
export const backupSettings = () =>
  perProcess('backup settings', () => readBackupSettings(process.env))

/** Throws a Refusal that names the first setting that makes no sense. */
function readBackupSettings(source: Source, dataDir = env().dataDir) {
  const kept = Number(source['SANAD_BACKUPS_KEPT']?.trim() || 14)
  if (!Number.isInteger(kept) || kept < 1)
    throw new Refusal('SANAD_BACKUPS_KEPT is how many backups are kept: 1 or more.')
  return {
    folder: source['SANAD_BACKUP_DIR']?.trim() || join(dataDir, 'backups'),
    /** The daily ones and those requested on the screen; older ones are removed. */
    kept,
    /** Encrypts every backup. */
    passphrase: source['SANAD_BACKUP_PASSPHRASE'] || undefined,
  }
}

const LENGTH = 12
const DIFFERENT = 5

/**
 * The passphrase of new backups. A thief of the file can guess without end. Earlier backups open with whatever
 * passphrase they have. `where` begins the Refusal.
 */
export function strongPassphrase(passphrase: string, where: string): string {
  if (passphrase.length < LENGTH || new Set(passphrase).size < DIFFERENT)
    throw new Refusal(
      `${where} is too weak as a passphrase of backups: use at least ${LENGTH} characters, for example ` +
        'four or five unrelated words. Backups that exist still open with their passphrase.',
    )
  return passphrase
}

/** For the start of a server and the backup command. */
export function refuseWeakPassphrase() {
  const { passphrase } = backupSettings()
  if (passphrase) strongPassphrase(passphrase, 'SANAD_BACKUP_PASSPHRASE')
}

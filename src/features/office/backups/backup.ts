import * as z from 'zod'
import { ConfirmWithCode } from '~/features/office/sessions/session'
import { ListInput } from '~/shared/record'
import { wallTime } from '~/shared/zone'

const BACKUP_KINDS = ['daily', 'asked', 'command', 'upgrade'] as const
type BackupKind = (typeof BACKUP_KINDS)[number]
/** Those of which the newest are kept and copied; those of before an upgrade are kept apart. */
export const REGULAR_KINDS = ['daily', 'asked'] as const satisfies BackupKind[]
const BACKUP_STATUSES = ['waiting', 'running', 'finished', 'failed'] as const
export type BackupState = (typeof BACKUP_STATUSES)[number]

export const ListBackups = ListInput.pick({ page: true })
export const BackupId = z.object({ id: z.uuid('validation.id') })
/** What moves all records elsewhere asks for the password again, and for the second factor if it is on. */
export const Confirmation = z.object({
  password: z.string('validation.wrongType').nullish(),
  code: ConfirmWithCode.shape.code,
})
export const DownloadBackupInput = BackupId.extend(Confirmation.shape)
export const BackupFile = BackupId.extend({ ticket: z.string('validation.required') })

const HOUR = 3_600_000

/**
 * Whether the daily backup is due. At night if the machine runs then; where power is unreliable,
 * whenever it runs and the last one is a day old. After a failure it waits an hour.
 */
export function isDue(
  now: Date,
  zone: string,
  last: { finishedAt?: Date | null; failedAt?: Date | null },
): boolean {
  const since = (at?: Date | null) => (at ? now.getTime() - at.getTime() : Infinity)
  if (since(last.failedAt) < HOUR) return false
  const hour = Number(wallTime(now, zone).slice(11, 13))
  const isNight = hour >= 1 && hour < 5
  return since(last.finishedAt) >= (isNight ? 12 : 24) * HOUR
}

const clock = (at: Date, zone: string) => wallTime(at, zone).replace('T', '-').replace(':', '')

/** `sanad-2026-11-21-0712.backup`, by the clinic's clock. */
export const nameOfBackup = (at: Date, zone: string) => `sanad-${clock(at, zone)}.backup`

/** `sanad-before-upgrade-2026-11-21-071205.backup` */
export const nameBeforeUpgrade = (at: Date, zone: string) =>
  `sanad-before-upgrade-${clock(at, zone)}${at.toISOString().slice(17, 19)}.backup`

export const isBeforeUpgrade = (name: string) =>
  /^sanad-before-upgrade-\d{4}-\d{2}-\d{2}-\d{6}\.backup$/.test(name)

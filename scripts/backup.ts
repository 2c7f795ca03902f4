import { existsSync } from 'node:fs'
import { Refusal } from '~/db/refusal'
import { backupSettings, refuseWeakPassphrase } from '~/server/backup-settings'
import { writeBackup } from '~/server/backup.server'
import { storage } from '~/server/storage.server'
import { newId } from '~/shared/id'
import { givenPassphrase, passphraseOptions, passphraseHelp, showPhase } from './backup/terminal'
import { command, WrongUsage } from './command'
import { withDatabase } from './database'
import { resolveFromUser, untilStopped } from './import/kind'

await command({
  name: 'npm run backup',
  usage: '-- <file>',
  summary: 'Writes all records and photos to one file. Works whether Sanad is running or not.',
  options: { replace: { type: 'boolean' }, ...passphraseOptions },
  help: () => `  --replace              replaces the file if there is one of this name
${passphraseHelp}

Encrypted, it also holds passwords, second factors and keys; otherwise it is signed and holds none of them.
The file is read back and checked before it gets its name. npm run restore brings it back.
If files of records are missing on this machine, no backup is written: name the shared directory in SANAD_FILES_DIR,
or accept it with SANAD_ALLOW_MISSING_FILES=yes.`,
  async run(options, [target, ...more]) {
    if (!target || more.length)
      throw new WrongUsage('Name the file, for example npm run backup -- /media/usb/monday.backup')
    const file = resolveFromUser(target)
    if (!options.replace && existsSync(file))
      throw new Refusal(
        `${file} exists and was left as it is. Choose another name, or replace it with --replace. No backup was made.`,
      )
    const given = await givenPassphrase(options, 'twice')
    if (!given) refuseWeakPassphrase()
    const passphrase = given ?? backupSettings().passphrase
    const phases = showPhase()
    const started = Date.now()
    await withDatabase(async (db, url) => {
      const signal = untilStopped()
      try {
        const { bytes, rows, files, fingerprint } = await writeBackup(url, storage(), file, {
          passphrase,
          signal,
          onProgress: phases.show,
        })
        await db
          .insertInto('backups')
          .values({
            id: newId(),
            kind: 'command',
            status: 'finished',
            percent: 100,
            is_encrypted: Boolean(passphrase),
            file_name: file,
            bytes,
            started_at: new Date(started),
            finished_at: new Date(),
          })
          .execute()
        process.stdout.write(
          `${file}: ${rows.toLocaleString('en')} rows and ${files.toLocaleString('en')} files ` +
            `in ${(bytes / 1_048_576).toFixed(1)} MB, ` +
            `${passphrase ? 'encrypted' : 'NOT encrypted'}, verified. ` +
            `${((Date.now() - started) / 1000).toFixed(1)} s.\n` +
            (passphrase ? '' : `Without passwords and keys. Signed with the key ${fingerprint}.\n`),
        )
      } catch (error) {
        if (!signal.aborted) throw error
        process.stdout.write('Stopped. No backup was written.\n')
        process.exitCode = 130
      } finally {
        phases.end()
      }
    })
  },
})

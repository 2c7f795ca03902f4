import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { check, writeBackup } from '~/server/backup.server'
import { storageIn } from '~/server/storage.server'
import { newId } from '~/shared/id'
import { built } from '../built'
import { addCredentials, addPatient, rowsOf, run } from './backup'
import { databaseUrl, settingsFor, settingsForUsed, test, until } from './sanad'

process.env['SANAD_SECRET'] = 'the instance key of this file of tests'

// starts, stops and kills eight processes
test(
  'the commands back up a running server into a fresh directory; a killed one leaves no file of that name',
  { timeout: 300_000 },
  async ({ start, temporaryDirectory }) => {
    const [dataDir, place] = [temporaryDirectory(), temporaryDirectory()]
    await start(await settingsForUsed(dataDir)).ready
    await addPatient(databaseUrl(dataDir))
    await addCredentials(databaseUrl(dataDir))
    const file = join(place, 'monday.backup')
    const said = run('backup', [file], { SANAD_DATA_DIR: dataDir })
    expect(said).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/NOT encrypted, verified/),
    })
    const [, key] = /^Without passwords and keys\. Signed with the key (\S+)\.$/m.exec(said.stdout)!
    expect(run('admin', ['verify-backup', file], { SANAD_DATA_DIR: dataDir })).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^Verified: \d+ tables with [\d,]+ rows and 0 files as of .*, /,
      ),
    })
    const again = run('backup', [file], { SANAD_DATA_DIR: dataDir })
    expect(again).toMatchObject({ status: 1, stderr: expect.stringMatching(/--replace/) })
    expect(readdirSync(place)).toEqual(['monday.backup'])
    expect(await rowsOf(databaseUrl(dataDir), 'select kind, status from backups')).toEqual([
      { kind: 'command', status: 'finished' },
    ])
    expect(run('backup', [file, '--replace'], { SANAD_DATA_DIR: dataDir }).status).toBe(0)
    // the server copies its own backups to a second folder
    const disk = temporaryDirectory()
    // the server may run as another user than the test
    chmodSync(disk, 0o777)
    const [copies] = await rowsOf<{ id: string }>(
      databaseUrl(dataDir),
      `update backup_copies set folder = '${disk}', chosen_at = now() returning id`,
    )
    writeFileSync(join(disk, 'sanad-backups.txt'), `Sanad ${copies!.id}\n`)
    await rowsOf(
      databaseUrl(dataDir),
      `insert into backups (id, kind) values ('${newId()}', 'asked');
       select graphile_worker.add_job('backups')`,
    )
    await until(() => readdirSync(disk).some((name) => name.endsWith('.backup')))
    const copy = readdirSync(disk).find((name) => name.endsWith('.backup'))
    expect(await check(join(disk, copy!))).toMatchObject({ files: 0 })

    expect(run('restore', [file, '--replace'], { SANAD_DATA_DIR: dataDir })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Sanad is already running/),
    })

    // a new passphrase must be strong; a backup of an earlier version opens with the one it has
    const passphrase = join(place, 'passphrase')
    writeFileSync(passphrase, 'eight ch\n')
    const weakly = join(place, 'weak.backup')
    const options = ['--passphrase-file', passphrase, weakly]
    expect(run('backup', options, { SANAD_DATA_DIR: dataDir })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is too weak as a passphrase .*at least 12 characters/),
    })
    await writeBackup(databaseUrl(dataDir), storageIn(place), weakly, { passphrase: 'eight ch' })
    const checked = run('restore', ['--check', ...options], { SANAD_DATA_DIR: dataDir })
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Verified/) })
    rmSync(weakly)
    rmSync(passphrase)

    const other = temporaryDirectory()
    expect(run('restore', ['--check', file], { SANAD_DATA_DIR: other })).toMatchObject({
      status: 0,
    })
    expect(run('restore', [file], { SANAD_DATA_DIR: other })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        `^The backup is signed with the key ${key}, which this machine `,
      ),
    })
    const restored = run('restore', [file, '--trust', key!], { SANAD_DATA_DIR: other })
    expect(restored).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/All users must sign in again/),
    })
    const { child, ready } = start(await settingsFor(other))
    const url = await ready
    // the one-time code leads to the first password, once
    const [, code] = /^ {2}([0-9A-Z]{4}(?:-[0-9A-Z]{4}){2})$/m.exec(restored.stdout)!
    const { people } = await posted(url, 'trpc/setup.restoredAdmins', { code })
    expect(people).toMatchObject([{ email: 'amal@clinic.example' }])
    const chosen = { code, userId: people[0].id, newPassword: 'eight blue kites' }
    expect(await posted(url, 'trpc/setup.completeRestore', chosen)).toMatchObject({ ok: true })
    const account = { email: 'amal@clinic.example', password: 'eight blue kites' }
    expect(await posted(url, 'auth/sign-in', account)).toHaveProperty('token')
    expect(await posted(url, 'trpc/setup.completeRestore', chosen)).toHaveProperty('error')
    expect(await rowsOf(databaseUrl(other), 'select surname from patients')).toEqual([
      { surname: 'Mansour' },
    ])
    child.kill('SIGTERM')

    await rowsOf(
      databaseUrl(dataDir),
      'create unlogged table large as select repeat(md5(n::text), 30) from generate_series(1, 200000) n',
    )
    const killed = join(place, 'killed.backup')
    const victim = spawn(process.execPath, [built('commands/backup.js'), killed], {
      env: { PATH: process.env['PATH'], SANAD_DATA_DIR: dataDir },
      stdio: 'ignore',
    })
    await until(
      () => existsSync(`${killed}.unfinished`) && readFileSync(`${killed}.unfinished`).length > 0,
    )
    victim.kill('SIGKILL')
    await new Promise((resolve) => victim.once('close', resolve))
    expect(existsSync(killed)).toBe(false)
    await rowsOf(databaseUrl(dataDir), 'drop table large')
    expect(run('backup', [killed], { SANAD_DATA_DIR: dataDir }).status).toBe(0)
    expect(readdirSync(place).toSorted()).toEqual(['killed.backup', 'monday.backup'])
  },
)

// oxlint-disable-next-line typescript/no-explicit-any -- the answer of any operation
async function posted(url: string, path: string, body: object): Promise<any> {
  const response = await fetch(`${url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  return answer.result?.data ?? answer
}

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Refusal } from '~/db/refusal'
import { strongPassphrase } from '~/server/backup-settings'
import { progress } from '../progress'

export const passphraseOptions = {
  encrypt: { type: 'boolean' },
  'passphrase-file': { type: 'string' },
} as const
export const passphraseHelp = `  --encrypt           asks for a passphrase
  --passphrase-file   takes it from the first line of a file; SANAD_BACKUP_PASSPHRASE does the same`

type Given = { encrypt?: boolean; 'passphrase-file'?: string }

/** The passphrase that the options lead to; undefined when they name none. */
export async function givenPassphrase(
  options: Given,
  ask: 'once' | 'twice',
): Promise<string | undefined> {
  const isNew = ask === 'twice'
  const file = options['passphrase-file']
  if (file) {
    const passphrase = readFileSync(file, 'utf8').split(/\r?\n/)[0]!
    if (!passphrase)
      throw new Refusal(`The first line of ${file} is empty: write the passphrase there.`)
    return isNew ? strongPassphrase(passphrase, file) : passphrase
  }
  if (!options.encrypt) return undefined
  if (!process.stdin.isTTY)
    throw new Refusal('No terminal to ask for a passphrase. Use --passphrase-file.')
  const passphrase = await askHidden('Passphrase: ')
  if (!isNew) return passphrase
  strongPassphrase(passphrase, 'That')
  if ((await askHidden('Repeat the passphrase: ')) !== passphrase)
    throw new Refusal('The passphrases do not match.')
  return passphrase
}

async function askHidden(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  const answer = await terminal.question('')
  terminal.close()
  process.stderr.write('\n')
  return answer
}

const names = { files: 'files', records: 'records', check: 'checking', load: 'loading' }

/** A bar for each phase of a backup or a restore. */
export function showPhase() {
  const bar = progress()
  return {
    show(phase: keyof typeof names, done: number, total: number) {
      bar.show(
        names[phase],
        done,
        total,
        phase === 'files' ? `${done} of ${total}` : `${megabytes(done)} of ${megabytes(total)}`,
      )
    },
    end: bar.end,
  }
}

const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`

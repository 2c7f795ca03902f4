import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Refusal } from '~/db/refusal'
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
  const file = options['passphrase-file']
  if (file) return strongEnough(readFileSync(file, 'utf8').split(/\r?\n/)[0]!, file)
  if (!options.encrypt) return undefined
  if (!process.stdin.isTTY)
    throw new Refusal('No terminal to ask for a passphrase. Use --passphrase-file.')
  const passphrase = strongEnough(await askHidden('Passphrase: '), 'That')
  if (ask === 'twice' && (await askHidden('Repeat the passphrase: ')) !== passphrase)
    throw new Refusal('The passphrases do not match.')
  return passphrase
}

function strongEnough(passphrase: string, where: string) {
  if (passphrase.length < 8)
    throw new Refusal(`${where} is not a valid passphrase: use at least 8 characters.`)
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

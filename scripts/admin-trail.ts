import { Refusal } from '~/db/refusal'
import { faultSentence, reportLines } from '~/server/trail/report'
import { verifyTrails } from '~/server/trail/verify.server'
import type { AdminTask } from './admin-task'
import { say } from './admin-context'
import { WrongUsage, wholeNumber } from './command'
import { progress } from './progress'

export const trailTasks: Record<string, AdminTask> = {
  'verify-audit': {
    summary: 'check that no sealed entry of the audit trail was changed, removed or added',
    flags: {
      hash: {
        type: 'string',
        help: 'a seal that this command or the Backups screen showed before: the trail must contain it',
      },
      'at-least': { type: 'string', help: 'the number of blocks that the trail must have' },
    },
    async run(db, values) {
      const seal = values['hash'] === undefined ? undefined : readSeal(String(values['hash']))
      const atLeast =
        values['at-least'] === undefined
          ? undefined
          : wholeNumber('at-least', String(values['at-least']), 1)
      const bar = progress()
      const verified = await verifyTrails(db, {
        seal,
        atLeast,
        onProgress: (done, total) =>
          bar.show('blocks', done, total, `${done.toLocaleString('en')} verified`),
      }).finally(() => bar.end())
      if (verified.fault) throw new Refusal(faultSentence(verified.fault))
      for (const line of reportLines(verified)) say(line)
      say('Keep a copy of this seal elsewhere. To check that the trail still contains it:')
      say('  npm run admin -- verify-audit --hash <seal>')
    },
  },
}

/** `<number>-<hash>`, or the hash alone. */
function readSeal(text: string) {
  const [, no, hash] = /^(?:(\d{1,15})-)?([0-9a-f]{64})$/i.exec(text.trim()) ?? []
  if (!hash)
    throw new WrongUsage('--hash must be a seal such as 12-0a1b…, with 64 letters and digits.')
  return { hash: hash.toLowerCase(), ...(no !== undefined && { no: Number(no) }) }
}

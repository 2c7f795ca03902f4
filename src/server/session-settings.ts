import { perProcess } from '~/db/per-process'
import { Refusal } from '~/db/refusal'

type Source = Record<string, string | undefined>

/** How long a sign-in lasts. Read from the environment once. */
export const sessionSettings = () =>
  perProcess('session settings', () => readSessionSettings(process.env))

/** Throws a Refusal that names the first setting that makes no sense. */
export function readSessionSettings(source: Source) {
  return {
    /** A session ends this long after its sign-in, whatever happens: the longest shift. */
    hours: amount(source, 'SANAD_SESSION_HOURS', 12, 24 * 30),
    /** Minutes without a hand on the keyboard until the screen is locked. */
    lockMinutes: amount(source, 'SANAD_LOCK_MINUTES', 30, 24 * 60),
    /** The instance key. Without it, it is in a file of the data directory (`instance-key.server.ts`). */
    secret: secret(source['SANAD_SECRET']?.trim()),
  }
}

function amount(source: Source, name: string, usual: number, most: number) {
  const value = Number(source[name]?.trim() || usual)
  if (!(value > 0 && value <= most))
    throw new Refusal(`${name} is a number above 0 and at most ${most}.`)
  return value
}

function secret(text?: string) {
  if (text && text.length < 32)
    throw new Refusal(
      'SANAD_SECRET has at least 32 characters: make one with "openssl rand -hex 32".',
    )
  return text || undefined
}

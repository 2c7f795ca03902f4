import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from './toast'
import { type Sayable, useSay } from '~/shared/say'
import { AppError, needsSignIn } from '~/shared/errors'
import { announceExpiry } from '~/client/expiry'
import { askAgain } from '~/client/ask-again'
import { explainError, errorRequestId } from '~/client/explain'
import { returnFocusSoon } from './focusTrail'

type Outcome<R> = {
  /** What the toast says when it worked; without it nothing is said. */
  success?: Sayable | ((result: R) => Sayable)
  /** Takes it back: a button in the toast. What a restore from the trash left there or closed is said. */
  undo?: (result: R) => Promise<unknown>
  /** Of a refusal that is thrown, because the caller answers it. */
  answers?: (error: unknown) => boolean
}

/** Says how far the write is, with a button that stops it. */
export type Progress = (text: Sayable, stop?: () => void) => void

/** Milliseconds after which a user wonders whether anything happens. */
const LONG = 1_500

/**
 * Runs a write that has no form: says that it is still being done, how it went, offers to undo it, and reads the
 * screen's data again.
 * Resolves to the result, or to undefined when it was refused (a toast has then said why).
 */
export function useAction() {
  const say = useSay()
  const router = useRouter()
  const [pending, setPending] = useState(false)

  async function run<R>(
    work: (progress: Progress) => Promise<R>,
    { success, undo, answers }: Outcome<R> = {},
  ): Promise<R | undefined> {
    setPending(true)
    const working = toast.working()
    const wonders = setTimeout(() => working.say({ text: say('common.working') }), LONG)
    const progress: Progress = (text, stop) => {
      clearTimeout(wonders)
      working.say({
        text: say(text),
        ...(stop && { action: { label: say('common.stop'), onClick: stop } }),
      })
    }
    try {
      const result = await work(progress)
      await router.invalidate()
      if (success) {
        const text = say(typeof success === 'function' ? success(result) : success)
        const takeBack = undo && {
          label: say('common.undo'),
          onClick: () => void run(() => undo(result), { success: saidOfUndo }),
        }
        toast.success(text, { action: takeBack })
      }
      return result
    } catch (error) {
      if (answers?.(error)) throw error
      showError(error)
      return undefined
    } finally {
      clearTimeout(wonders)
      working.end()
      setPending(false)
      // lists of an open dialog, which the loaders of the screen do not read
      askAgain()
      returnFocusSoon()
    }
  }

  function showError(error: unknown) {
    if (needsSignIn(error)) return announceExpiry()
    const { text, fields } = {
      fields: {},
      ...explainError(error),
      ...(error instanceof AppError && { fields: error.fields }),
    }
    const details = Object.values(fields).map((field) => say(field))
    const requestId = errorRequestId(error)
    if (requestId) details.push(`${say('errors.request')}: ${requestId}`)
    toast.error(say(text), { description: details.join(' · ') || undefined })
  }

  return { run, pending }
}

/** What `trash.restore` left in the trash, closed, or put at a time that has another appointment by now. */
type Restored = { left: number; closed: number; taken: number }

/** What a restore says beside that it is done; `name` where no undo says it. */
export function saidOfRestored({ left, closed, taken }: Restored, name?: string): Sayable {
  const told = [
    ['Closed', closed],
    ['But', left],
    ['Taken', taken],
  ] as const
  const [key, count] = told.find(([, each]) => each > 0) ?? ['Taken', 0]
  if (name === undefined)
    return count > 0 ? { key: `trash.undone${key}`, values: { count } } : 'common.undone'
  return count > 0
    ? { key: `trash.restored${key}`, values: { name, count } }
    : { key: 'trash.restored', values: { name } }
}

function saidOfUndo(result: unknown): Sayable {
  const countIn = (name: string) =>
    isObject(result) && name in result ? Number(result[name as keyof typeof result]) : 0
  return saidOfRestored({
    left: countIn('left'),
    closed: countIn('closed'),
    taken: countIn('taken'),
  })
}
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

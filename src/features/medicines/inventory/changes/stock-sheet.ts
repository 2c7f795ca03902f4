import { useNavigate, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import type * as z from 'zod'
import { isAmbiguousNumber, numberFrom } from '~/fields/typed'
import { AppError, type Message, needsSignIn } from '~/shared/errors'
import { newId } from '~/shared/id'
import type { Sayable } from '~/shared/say'
import { type FieldErrors, useFormState } from '~/ui/form'
import type { ClinicBatch } from '../clinic-batches.server'
import { useSeen } from './CountTable'
import { errorsByBatch } from './errors-by-batch'
import { withSearch } from '~/ui/search'

type Sheet = {
  /** Batch id -> what was typed beside it: a number, or text that is not a number. */
  typed: Record<string, unknown>
  note: string
  /** The receiving clinic of a transfer. */
  to: string | null
  /** The earlier day of a transfer; null: now. */
  day: string | null
}

/**
 * A sheet with a number to type beside each batch, and what is wrong with it. It is saved once, under one id; if other
 * values are stored under it, it gets a new one, so that what is typed need not be discarded.
 */
export function useStockSheet(batches: readonly ClinicBatch[], to: string | null = null) {
  const router = useRouter()
  const navigate = useNavigate()
  const [id, setId] = useState(newId)
  const seen = useSeen(batches)
  const typedLines = ({ typed }: Sheet) =>
    seen.filter((batch) => typed[batch.id] !== undefined && typed[batch.id] !== null)
  const form = useFormState<Sheet>({
    start: { typed: {}, note: '', to, day: null },
    differs: (_start, now) => typedLines(now).length > 0,
    subject: 'clinic',
  })
  const { typed } = form.values

  /** A line with an error may be hidden by the search. */
  const showAll = () =>
    navigate({
      to: '.',
      search: withSearch({ search: undefined }),
      replace: true,
      resetScroll: false,
    })

  async function refuse(errors: FieldErrors, text: Sayable) {
    await showAll()
    form.refuse(errors, text)
  }

  /** Saves these lines. If the server refuses them, the sheet shows the current stock and keeps what was typed. */
  const save = (sent: readonly { batchId: string }[], work: () => Promise<unknown>) =>
    form.save(async () => {
      try {
        await work()
      } catch (error) {
        // without an answer there is nothing newer to show, and reading again could lose the sheet
        if (!isRefusal(error)) throw error
        await showAll()
        if (error.text.key === 'inventory.otherRequest') setId(newId())
        // the form reads again what a conflict is about
        if (error.code !== 'conflict') await router.invalidate()
        throw new AppError(error.code, error.text, errorsByBatch(error.fields, sent))
      }
    })

  return {
    id,
    ref: form.ref,
    seen,
    lines: typedLines(form.values),
    typed,
    note: form.values.note,
    to: form.values.to,
    day: form.values.day,
    errors: form.errors,
    alert: form.alert,
    isSaving: form.isSaving,
    type: (batchId: string, value: unknown) =>
      form.change((now) => ({ ...now, typed: { ...now.typed, [batchId]: value } }), [batchId]),
    setNote: (note: string) => form.change({ note }),
    setDay: (day: string | null) => form.change({ day }, ['day']),
    setTo: (clinicId: string | null) => form.change({ to: clinicId }),
    refuse,
    /** Nothing is wrong: takes errors and notices away. */
    accept: () => form.begin(form.base, form.values),
    save,
  }
}

/** True if the server answered that it does not accept the lines. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && !needsSignIn(error)

/** "12." may become a number yet. */
export const parseAmount = (typed: unknown) =>
  typeof typed === 'string' ? numberFrom(typed) : typed

/** Why this is no quantity, if it is none. */
export function quantityError(typed: unknown, schema: z.ZodType): Message | undefined {
  const amount = parseAmount(typed)
  if (schema.safeParse(amount).success) return undefined
  if (isAmbiguousNumber(typed)) return { key: 'validation.ambiguousNumber' }
  return { key: typeof amount === 'number' ? 'inventory.notPossible' : 'inventory.countWrong' }
}

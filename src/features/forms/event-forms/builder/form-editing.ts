import { useRouter } from '@tanstack/react-router'
import { startTransition, useCallback, useEffect, useMemo, useState } from 'react'
import { toast } from 'sonner'
import { api } from '~/client/api'
import { AppError, type Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { differsAt } from '~/ui/corrected'
import { type FieldErrors, useFormState } from '~/ui/form'
import { forgetDraft, keepDraft, useKeptDraft } from '~/ui/keptDraft'
import { differs, draftOf, type FormDraft, mergedForm, withValues } from './form-draft'

/** A form as it was read, or a new one: then without a version. */
type Version = { id: string; last_modified?: Date }
export type Start = FormDraft & Version
type Kept = { draft: FormDraft; base: FormDraft; last_modified?: string }
export type Change = (change: (form: FormDraft) => FormDraft) => void

/** After the last key. */
const KEEP_MS = 400

/**
 * The form that is being built: kept on this device until it is saved, and saved against the
 * version that was read.
 */
export function useFormEditing(start: Start, userId: string) {
  const say = useSay()
  const router = useRouter()
  const keptName = `event-form:${userId}:${start.last_modified ? start.id : 'new'}`
  /** The record that is saved, and the version that it was read with. */
  const [version, setVersion] = useState<Version>(start)
  const form = useFormState<FormDraft>({ start: () => draftOf(start), differs })
  const { base, values: draft, change, errors, alert, stale, isDirty, isSaving } = form
  const [sent, setSent] = useState<FormDraft>(draft)
  /** As shown when it was sent: what differs from it since has been corrected. */
  const [typed, setTyped] = useState<FormDraft>(draft)
  const found = useKeptDraft<Kept>(keptName)
  const [restored, setRestored] = useState<Date | null>(null)
  const [isTaken, setTaken] = useState(false)

  if (found && !isTaken) {
    setTaken(true)
    const { draft: left, base: begun, last_modified } = found.value
    if (differs(start, left)) {
      form.rebase(last_modified ? draftOf(begun) : base, draftOf(left))
      setRestored(found.at)
      // it may have begun on an older version: saving it then says so
      if (last_modified) setVersion({ id: start.id, last_modified: new Date(last_modified) })
    }
  }

  useEffect(() => {
    if (!isDirty) return undefined
    const last_modified = version.last_modified?.toISOString()
    const keep = () => keepDraft(keptName, { draft, base, last_modified } satisfies Kept)
    const soon = setTimeout(keep, KEEP_MS)
    // a reload within that moment loses nothing either
    window.addEventListener('pagehide', keep)
    return () => {
      clearTimeout(soon)
      window.removeEventListener('pagehide', keep)
    }
  }, [keptName, isDirty, draft, base, version])

  // another user saved while nothing was changed here: there is nothing to ask
  const isNewer =
    start.last_modified && version.last_modified && start.last_modified > version.last_modified
  if (isNewer && !isDirty && !isSaving) begin(start)

  function begin(newest: Start, next?: FormDraft) {
    setVersion(newest)
    form.begin(draftOf(newest), next)
    setRestored(null)
  }
  /** For text that is being typed: its box has it already, the rest of the screen follows. */
  const changeLater: Change = useCallback((next) => startTransition(() => change(next)), [change])

  /** The form with the last letters typed: saving does not wait until the screen has caught up. */
  const newest = () =>
    new Promise<FormDraft>((resolve) =>
      changeLater((current) => {
        resolve(current)
        return current
      }),
    )

  /** Returns the id of the first field that was refused. */
  async function save(): Promise<string | undefined> {
    let refused: string | undefined
    await form.save(async () => {
      const asTyped = await newest()
      const complete = withValues(asTyped)
      setTyped(asTyped)
      setSent(complete)
      const { id, last_modified } = version
      const data = { id, last_modified, ...complete }
      const saved = await api.eventForms.save(data).catch((error: unknown) => {
        if (error instanceof AppError) {
          const places = errorsByPlace(error.fields, complete, asTyped, asTyped)
          refused = complete.form_fields.find((field) => places[field.id])?.id
        }
        throw error
      })
      forgetDraft(keptName)
      begin({ ...complete, id, last_modified: saved.last_modified })
      toast.success(say('formBuilder.saved'))
      if (!last_modified)
        await router.navigate({
          to: '/app/event-forms/edit/{-$formId}',
          params: { formId: id },
          replace: true,
        })
      await router.invalidate()
    })
    return refused
  }

  const open = useMemo(
    () => errorsByPlace(errors, sent, typed, draft),
    [errors, sent, typed, draft],
  )
  const areCorrected = Object.keys(errors).length > 0 && Object.keys(open).length === 0
  return {
    draft,
    change,
    changeLater,
    save,
    isDirty,
    isSaving,
    summary: areCorrected ? [] : alert.texts,
    stale,
    restored,
    errors: open,
    discard: () => {
      forgetDraft(keptName)
      begin(start)
    },
    takeNewest: () => begin(start),
    keepMine: () => begin(start, mergedForm(base, draft, draftOf(start))),
  }
}

/**
 * By the id of the field (its part after a dot: `options.0.label`), or by the name of a part of the
 * form. Errors about values changed since they were sent are left out.
 */
function errorsByPlace(errors: FieldErrors, sent: FormDraft, typed: FormDraft, now: FormDraft) {
  const found: Record<string, Record<string, Message>> = {}
  for (const [path, text] of Object.entries(errors)) {
    const [list, at, ...rest] = path.split('.')
    if (isCorrected(path.split('.'), typed, now)) continue
    const place =
      list === 'form_fields'
        ? sent.form_fields[Number(at)]?.id
        : list === 'translations'
          ? sent.translations[Number(at)]?.fieldId
          : undefined
    if (place === undefined) (found['form'] ??= {})[path] = text
    else (found[place] ??= {})[rest.join('.')] = text
  }
  return found
}

function isCorrected(
  [list = '', at, ...rest]: string[],
  typed: FormDraft,
  now: FormDraft,
): boolean {
  if (list !== 'form_fields' || at === undefined) {
    const path = at === undefined ? [list] : [list, at, ...rest]
    return differsAt(path, typed, now)
  }
  const before = typed.form_fields[Number(at)]
  const field = now.form_fields.find(({ id }) => id === before?.id)
  return !field || differsAt(rest, before, field)
}

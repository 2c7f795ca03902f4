import { useRouter } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { AppError, type Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { differsAt } from '~/ui/corrected'
import type { FieldErrors } from '~/ui/form'
import { useKeptEditing, type KeptVersion } from '~/ui/keptEditing'
import { formsDiffer, toFormDraft, type FormDraft, mergeEventForm, withValues } from './form-draft'

export type InitialForm = FormDraft & KeptVersion
export type FormUpdater = (change: (form: FormDraft) => FormDraft) => void

/** The form that is being built. */
export function useFormEditing(start: InitialForm, userId: string) {
  const say = useSay()
  const router = useRouter()
  const editing = useKeptEditing<FormDraft>({
    name: `event-form:${userId}`,
    version: start,
    values: toFormDraft(start),
    differs: formsDiffer,
    read: toFormDraft,
  })
  const { form, version, restored, begin, changeLater, newest, forget, takeNewest, discard } =
    editing
  const { base, values: draft, change, errors, alert, stale, isDirty, isSaving } = form
  const [sent, setSent] = useState<FormDraft>(draft)
  /** As shown when it was sent: what differs from it since has been corrected. */
  const [typed, setTyped] = useState<FormDraft>(draft)

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
      forget()
      begin({ id, last_modified: saved.last_modified }, toFormDraft(complete))
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
    ref: form.ref,
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
    discard,
    takeNewest,
    keepMine: () =>
      begin(start, toFormDraft(start), mergeEventForm(base, draft, toFormDraft(start))),
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
    let place: string | undefined
    if (list === 'form_fields') place = sent.form_fields[Number(at)]?.id
    if (list === 'translations') place = sent.translations[Number(at)]?.fieldId
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

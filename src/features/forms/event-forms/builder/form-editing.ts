import { useRouter } from '@tanstack/react-router'
import {
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import { toast } from 'sonner'
import { api } from '~/client/api'
import { AppError, type Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { announceExpiry } from '~/client/expiry'
import { explainUnsaved } from '~/client/explain'
import { returnFocusSoon } from '~/ui/focusTrail'
import { differsAt } from '~/ui/corrected'
import { forgetDraft, keepDraft, type KeptDraft, keptDraft } from '~/ui/keptDraft'
import { useUnsavedWarning } from '~/ui/unsaved'
import { comparable, differs, draftOf, type FormDraft, mergedForm, withValues } from './form-draft'

/** A form as it was read, or a new one: then without a version. */
export type Start = FormDraft & { id: string; last_modified?: Date }
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
  const [base, setBase] = useState(start)
  const [draft, setDraft] = useState(() => draftOf(start))
  const [sent, setSent] = useState<FormDraft>(draft)
  /** As typed when it was sent: what differs from it since has been corrected. */
  const [typed, setTyped] = useState<FormDraft>(draft)
  const [complaints, setComplaints] = useState<Readonly<Record<string, Message>>>({})
  const [whole, setWhole] = useState<Message | null>(null)
  const [stale, setStale] = useState<Message | null>(null)
  const [isSaving, setSaving] = useState(false)
  const before = useMemo(() => comparable(base), [base])
  const isDirty = useMemo(() => before !== comparable(draft), [before, draft])
  const mayLeave = useUnsavedWarning(isDirty)
  const found = useKept(keptName)
  const [restored, setRestored] = useState<Date | null>(null)
  const [isTaken, setTaken] = useState(false)

  if (found && !isTaken) {
    setTaken(true)
    const { draft: left, base: begun, last_modified } = found.value
    if (differs(start, left)) {
      setDraft(draftOf(left))
      setRestored(found.at)
      // it may have begun on an older version: saving it then says so
      if (last_modified) setBase({ ...begun, id: start.id, last_modified: new Date(last_modified) })
    }
  }

  useEffect(() => {
    if (!isDirty) return undefined
    const keep = () =>
      keepDraft(keptName, {
        draft,
        base: draftOf(base),
        last_modified: base.last_modified?.toISOString(),
      } satisfies Kept)
    const soon = setTimeout(keep, KEEP_MS)
    // a reload within that moment loses nothing either
    window.addEventListener('pagehide', keep)
    return () => {
      clearTimeout(soon)
      window.removeEventListener('pagehide', keep)
    }
  }, [keptName, isDirty, draft, base])

  // another user saved while nothing was changed here: there is nothing to ask
  const isNewer =
    start.last_modified && base.last_modified && start.last_modified > base.last_modified
  if (isNewer && !isDirty && !isSaving) begin(start)

  function begin(newest: Start, next: FormDraft = draftOf(newest)) {
    setBase(newest)
    setDraft(next)
    setStale(null)
    setWhole(null)
    setComplaints({})
    setRestored(null)
  }
  const change: Change = useCallback((next) => setDraft(next), [])
  /** For text that is being typed: its box has it already, the rest of the screen follows. */
  const changeLater: Change = useCallback((next) => startTransition(() => setDraft(next)), [])

  /** The form with the last letters typed: saving does not wait until the screen has caught up. */
  const newest = () =>
    new Promise<FormDraft>((resolve) =>
      startTransition(() =>
        setDraft((form) => {
          resolve(form)
          return form
        }),
      ),
    )

  /** Answers with the id of the first field that was refused. */
  async function save(): Promise<string | undefined> {
    setSaving(true)
    setWhole(null)
    setComplaints({})
    const asTyped = await newest()
    const complete = withValues(asTyped)
    setTyped(asTyped)
    setSent(complete)
    try {
      const { id, last_modified } = base
      const saved = await api.eventForms.save({ id, last_modified, ...complete })
      forgetDraft(keptName)
      mayLeave.current = true
      begin({ ...base, ...complete, last_modified: saved.last_modified }, complete)
      toast.success(say('formBuilder.saved'))
      if (!last_modified)
        await router.navigate({
          to: '/app/event-forms/edit/{-$formId}',
          params: { formId: id },
          replace: true,
        })
      await router.invalidate()
      return undefined
    } catch (error) {
      await refuse(error)
      if (!(error instanceof AppError)) return undefined
      const refused = complaintsByPlace(error.fields, complete, asTyped, asTyped)
      return complete.form_fields.find(({ id }) => refused[id])?.id
    } finally {
      mayLeave.current = false
      setSaving(false)
      // with nothing left to save the button is disabled, and with it the focus lost
      returnFocusSoon()
    }
  }

  async function refuse(error: unknown) {
    const isOurs = error instanceof AppError
    if (isOurs && error.code === 'unauthenticated') return announceExpiry()
    if (isOurs && error.code === 'conflict') {
      await router.invalidate()
      return setStale(error.text)
    }
    setComplaints(isOurs ? error.fields : {})
    return setWhole(explainUnsaved(error))
  }

  const open = useMemo(
    () => complaintsByPlace(complaints, sent, typed, draft),
    [complaints, sent, typed, draft],
  )
  const areCorrected = Object.keys(complaints).length > 0 && Object.keys(open).length === 0
  return {
    draft,
    change,
    changeLater,
    save,
    isDirty,
    isSaving,
    whole: areCorrected ? null : whole,
    stale,
    restored,
    complaints: open,
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
function complaintsByPlace(
  complaints: Readonly<Record<string, Message>>,
  sent: FormDraft,
  typed: FormDraft,
  now: FormDraft,
) {
  const found: Record<string, Record<string, Message>> = {}
  for (const [path, text] of Object.entries(complaints)) {
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

const neverChanges = () => () => {}

/** A draft left on this device; the server does not know it. */
function useKept(name: string): KeptDraft<Kept> | null {
  const [read] = useState(() => {
    let found: { value: KeptDraft<Kept> | null } | undefined
    return () => (found ??= { value: keptDraft<Kept>(name) }).value
  })
  return useSyncExternalStore(neverChanges, read, () => null)
}

import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { AppError, type Message, needsSignIn, otherUserName } from '~/shared/errors'
import type { Sayable } from '~/shared/say'
import { announceExpiry } from '~/client/expiry'
import { explainUnsaved } from '~/client/explain'
import { announceRemovedCharacters } from '~/client/removed-characters'
import { losesCharacters } from '~/shared/typed-text'
import { returnFocusSoon } from './focusTrail'
import { REFUSES } from '~/fields/refuses'
import { useUnsavedInDialog, useUnsavedWarning } from './unsaved'

/** Path of a field ("name", "items.0.dose") -> what is wrong with it. */
export type FieldErrors = Readonly<Record<string, Message>>

type Options<V> = {
  /** The stored record, or the suggested values of a new one. */
  start: V | (() => V)
  /** Values that were typed earlier and kept on this device, if they differ from `start`. */
  typed?: Partial<V>
  /** True if the user has changed something. Called at each render. */
  differs: (base: V, values: V) => boolean
  /** What the browser finds wrong; the server checks again. */
  validate?: (values: V) => FieldErrors
  /** False for paths whose errors no field shows: these errors are listed at the top of the form. */
  isField?: (path: string) => boolean
  /** False if a draft is kept, or if nothing can be changed: leaving the screen then asks nothing. */
  asksBeforeLeaving?: boolean
  /** The search parameter that names what the screen edits, if its path does not. */
  subject?: string
  /** Reads the newest version after a stale save; by default, everything that the screen shows. */
  readNewest?: () => Promise<unknown>
}

type Refusal = { errors: FieldErrors; summary: readonly Sayable[]; stale: AppError | null }
const NOTHING_REFUSED: Refusal = { errors: {}, summary: [], stale: null }

/**
 * The state of a form, the same on every screen: values, errors beside their fields, one save at a
 * time, the notice of a stale save, the warning about unsaved changes, and the focus on the first
 * error. A refused save keeps every value. See docs/decisions/0021-one-form-state.md.
 */
export function useFormState<V extends object>(options: Options<V>) {
  const { start, typed, differs, validate, isField = () => true, readNewest } = options
  const router = useRouter()
  const [base, setBase] = useState(start)
  const [values, setValues] = useState<V>(() => ({ ...base, ...typed }))
  const [{ errors, summary, stale }, setRefusal] = useState<Refusal>(NOTHING_REFUSED)
  const [isSaving, setSaving] = useState(false)
  const [wasSubmitted, setSubmitted] = useState(false)
  const isDirty = differs(base, values)
  const { asksBeforeLeaving = true, subject } = options
  useUnsavedInDialog(isDirty)
  const mayLeaveRef = useUnsavedWarning(asksBeforeLeaving && isDirty, subject)
  const isBusyRef = useRef(false)
  const areaRef = useRef<HTMLElement>(null)
  const isFocusWantedRef = useRef(false)
  // after each render: the error and the enabled field may be drawn in different ones
  useEffect(() => {
    if (isSaving || !isFocusWantedRef.current) return
    isFocusWantedRef.current = false
    const wrong = areaRef.current?.querySelector<HTMLElement>(`[${REFUSES}], [aria-invalid="true"]`)
    wrong?.focus()
  })

  /** Changes values. Errors at `paths`, by default those of the changed values, are corrected by it. */
  const change = useCallback(
    (next: Partial<V> | ((current: V) => V), paths?: readonly string[]) => {
      // a save lets the screen be left; what is typed after it is unsaved again
      if (!isBusyRef.current) mayLeaveRef.current = false
      const isFunction = typeof next === 'function'
      setValues((current) => (isFunction ? next(current) : { ...current, ...next }))
      const corrected = paths ?? (isFunction ? [] : Object.keys(next))
      setRefusal((all) => {
        const left = withoutErrors(all.errors, corrected)
        return left === all.errors ? all : { ...all, errors: left }
      })
    },
    [mayLeaveRef],
  )

  /** Checks one field again when it is left, once the user has tried to save. */
  function recheck(path: string) {
    if (!wasSubmitted) return
    const found = validate?.(values)[path]
    setRefusal((all) => ({
      ...all,
      errors: { ...withoutErrors(all.errors, [path]), ...(found && { [path]: found }) },
    }))
  }

  /** Shows what is wrong, and focuses the first field with an error. */
  function refuse(found: FieldErrors, ...texts: readonly Sayable[]) {
    setRefusal({
      errors: found,
      summary: texts.length > 0 ? texts : ['errors.invalid'],
      stale: null,
    })
    isFocusWantedRef.current = true
  }

  /** `newBase` is stored now. The errors stay: they are about the values that are shown. */
  function rebase(newBase: V, next: V = newBase) {
    setBase(newBase)
    setValues(next)
  }

  /** The same for a form that begins again: without errors and notices. */
  function begin(newBase: V, next?: V) {
    rebase(newBase, next)
    setRefusal(NOTHING_REFUSED)
  }

  /** Takes the summary at the top away: a change made it untrue. */
  const dismissAlert = () => setRefusal((all) => ({ ...all, summary: [] }))

  /** Another user saved first: the user decides whose values stay. */
  const setStale = (error: AppError) => setRefusal((all) => ({ ...all, stale: error }))

  /**
   * False if a number box is in error or has changed its number in this moment, or a list has a text that was not
   * taken: nothing is saved then.
   */
  function hasReadableNumbers() {
    const box = areaRef.current?.querySelector<HTMLElement>(`[${REFUSES}]`)
    if (!box) return true
    // an empty box takes its fallback when it is left
    box.blur()
    refuse({})
    return false
  }

  /** Runs a save; what it throws is shown at the form and beside the fields. */
  async function save(work: () => Promise<unknown>) {
    if (isBusyRef.current || !hasReadableNumbers()) return
    isBusyRef.current = true
    setRefusal(NOTHING_REFUSED)
    setSaving(true)
    mayLeaveRef.current = true
    try {
      await work()
      // what is sent has been read by the fields, which leave these out
      if (losesCharacters(values)) announceRemovedCharacters()
    } catch (error) {
      mayLeaveRef.current = false
      await fail(error)
    } finally {
      isBusyRef.current = false
      setSaving(false)
      // the button was disabled meanwhile and has lost the focus
      returnFocusSoon()
    }
  }

  async function fail(error: unknown) {
    if (!(error instanceof AppError)) return refuse({}, explainUnsaved(error))
    if (needsSignIn(error)) announceExpiry()
    if (error.code === 'conflict' && error.text.key.startsWith('errors.stale')) {
      setStale(error)
      // brings the newest values and the version to save against
      return readNewest ? readNewest() : router.invalidate()
    }
    refuse(error.fields, error.text)
    // nothing was stored: read again, the page would be another user's, who has not taken it over
    if (error.code !== 'conflict' || otherUserName(error) !== null) return undefined
    // what it contradicts was stored meanwhile: the screen shows it, and the next save is about that
    return readNewest ? readNewest() : router.invalidate()
  }

  /** Validates, then saves. */
  async function submit(event: FormEvent, work: () => Promise<unknown>) {
    event.preventDefault()
    // React also delivers the event to the form around the dialog that holds this one
    event.stopPropagation()
    if (isBusyRef.current) return
    setSubmitted(true)
    if (!hasReadableNumbers()) return
    const found = validate?.(values) ?? {}
    if (Object.keys(found).length > 0) return refuse(found)
    await save(work)
  }

  const strays = Object.entries(errors).filter(([path]) => !isField(path))
  return {
    /** On the element around the fields. */
    ref: useCallback((element: HTMLElement | null) => void (areaRef.current = element), []),
    base,
    values,
    change,
    errors,
    recheck,
    refuse,
    hasReadableNumbers,
    rebase,
    begin,
    dismissAlert,
    save,
    submit,
    stale,
    setStale,
    isDirty,
    isSaving,
    /** What FormAlert shows; `lasting` while it reports something that no field shows. */
    alert: {
      texts: summary.length > 0 ? [...summary, ...strays.map(([, text]) => text)] : [],
      lasting: strays.length > 0,
    },
  }
}

/** The errors of other fields; an error of an entry ("words.2") belongs to its field ("words"). */
function withoutErrors(errors: FieldErrors, paths: readonly string[]): FieldErrors {
  const all = Object.entries(errors)
  const left = all.filter(
    ([path]) => !paths.some((fixed) => path === fixed || path.startsWith(`${fixed}.`)),
  )
  // the same object if it says the same: what reads it need not render again
  return left.length === all.length ? errors : Object.fromEntries(left)
}

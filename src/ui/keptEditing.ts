import { startTransition, useCallback, useEffect, useState } from 'react'
import { useFormState } from './form'
import { forgetDraft, keepDraft, useKeptDraft } from './keptDraft'

/** A record as it was read, or a new one: then without a version. */
export type KeptVersion = { id: string; last_modified?: Date }
type Kept<V> = { draft: V; base: V; last_modified?: string }

type Options<V> = {
  /** The kind of draft and the user's id; the record's id, or "new", is added. */
  name: string
  version: KeptVersion
  values: V
  /** Values to begin with, in place of a kept draft. */
  suggested?: V
  differs: (a: V, b: V) => boolean
  /** A kept draft as the editor takes it; an earlier version of Sanad may have kept it. */
  read?: (kept: V) => V
  asksBeforeLeaving?: boolean
}

/** After the last key. */
const KEEP_MS = 400

/**
 * A record that is edited on a screen of its own: kept on this device until it is saved, and saved
 * against the version that was read.
 */
export function useKeptEditing<V extends object>(options: Options<V>) {
  const { version: start, values: startValues, suggested, differs, read = (kept) => kept } = options
  const keptName = `${options.name}:${start.last_modified ? start.id : 'new'}`
  const [version, setVersion] = useState<KeptVersion>(start)
  const form = useFormState<V>({
    start: () => startValues,
    ...(suggested && { typed: suggested }),
    differs,
    asksBeforeLeaving: options.asksBeforeLeaving ?? true,
  })
  const { base, values, change, isDirty, isSaving } = form
  const found = useKeptDraft<Kept<V>>(keptName)
  const [restored, setRestored] = useState<Date | null>(null)
  const [isTaken, setTaken] = useState(false)

  if (found && !isTaken && !suggested) {
    setTaken(true)
    const { draft, base: begun, last_modified } = found.value
    if (draft && differs(startValues, draft)) {
      form.rebase(last_modified ? read(begun) : base, read(draft))
      setRestored(found.at)
      // it may have begun on an older version: saving it then says so
      if (last_modified) setVersion({ id: start.id, last_modified: new Date(last_modified) })
    }
  }

  useEffect(() => {
    if (!isDirty) return undefined
    const last_modified = version.last_modified?.toISOString()
    const keep = () => keepDraft(keptName, { draft: values, base, last_modified } satisfies Kept<V>)
    const soon = setTimeout(keep, KEEP_MS)
    // a reload within that moment loses nothing either
    window.addEventListener('pagehide', keep)
    return () => {
      clearTimeout(soon)
      window.removeEventListener('pagehide', keep)
    }
  }, [keptName, isDirty, values, base, version])

  /** The record is stored now as `stored`; `next` is shown. */
  function begin({ id, last_modified }: KeptVersion, stored: V, next?: V) {
    setVersion({ id, ...(last_modified && { last_modified }) })
    form.begin(stored, next)
    setRestored(null)
  }

  // another user saved while nothing was changed here: there is nothing to ask
  const isNewer =
    start.last_modified && version.last_modified && start.last_modified > version.last_modified
  if (isNewer && !isDirty && !isSaving) begin(start, startValues)

  /** For text that is being typed: its box has it already, the rest of the screen follows. */
  const changeLater = useCallback(
    (next: (current: V) => V) => startTransition(() => change(next)),
    [change],
  )
  /** With the last letters typed: saving does not wait until the screen has caught up. */
  const newest = () =>
    new Promise<V>((resolve) =>
      changeLater((current) => {
        resolve(current)
        return current
      }),
    )
  const forget = () => forgetDraft(keptName)
  const takeNewest = () => begin(start, startValues)
  return {
    form,
    version,
    restored,
    begin,
    changeLater,
    newest,
    forget,
    takeNewest,
    discard: () => {
      forget()
      takeNewest()
    },
  }
}

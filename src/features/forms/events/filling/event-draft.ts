import { useCallback, useRef, useState } from 'react'
import type { GivenReasons } from '~/features/medicines/safety/second/given-reason'
import type { SentFile } from '~/forms/FilesInput'
import { newId } from '~/shared/id'
import type { Draft } from '~/ui/draft'
import { forgetDraft, keepDraft, useKeptDraft } from '~/ui/keptDraft'

/** A form that is being filled in, or changed: what of it is kept on this device until it is saved. */
type Kept = {
  id: string
  /** Of a change: the version of the answers that was read. */
  lastModified: string | null
  values: Draft
  files: Record<string, SentFile>
  /** What its questions were called: the form may change. Absent in a draft of an older version, like `reasons`. */
  labels?: Record<string, string>
  /** Why warnings about its medicines are overridden. */
  reasons?: GivenReasons
}

/**
 * Keeps what is being answered on this device for this person: over a reload, a power cut, a lost connection. The id is
 * chosen when it begins, so that saving it twice makes one record.
 */
export function useEventDraft(
  name: string,
  event: { id: string; last_modified: Date; files: readonly SentFile[] } | undefined,
  labels: Record<string, string>,
) {
  const [fresh, setFresh] = useState(() => ({ kept: beginning(event), round: 0 }))
  const found = useKeptDraft<Kept>(name)
  const isRestored = found !== null && fresh.round === 0
  const start = isRestored ? found.value : fresh.kept
  const [sent, setSent] = useState<Record<string, SentFile>>({})
  const files = {
    ...Object.fromEntries((event?.files ?? []).map((file) => [file.id, file])),
    ...start.files,
    ...sent,
  }
  const first = useRef<string>(undefined)
  const [given, setGiven] = useState<GivenReasons>()
  const reasons = given ?? start.reasons ?? NO_REASONS
  /** What was typed last, for a draft that is kept because a reason changed. */
  const typed = useRef<Draft>(undefined)

  /** Called with every change; the initial answers are not a draft. */
  const keep = useCallback(
    (values: Draft) => {
      const text = JSON.stringify(values)
      first.current ??= text
      typed.current = values
      if (!isRestored && text === first.current) return
      const all = { ...start.labels, ...labels }
      const kept = { ...start, values, files: { ...start.files, ...sent }, reasons, labels: all }
      keepDraft(name, kept satisfies Kept)
    },
    [name, start, sent, isRestored, reasons, labels],
  )
  function giveReasons(all: GivenReasons) {
    setGiven(all)
    const values = typed.current ?? start.values
    const kept = { ...start, values, files: { ...start.files, ...sent }, reasons: all }
    keepDraft(name, kept satisfies Kept)
  }
  const giveReason = (key: string, reason: GivenReasons[string]) =>
    giveReasons({ ...reasons, [key]: reason })
  const forget = () => forgetDraft(name)
  function discard() {
    forget()
    first.current = undefined
    setSent({})
    setGiven(undefined)
    setFresh({ kept: beginning(event), round: fresh.round + 1 })
  }
  const addFile = (file: SentFile) => setSent((before) => ({ ...before, [file.id]: file }))
  return {
    id: start.id,
    typed: isRestored ? start.values : undefined,
    lastModified: start.lastModified === null ? undefined : new Date(start.lastModified),
    keptAt: isRestored ? found.at : null,
    round: isRestored ? -1 : fresh.round,
    files,
    labels: start.labels,
    reasons,
    giveReason,
    giveReasons,
    keep,
    forget,
    discard,
    addFile,
  }
}

const beginning = (event?: { id: string; last_modified: Date }): Kept => ({
  id: event?.id ?? newId(),
  lastModified: event ? event.last_modified.toISOString() : null,
  values: {},
  files: {},
})
const NO_REASONS: GivenReasons = {}

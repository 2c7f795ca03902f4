import { useCallback, useRef, useState, useSyncExternalStore } from 'react'
import { newId } from '~/shared/id'
import type { Draft } from '~/ui/draft'
import { forgetDraft, keepDraft, keptDraft } from '~/ui/keptDraft'
import type { PictureUrl } from './photos/picture'

type Kept = { id: string; values: Draft; photo: PictureUrl | null }
type Start = Kept & { keptAt: Date | null; round: number }

/**
 * The registration that is being typed, kept on this device for this person. Its id is chosen when it begins, so that
 * saving it twice, or after a power cut, makes one patient.
 */
export function useRegistrationDraft(userId: string, blank: Draft) {
  const name = `registration:${userId}`
  const [fresh, setFresh] = useState<Start>(() => beginning(blank, 0))
  const [readOnce] = useState(() => once(() => keptDraft<Kept>(name)))
  // the server knows no drafts: the page is drawn empty there, and filled as soon as a browser has it
  const kept = useSyncExternalStore(neverChanges, readOnce, () => null)
  const start = kept && fresh.round === 0 ? { ...kept.value, keptAt: kept.at, round: 1 } : fresh
  const [chosen, setPhoto] = useState<PictureUrl | null>()
  const photo = chosen === undefined ? start.photo : chosen
  const wasWritten = useRef(false)

  const { id } = start
  /** Whenever the values change, and once more when the photo did. */
  const keepValues = useCallback(
    (values: Draft) => {
      if (photo || isBegun(values)) {
        keepDraft(name, { id, values, photo } satisfies Kept)
        wasWritten.current = true
      } else if (wasWritten.current) {
        forgetDraft(name)
      }
    },
    [name, id, photo],
  )
  /** Saved or given up: nothing is kept, and an empty form begins with a new id. The clinic stays chosen. */
  function clear(values: Draft) {
    forgetDraft(name)
    wasWritten.current = false
    setPhoto(undefined)
    setFresh(beginning({ primary_clinic_id: values['primary_clinic_id'] }, start.round + 1))
  }
  return { id, start, photo, setPhoto, keepValues, clear, forget: () => forgetDraft(name) }
}

const beginning = (values: Draft, round: number): Start => ({
  id: newId(),
  values,
  photo: null,
  keptAt: null,
  round,
})
const neverChanges = () => () => {}

function once<T>(read: () => T): () => T {
  let found: { value: T } | undefined
  return () => (found ??= { value: read() }).value
}

/** Something besides the clinic is there. */
const isBegun = ({ primary_clinic_id: _clinic, ...values }: Draft) =>
  Object.values(values).some(
    (value) => value !== null && value !== undefined && value !== '' && !isEmptyList(value),
  )
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

import { useCallback, useRef, useState } from 'react'
import { newId } from '~/shared/id'
import type { Draft } from '~/ui/draft'
import { forgetDraft, keepDraft, useKeptDraft } from '~/ui/keptDraft'
import type { PictureUrl } from './photos/picture'

type Kept = { id: string; values: Draft; photo: PictureUrl | null }
type Start = Kept & { keptAt: Date | null; round: number }

/**
 * The unsaved registration of this user on this device. Its id is chosen at the start, so that
 * saving it twice, or again after a power cut, creates one patient.
 */
export function useRegistrationDraft(userId: string, blank: Draft) {
  const name = `registration:${userId}`
  const [fresh, setFresh] = useState<Start>(() => beginning(blank, 0))
  const kept = useKeptDraft<Kept>(name)
  const start = kept && fresh.round === 0 ? { ...kept.value, keptAt: kept.at, round: 1 } : fresh
  const [chosen, setPhoto] = useState<PictureUrl | null>()
  const photo = chosen === undefined ? start.photo : chosen
  const wasWritten = useRef(false)

  const { id } = start
  /** Called when the values or the photo change. */
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
  /** Removes the draft and begins an empty form with a new id. The clinic stays selected. */
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
/** True if the user entered anything besides the clinic. */
const isBegun = ({ primary_clinic_id: _clinic, ...values }: Draft) =>
  Object.values(values).some(
    (value) => value !== null && value !== undefined && value !== '' && !isEmptyList(value),
  )
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

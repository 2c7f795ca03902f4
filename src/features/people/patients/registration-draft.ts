import { useCallback, useRef, useState } from 'react'
import { newId } from '~/shared/id'
import type { Draft } from '~/ui/draft'
import { forgetDraft, keepDraft, useKeptDraft } from '~/ui/keptDraft'
import type { PictureUrl } from './photos/picture'

type Kept = { id: string; values: Draft }
/** Of the draft with this id. */
type KeptPhoto = { id: string; photo: PictureUrl }
type Start = Kept & { photo: PictureUrl | null; keptAt: Date | null; round: number }

/**
 * The unsaved registration of this user on this device. Its id is chosen at the start, so that
 * saving it twice, or again after a power cut, creates one patient.
 */
export function useRegistrationDraft(userId: string, blank: Draft, motherId?: string) {
  const name = `registration:${userId}${motherId ? `:${motherId}` : ''}`
  // what is proposed is no entry of the user
  const [proposed] = useState(blank)
  const [fresh, setFresh] = useState<Start>(() => beginning(blank, 0))
  const kept = useKeptDraft<Kept>(name)
  const keptPhoto = useKeptDraft<KeptPhoto>(name, () => sessionStorage)?.value
  const start: Start =
    kept && fresh.round === 0
      ? {
          id: kept.value.id,
          values: kept.value.values,
          photo: keptPhoto?.id === kept.value.id ? keptPhoto.photo : null,
          keptAt: kept.at,
          round: 1,
        }
      : fresh
  const [chosen, setPhoto] = useState<PictureUrl | null>()
  const photo = chosen === undefined ? start.photo : chosen
  const wasWritten = useRef(false)
  const hadPhoto = useRef(false)

  const { id } = start
  /** Called when the values or the photo change. */
  const keepValues = useCallback(
    (values: Draft) => {
      if (photo) keepDraft(name, { id, photo } satisfies KeptPhoto, sessionStorage)
      // not before the photo of an earlier load was read
      else if (hadPhoto.current) forgetDraft(name, sessionStorage)
      hadPhoto.current = photo !== null
      if (photo || isBegun(values, proposed)) {
        keepDraft(name, { id, values } satisfies Kept)
        wasWritten.current = true
      } else if (wasWritten.current) {
        forgetDraft(name)
      }
    },
    [name, id, photo, proposed],
  )
  function forget() {
    forgetDraft(name)
    forgetDraft(name, sessionStorage)
  }
  /** Removes the draft and begins an empty form with a new id. The clinic stays selected. */
  function clear(values: Draft) {
    forget()
    wasWritten.current = false
    setPhoto(undefined)
    setFresh(
      beginning({ ...proposed, primary_clinic_id: values['primary_clinic_id'] }, start.round + 1),
    )
  }
  return { id, start, photo, setPhoto, keepValues, clear, forget }
}

const beginning = (values: Draft, round: number): Start => ({
  id: newId(),
  values,
  photo: null,
  keptAt: null,
  round,
})
/** True if the user entered anything besides the clinic and what was proposed. */
const isBegun = ({ primary_clinic_id: _clinic, ...values }: Draft, proposed: Draft) =>
  Object.entries(values).some(
    ([name, value]) =>
      value !== null &&
      value !== undefined &&
      value !== '' &&
      value !== proposed[name] &&
      !isEmptyList(value),
  )
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

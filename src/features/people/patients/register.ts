import { useCallback } from 'react'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { AppError } from '~/shared/errors'
import { useSay } from '~/shared/say'
import type { Draft } from '~/ui/draft'
import { givenAnswers } from './patient-answers'
import { pictureBase64, type PictureUrl } from './photos/picture'

type Registration = {
  id: string
  clinicId: string
  values: Draft
  photo: PictureUrl | null
  motherId: string | undefined
}

/** Registers the patient, then adds the photo. A failed photo does not undo the registration. */
export function useRegister() {
  const say = useSay()
  return useCallback(
    async ({ id, clinicId, values, photo, motherId }: Registration) => {
      const given = { id, primary_clinic_id: clinicId, ...givenAnswers(values) }
      await api.patients
        .create({ ...given, ...(motherId && { mother_id: motherId }) })
        .catch((error: unknown) => finishEarlier(error, given))
      if (!photo) return
      try {
        await api.photos.save({ id, image: pictureBase64(photo) })
      } catch {
        toast.warning(say('photos.notSaved'))
      }
    },
    [say],
  )
}

type Given = { id: string; primary_clinic_id: string } & ReturnType<typeof givenAnswers>

/** The response of the first save was lost and the user typed more since: saves it as a change. */
async function finishEarlier(error: unknown, given: Given) {
  const isMine =
    error instanceof AppError && error.code === 'conflict' && error.text.key === 'errors.staleByYou'
  if (!isMine) throw error
  const { patient } = await api.patients.get({ id: given.id })
  return api.patients.save({ ...given, last_modified: patient.last_modified })
}

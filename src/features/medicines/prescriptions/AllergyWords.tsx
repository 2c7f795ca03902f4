import { isNoneKnown } from '~/records/allergy'
import { useSay } from '~/shared/say'
import type { Allergy } from '~/features/care/allergies/allergies.server'
import { toAllergyState } from '~/features/care/allergies/allergy'

type Active = Parameters<typeof toAllergyState>[0][number] &
  Pick<Allergy, 'id' | 'substance' | 'reaction'>

/** What was recorded, or that it was not asked: an empty line would read as "none". */
export function AllergyWords({ allergies }: { allergies: readonly Active[] }) {
  const say = useSay()
  const { state } = toAllergyState(allergies)
  if (state === 'not_asked') return say('prescriptions.allergiesNotAsked')
  if (state === 'none_known') return say('allergies.noneKnown')
  return allergies
    .filter((allergy) => !isNoneKnown(allergy))
    .map(({ id, substance, reaction }, at) => (
      <span key={id}>
        {at > 0 && ' · '}
        <bdi>{reaction ? `${substance} (${reaction})` : substance}</bdi>
      </span>
    ))
}

import { longText, optional, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { record } from './record'

export const SEVERITIES = ['mild', 'moderate', 'severe'] as const
export type AllergySeverity = (typeof SEVERITIES)[number]
export const ALLERGY_STATUSES = ['active', 'inactive', 'refuted'] as const
/** How a substance is known; `none_known` records that the patient was asked and has no known allergy. */
export type SubstanceKind = 'ingredient' | 'drug_class' | 'other' | 'none_known'

export const isSeverity = (severity: string | null): severity is AllergySeverity =>
  SEVERITIES.some((known) => known === severity)

/** The row that says that the patient was asked and has no known allergy. */
export const isNoneKnown = ({ substance_kind }: { substance_kind: string }) =>
  substance_kind === ('none_known' satisfies SubstanceKind)

/** Whether the safety check compares it. `loadActiveAllergies` reads such rows. */
export const isActiveAllergy = ({ status }: { status: string }) => status === 'active'

const allergyLabelKey = (
  value: (typeof SEVERITIES | typeof ALLERGY_STATUSES)[number],
): MessageKey => `allergies.${value}`

export const allergyRecord = record('patient_allergies', {
  patient_id: {},
  substance: {
    field: text('allergies.substance', {
      requiredMessage: 'allergies.substanceRequired',
      hint: 'allergies.substanceHint',
    }),
  },
  // what the safety rules check; a substance in the user's own words has no code
  substance_kind: {},
  substance_code: {},
  reaction: {
    field: optional(text('allergies.reaction', { max: 300, hint: 'allergies.reactionHint' })),
  },
  severity: { field: optional(select('allergies.severity', SEVERITIES, allergyLabelKey)) },
  status: { field: select('allergies.status', ALLERGY_STATUSES, allergyLabelKey) },
  notes: { field: optional(longText('allergies.notes', { max: 1000 })) },
})

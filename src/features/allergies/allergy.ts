import * as z from 'zod'
import { longText, optional, schemaOf, select, text } from '~/fields/field'
import type { DrugClass } from '~/features/safety/drug-classes'
import { canonical, isKnownIngredient, KNOWN_INGREDIENTS } from '~/features/safety/ingredients'
import { isDrugClass } from '~/features/safety/substances'
import type { AllergyScope } from '~/features/safety/warning'
import type { MessageKey } from '~/shared/language'
import { orNull, Saved } from '~/shared/record'

export const SEVERITIES = ['mild', 'moderate', 'severe'] as const
export type AllergySeverity = (typeof SEVERITIES)[number]
export const ALLERGY_STATUSES = ['active', 'inactive', 'refuted'] as const
export type AllergyStatus = (typeof ALLERGY_STATUSES)[number]
/** How a substance is known: `none_known` is the statement that somebody asked and there are none. */
export const SUBSTANCE_KINDS = ['ingredient', 'drug_class', 'other', 'none_known'] as const
export type SubstanceKind = (typeof SUBSTANCE_KINDS)[number]

export const allergyFields = {
  substance: text('allergies.substance', {
    requiredMessage: 'allergies.substanceRequired',
    hint: 'allergies.substanceHint',
  }),
  reaction: optional(text('allergies.reaction', { max: 300, hint: 'allergies.reactionHint' })),
  severity: optional(
    select('allergies.severity', SEVERITIES, (severity): MessageKey => `allergies.${severity}`),
  ),
  status: select(
    'allergies.status',
    ALLERGY_STATUSES,
    (status): MessageKey => `allergies.${status}`,
  ),
  notes: optional(longText('allergies.notes', { max: 1000 })),
}

/** `substance_kind` and `substance_code` say what the rules check; a substance in one's own words has neither. */
export const SaveAllergy = Saved.extend({
  patient_id: z.uuid('validation.id'),
  substance_kind: z
    .enum(['ingredient', 'drug_class', 'other'], 'validation.option')
    .default('other'),
  substance_code: orNull(z.string('validation.wrongType').max(100, 'validation.tooLong')),
})
  .extend(schemaOf(allergyFields).shape)
  .superRefine(({ substance_kind, substance_code }, ctx) => {
    const isRight = {
      // a code that an older version stored may have got another spelling since
      ingredient:
        substance_code !== null &&
        substance_code !== '' &&
        (canonical(substance_code) === substance_code ||
          (substance_code === substance_code.toLowerCase() && isKnownIngredient(substance_code))),
      drug_class: substance_code !== null && isDrugClass(substance_code),
      other: substance_code === null,
    }[substance_kind]
    if (!isRight)
      ctx.addIssue({ code: 'custom', message: 'validation.option', path: ['substance_code'] })
  })
export const AllergyId = z.object({ id: z.uuid('validation.id') })
export const RecordNone = z.object({
  id: z.uuid('validation.id'),
  patientId: z.uuid('validation.id'),
})

type ActiveAllergy = { substance_kind: string; created_at: Date; recorded_by: string | null }

/** "Not asked" is no "none": a check then says that it compared nothing. */
export function allergyStateOf(active: readonly ActiveAllergy[]): AllergyScope {
  const known = active.filter(({ substance_kind }) => substance_kind !== 'none_known')
  if (known.length > 0) return { state: 'recorded', count: known.length }
  const statement = active.at(-1)
  return statement
    ? { state: 'none_known', at: statement.created_at, by: statement.recorded_by }
    : { state: 'not_asked' }
}

type ClassName = { name: DrugClass; label: string }

/**
 * Names that begin with what is typed, then those that contain it; classes first, by their English name as well: "penicill"
 * on an Arabic screen means the penicillins, not penicillamine. Nothing is suggested once a name is complete.
 */
export function suggestedSubstances(search: string, classes: readonly ClassName[]): string[] {
  const text = search.trim().toLowerCase()
  const named = [
    ...classes.map(({ name, label }) => ({
      label,
      names: [label.toLowerCase(), name.replaceAll('_', ' ')],
    })),
    ...KNOWN_INGREDIENTS.map((label) => ({ label, names: [label.toLowerCase()] })),
  ]
  if (named.some(({ names }) => names[0] === text)) return []
  const starts = named.filter(({ names }) => names.some((name) => name.startsWith(text)))
  const contains = named.filter(
    (one) => !starts.includes(one) && one.names.some((name) => name.includes(text)),
  )
  return [...starts, ...contains].map(({ label }) => label)
}

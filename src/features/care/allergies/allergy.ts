import * as z from 'zod'
import type { DrugClass } from '~/features/medicines/safety/rules/drug-classes'
import {
  canonicalIngredient,
  isKnownIngredient,
  KNOWN_INGREDIENTS,
} from '~/features/medicines/safety/rules/ingredients'
import { isDrugClass } from '~/features/medicines/safety/rules/substances'
import type { AllergyState } from '~/features/medicines/safety/rules/warning'
import { allergyRecord, isNoneKnown } from '~/records/allergy'
import { orNull } from '~/shared/record'

/** What a substance is that no rule knows (https://hl7.org/fhir/R4/valueset-allergy-intolerance-category.html). */
export const ALLERGY_CATEGORIES = ['food', 'medication', 'environment', 'biologic'] as const

/** https://hl7.org/fhir/R4/valueset-allergyintolerance-verification.html, without those that a status of Sanad says. */
export const ALLERGY_VERIFICATIONS = ['confirmed', 'unconfirmed'] as const

export const SaveAllergyInput = allergyRecord.save
  .extend({
    patient_id: z.uuid('validation.id'),
    substance_kind: z
      .enum(['ingredient', 'drug_class', 'other'], 'validation.option')
      .default('other'),
    substance_code: orNull(z.string('validation.wrongType').max(100, 'validation.tooLong')),
    // absent: as it is stored
    category: z.enum(ALLERGY_CATEGORIES, 'validation.option').nullish(),
    // how sure another program is of this substance; Sanad does not ask
    verification: z.enum(ALLERGY_VERIFICATIONS, 'validation.option').nullish(),
  })
  .superRefine(({ substance_kind, substance_code }, ctx) => {
    const isRight = {
      // the spelling of a code may have changed since an older version stored it
      ingredient:
        !!substance_code &&
        (canonicalIngredient(substance_code) === substance_code ||
          (substance_code === substance_code.toLowerCase() && isKnownIngredient(substance_code))),
      drug_class: substance_code !== null && isDrugClass(substance_code),
      other: substance_code === null,
    }[substance_kind]
    if (!isRight)
      ctx.addIssue({ code: 'custom', message: 'validation.option', path: ['substance_code'] })
  })
export const RecordNoAllergiesInput = z.object({
  id: z.uuid('validation.id'),
  patientId: z.uuid('validation.id'),
})

type ActiveAllergy = { substance_kind: string; created_at: Date; recorded_by: string | null }

/** "Not asked" differs from "none known": a check then says that it compared nothing. */
export function toAllergyState(active: readonly ActiveAllergy[]): AllergyState {
  const known = active.filter((allergy) => !isNoneKnown(allergy))
  if (known.length > 0) return { state: 'recorded', count: known.length }
  const statement = active.at(-1)
  return statement
    ? { state: 'none_known', at: statement.created_at, by: statement.recorded_by }
    : { state: 'not_asked' }
}

type ClassName = { name: DrugClass; label: string }

/**
 * Names that begin with what is typed, then those that contain it; classes first, by their English
 * name as well: "penicill" on an Arabic screen means the penicillins, not penicillamine. Nothing is
 * suggested once a name is complete.
 */
export function suggestSubstances(search: string, classes: readonly ClassName[]): string[] {
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

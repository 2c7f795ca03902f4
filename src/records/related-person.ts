import { longText, optional, reference, select, text } from '~/fields/field'
import { type Birth, birthSpan } from '~/fields/birth'
import { parseSex } from '~/fields/sex'
import type { MessageKey } from '~/shared/language'
import { record } from './record'

/** What a person is to the patient. `ward`: the patient is the guardian. */
const RELATIONSHIPS = [
  'mother',
  'father',
  'child',
  'spouse',
  'guardian',
  'ward',
  'contact',
] as const
export type Relationship = (typeof RELATIONSHIPS)[number]
/** What only the other end of a link can be: a parent of unknown sex, or the patient who has this one as contact. */
export type SeenRelationship = Relationship | 'parent' | 'contactOf'

/** What the first person is to the second, where the second is `relationship` to the first. */
export function inverseRelationship(
  relationship: Relationship,
  sex: string | null,
): SeenRelationship {
  switch (relationship) {
    case 'mother':
    case 'father':
      return 'child'
    case 'child':
      if (parseSex(sex) === 'female') return 'mother'
      if (parseSex(sex) === 'male') return 'father'
      return 'parent'
    case 'spouse':
      return 'spouse'
    case 'guardian':
      return 'ward'
    case 'ward':
      return 'guardian'
    case 'contact':
      return 'contactOf'
  }
}

/** A mother whose record says male, or a father whose record says female: one of the two is wrong. */
function sexFault(relationship: SeenRelationship, sex: string | null): MessageKey | null {
  const is = parseSex(sex)
  if (relationship === 'mother' && is === 'male') return 'relatedPersons.recorded_male'
  return relationship === 'father' && is === 'female' ? 'relatedPersons.recorded_female' : null
}

export type Relative = { sex: string | null; birth: Birth | null }

/**
 * Why `other` cannot be `relationship` to a patient, in the words of that field: the sex of a mother or father, or a
 * parent who was certainly born after the child.
 */
export function relationFault(
  relationship: SeenRelationship,
  of: Relative,
  other: Relative,
): MessageKey | null {
  const isParent = ['mother', 'father', 'parent'].includes(relationship)
  if (isParent && isBornAfter(other.birth, of.birth)) return 'relatedPersons.parentYounger'
  if (relationship === 'child' && isBornAfter(of.birth, other.birth))
    return 'relatedPersons.childOlder'
  return sexFault(relationship, other.sex)
}

const isBornAfter = (parent: Birth | null, child: Birth | null) =>
  parent !== null && child !== null && birthSpan(parent)[0] > birthSpan(child)[1]

export const relatedPersonRecord = record('related_persons', {
  patient_id: {},
  relationship: {
    field: select(
      'relatedPersons.relationship',
      RELATIONSHIPS,
      (relationship): MessageKey => `relatedPersons.is_${relationship}`,
    ),
  },
  related_patient_id: {
    field: optional(reference('relatedPersons.patient')),
  },
  name: {
    field: optional(text('relatedPersons.name', { max: 200, hint: 'relatedPersons.nameHint' })),
  },
  phone: { field: optional(text('relatedPersons.phone', { max: 100, isCode: true })) },
  notes: { field: optional(longText('relatedPersons.notes', { max: 1000 })) },
})

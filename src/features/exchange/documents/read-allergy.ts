import { isDrugClass, recognize, saysNone } from '~/features/medicines/safety/rules/substances'
import { isKnownIngredient } from '~/features/medicines/safety/rules/ingredients'
import { SEVERITIES } from '~/records/allergy'
import type { Message } from '~/shared/errors'
import { ALLERGY_CATEGORIES, ALLERGY_VERIFICATIONS } from '~/features/care/allergies/allergy'
import type { DocumentEntry } from './bundle'
import { conceptCodes } from './codes'
import type { EntryReading } from './document'
import { AllergyShape, type Concept, onsetText, saysCode, statusIn, conceptLabel } from './shapes'
import { saysNothing } from './says-nothing'
import { statusCodes } from './status'

/** Sanad's own names of what its safety check knows, as its FHIR writes them. */
const OWN = {
  ingredient: 'urn:sanad:ingredient',
  drug_class: 'urn:sanad:drug-class',
} as const
const LONGEST_REACTION = 300

export function readAllergy(entry: DocumentEntry): EntryReading {
  const said = AllergyShape.parse(entry.resource)
  const clinical = statusIn(said.clinicalStatus, 'allergyintolerance-clinical')
  const verification = statusIn(said.verificationStatus, 'allergyintolerance-verification')
  const onset = onsetText(said)
  const substance =
    conceptLabel(said.code) ?? said.reaction.map((one) => conceptLabel(one.substance)).find(Boolean)
  const reactions = said.reaction
    .flatMap(({ manifestation }) => manifestation.flatMap((one) => conceptLabel(one) ?? []))
    .join(', ')
  const severity =
    SEVERITIES.findLast((known) => said.reaction.some((one) => one.severity === known)) ?? null
  const notes: Message[] = []
  const level = (['high', 'low'] as const).find((one) => one === said.criticality)
  const criticality = level && (`documents.criticality_${level}` as const)
  const about = {
    kind: 'allergies' as const,
    words: substance ?? '',
    codes: conceptCodes(said.code),
    details: [
      ...(reactions ? [{ text: reactions }] : []),
      ...(severity ? [`allergies.${severity}` as const] : []),
      ...(criticality ? [criticality] : []),
      ...(said.note ? [{ text: said.note }] : []),
    ],
    when: onset,
    statuses: statusCodes(said.clinicalStatus, said.verificationStatus),
    notes,
  }
  const refuse = (key: Message['key']) => ({ ...about, refused: { key } })
  if (substance === undefined) return refuse('documents.noWords')
  if (saysNothing(said.code) || saysNone(substance)) return refuse('documents.saysNone')
  if (saysCode(said.verificationStatus, 'entered-in-error'))
    return refuse('documents.enteredInError')
  if (saysCode(said.verificationStatus, 'refuted')) return refuse('documents.refuted')
  const isOver = clinical === 'inactive' || clinical === 'resolved'
  // what nobody knows lowers no risk
  if (clinical !== 'active' && !isOver) notes.push({ key: 'documents.statusNotSaid' })
  const coded = recognized(said.code, substance)
  if (coded.substance_kind === 'other') notes.push({ key: 'documents.notRecognized' })
  const [category, ...more] = said.category
  const known = ALLERGY_CATEGORIES.find((one) => one === category)
  return {
    ...about,
    take: {
      kind: 'allergies',
      input: {
        substance,
        ...coded,
        reaction: reactions && reactions.length <= LONGEST_REACTION ? reactions : null,
        severity,
        status: isOver ? 'inactive' : 'active',
        notes: [
          said.note,
          ...(onset ? [{ key: 'documents.onsetSaid' as const, values: { when: onset } }] : []),
          reactions.length > LONGEST_REACTION ? reactions : '',
          ...(criticality ? [{ key: criticality }] : []),
        ],
        category: coded.substance_kind === 'other' && more.length === 0 ? (known ?? null) : null,
        // a code that Sanad does not know is no confirmation
        verification:
          ALLERGY_VERIFICATIONS.find((one) => one === verification) ??
          (said.verificationStatus ? 'unconfirmed' : null),
      },
    },
  }
}

/** By Sanad's own code, else by the words, else by the name that a code has. */
function recognized(code: Concept | undefined, words: string) {
  for (const coding of code?.coding ?? []) {
    const kind = (['ingredient', 'drug_class'] as const).find((one) => OWN[one] === coding.system)
    const own = coding.code
    if (kind && own && (kind === 'drug_class' ? isDrugClass(own) : isKnownIngredient(own)))
      return { substance_kind: kind, substance_code: own }
  }
  const names = [words, ...(code?.coding ?? []).flatMap(({ display }) => display ?? [])]
  const found = names.map(recognize).find(({ substance_kind }) => substance_kind !== 'other')
  return found ?? { substance_kind: 'other' as const, substance_code: null }
}

import { type Document, documentIn, type Entry } from './bundle'
import { codesOf } from './codes'
import type { Reading } from './document'
import { readAllergy } from './read-allergy'
import { readImmunization } from './read-immunization'
import { readMedicine } from './read-medicine'
import { readProblem } from './read-problem'
import { readVital } from './read-vital'
import { ObservationShape, OtherShape, quantityText, wordsOf } from './shapes'
import { statusesOf } from './status'

/** What only says who wrote the document, whom it is about, or what an entry refers to. */
const CONTEXT = new Set([
  'Composition',
  'Patient',
  'Practitioner',
  'PractitionerRole',
  'Organization',
  'RelatedPerson',
  'Location',
  'Medication',
  'Device',
  'Specimen',
  'Provenance',
  'Encounter',
])

type Read = { entry: Entry; reading: Reading }

/** What a file says, entry by entry. */
export function readDocument(text: string): {
  document: Document
  entries: Read[]
} {
  // one moment for the whole document: two lines of today without a time are of the same moment
  const now = new Date()
  const document = documentIn(text)
  const entries = document.entries
    .filter(({ resource }) => !CONTEXT.has(resource.resourceType))
    .map((entry) => {
      const reading = readingOf(entry, document, now)
      return {
        entry,
        reading:
          entry.about === 'patient'
            ? reading
            : {
                ...withoutTake(reading),
                refused: { key: REFUSED[entry.about] },
              },
      }
    })
  return { document, entries }
}

const REFUSED = {
  other: 'documents.ofOther',
  unknown: 'documents.ofUnknown',
  modified: 'documents.modified',
} as const

function withoutTake(reading: Reading) {
  const { take: _take, ...said } = { take: undefined, ...reading }
  return said
}

function readingOf(entry: Entry, document: Document, now: Date): Reading {
  switch (entry.resource.resourceType) {
    case 'AllergyIntolerance':
      return readAllergy(entry)
    case 'Condition':
      return readProblem(entry, now)
    case 'MedicationStatement':
    case 'MedicationRequest':
      return readMedicine(entry, document, now)
    case 'Immunization':
      return readImmunization(entry)
    case 'Observation':
      return readVital(entry, now) ?? otherObservation(entry)
    default:
      return other(entry)
  }
}

const NO_PLACE = { key: 'documents.noPlace' } as const

function otherObservation(entry: Entry): Reading {
  const said = ObservationShape.parse(entry.resource)
  const { valueQuantity: quantity } = said
  const value =
    quantityText(quantity) ||
    (said.valueString ?? wordsOf(said.valueCodeableConcept) ?? said.valueDateTime)
  return {
    kind: 'others',
    words: wordsOf(said.code) ?? entry.resource.resourceType,
    codes: codesOf(said.code),
    details: value ? [{ text: value }] : [],
    when: said.effectiveDateTime ?? said.effectivePeriod?.start ?? null,
    statuses: statusesOf(said.status),
    notes: [],
    refused: NO_PLACE,
  }
}

function other(entry: Entry): Reading {
  const said = OtherShape.parse(entry.resource)
  const concept = said.code ?? said.type ?? said.category
  return {
    kind: 'others',
    words: wordsOf(concept) ?? said.description ?? '',
    codes: codesOf(concept),
    details: [{ text: entry.resource.resourceType }],
    when:
      said.performedDateTime ??
      said.performedPeriod?.start ??
      said.effectiveDateTime ??
      said.occurrenceDateTime ??
      said.date ??
      said.period?.start ??
      null,
    statuses: statusesOf(said.status),
    notes: [],
    refused: NO_PLACE,
  }
}

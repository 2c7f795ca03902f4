import { type Document, documentIn, type DocumentEntry } from './bundle'
import { conceptCodes } from './codes'
import type { EntryReading } from './document'
import { readAllergy } from './read-allergy'
import { readImmunization } from './read-immunization'
import { readMedicineEntry } from './read-medicine'
import { readProblem } from './read-problem'
import { readVital } from './read-vital'
import { ObservationShape, OtherShape, documentQuantity, conceptLabel } from './shapes'
import { statusCodes } from './status'

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

type Read = { entry: DocumentEntry; reading: EntryReading }

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
      const reading = readEntry(entry, document, now)
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

function withoutTake(reading: EntryReading) {
  const { take: _take, ...said } = { take: undefined, ...reading }
  return said
}

function readEntry(entry: DocumentEntry, document: Document, now: Date): EntryReading {
  switch (entry.resource.resourceType) {
    case 'AllergyIntolerance':
      return readAllergy(entry)
    case 'Condition':
      return readProblem(entry, now)
    case 'MedicationStatement':
    case 'MedicationRequest':
      return readMedicineEntry(entry, document, now)
    case 'Immunization':
      return readImmunization(entry)
    case 'Observation':
      return readVital(entry, now) ?? otherObservation(entry)
    default:
      return other(entry)
  }
}

const NO_PLACE = { key: 'documents.noPlace' } as const

function otherObservation(entry: DocumentEntry): EntryReading {
  const said = ObservationShape.parse(entry.resource)
  const { valueQuantity: quantity } = said
  const value =
    documentQuantity(quantity) ||
    (said.valueString ?? conceptLabel(said.valueCodeableConcept) ?? said.valueDateTime)
  return {
    kind: 'others',
    words: conceptLabel(said.code) ?? entry.resource.resourceType,
    codes: conceptCodes(said.code),
    details: value ? [{ text: value }] : [],
    when: said.effectiveDateTime ?? said.effectivePeriod?.start ?? null,
    statuses: statusCodes(said.status),
    notes: [],
    refused: NO_PLACE,
  }
}

function other(entry: DocumentEntry): EntryReading {
  const said = OtherShape.parse(entry.resource)
  const concept = said.code ?? said.type ?? said.category
  return {
    kind: 'others',
    words: conceptLabel(concept) ?? said.description ?? '',
    codes: conceptCodes(concept),
    details: [{ text: entry.resource.resourceType }],
    when:
      said.performedDateTime ??
      said.performedPeriod?.start ??
      said.effectiveDateTime ??
      said.occurrenceDateTime ??
      said.date ??
      said.period?.start ??
      null,
    statuses: statusCodes(said.status),
    notes: [],
    refused: NO_PLACE,
  }
}

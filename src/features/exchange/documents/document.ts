import * as z from 'zod'
import type { CodedVital } from '~/shared/loinc'
import type { Message } from '~/shared/errors'
import type { Sayable } from '~/shared/say'
import type { Vaccine } from '~/shared/vaccines'

/** What is taken over, in the order of the page; `others` are shown and have no place here. */
export const KINDS = [
  'allergies',
  'problems',
  'medicines',
  'immunizations',
  'vitals',
  'others',
] as const
export type EntryKind = (typeof KINDS)[number]

/** Characters of a file. A summary of many years has a tenth of it; a scan inside of the file makes it larger. */
export const LARGEST_DOCUMENT = 5_000_000
/** Entries of a document. */
export const MOST_ENTRIES = 2_000
/** Lines that are taken at once: each is a save of its own in one transaction. */
const MOST_TAKEN = 500

export const PreviewDocument = z.object({
  patientId: z.uuid('validation.id'),
  text: z.string('validation.wrongType').max(LARGEST_DOCUMENT, 'documents.tooLarge'),
})

export const TakeEntries = PreviewDocument.extend({
  file_name: z
    .string('validation.wrongType')
    .trim()
    .min(1, 'validation.required')
    .max(255, 'validation.tooLong'),
  /** The keys of the lines. */
  entries: z
    .array(z.string('validation.wrongType').max(100, 'validation.tooLong'), 'validation.wrongType')
    .min(1, 'documents.nothingChosen')
    .max(MOST_TAKEN, 'documents.tooManyChosen'),
  /** The answer to whether document and record are about one person, where they differ. */
  same_person: z.boolean('validation.wrongType').optional(),
})

/** A field in which document and record differ, so that they can be about different people. */
export type IdentityDifference =
  | {
      what: 'family' | 'given' | 'sex' | 'birth'
      /** One of the two does not say it. */
      isUnknown: boolean
    }
  | { what: 'number'; isUnknown: false }

/** What an entry of a document says, whether or not it has a place here. */
type Said = {
  words: string
  /** The codes, each with its system. */
  codes: readonly string[]
  /** Each a line below: the dose, a reaction. */
  details: readonly Sayable[]
  /** As the document says it: a year, a month, a day or a moment. */
  when: string | null
  /** The same of its end. */
  until?: string | undefined
  /** The codes of its statuses. */
  statuses: readonly string[]
  /** What of it is not taken over, or read in a way that a person should know. */
  notes: readonly Message[]
}

/** Lines of a note: the words of the document, and sentences in the language of the user. */
type Noted = readonly (string | Message)[]

type AllergyToTake = {
  substance: string
  substance_kind: 'ingredient' | 'drug_class' | 'other'
  substance_code: string | null
  reaction: string | null
  severity: 'mild' | 'moderate' | 'severe' | null
  status: 'active' | 'inactive'
  notes: Noted
  category: 'food' | 'medication' | 'environment' | 'biologic' | null
  verification: 'confirmed' | 'unconfirmed' | null
}
export type ProblemToTake = {
  problem_code_system: 'icd10' | 'icd10cm' | 'icd11' | 'snomed' | 'uncoded'
  problem_code: string
  problem_label: string
  clinical_status: 'active' | 'unknown' | 'remission' | 'inactive' | 'resolved'
  verification_status: 'confirmed' | 'provisional' | 'unconfirmed'
  severity_score: number | null
  onset_date: string | null
  onset_at: Date | null
  end_date: string | null
  ended_at: Date | null
  laterality: 'left' | 'right' | 'both' | null
}
export type MedicineToTake = {
  name: string
  ingredients: string[]
  dose: string | null
  source: 'other_clinic' | 'pharmacy' | 'brought' | 'traditional' | 'unknown'
  since: string | null
  until: string | null
  notes: Noted
}
type ImmunizationToTake = {
  vaccine: Vaccine
  given_on: string
  dose_number: number | null
  lot: string | null
  notes: Noted
}
export type VitalToTake = {
  timestamp: Date
  values: Partial<Record<CodedVital, number>>
  bp_position: 'sitting' | 'standing' | 'lying' | null
  height_position: 'standing' | 'lying' | null
}

export type ToTake =
  | { kind: 'allergies'; input: AllergyToTake }
  | {
      kind: 'problems'
      input: ProblemToTake
      /** All codings of the document, and its beginning as it says it: for comparing. */
      codes: readonly { system: string; code: string }[]
      onset: string | null
    }
  | { kind: 'medicines'; input: MedicineToTake }
  | { kind: 'immunizations'; input: ImmunizationToTake }
  | { kind: 'vitals'; input: VitalToTake }

/** What one entry is read as: to be taken over, or why not. */
export type EntryReading = Said & { kind: EntryKind } & ({ take: ToTake } | { refused: Message })

import * as z from 'zod'
import { cleanLine, cleanText } from '~/shared/typed-text'

/*
 * What is read of FHIR R4 resources that another program wrote. Nothing is refused for its shape: an element that is
 * missing, of another type or empty is one that the document does not say. Keys that are not named here are never read.
 */

/** More than a person reads of one element. */
const LONGEST = 2_000

const Line = z.string().transform(cleanLine).pipe(z.string().min(1).max(LONGEST))
const Line0 = Line.optional().catch(undefined)
const Words = z.string().transform(cleanText).pipe(z.string().trim().min(1).max(LONGEST))

const lenientList = <S extends z.ZodType>(schema: S) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((list) =>
      list.slice(0, MOST_OF_A_LIST).flatMap((one): z.output<S>[] => {
        const read = schema.safeParse(one)
        return read.success ? [read.data] : []
      }),
    )
/** Repeats of one element. */
const MOST_OF_A_LIST = 100

const maybe = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined)

const Coding = z.object({ system: Line0, code: Line0, display: Line0 })
const ConceptShape = z.object({ text: Line0, coding: lenientList(Coding) })
export type Concept = z.output<typeof ConceptShape>
const Concept0 = maybe(ConceptShape)
const Identifier = z.object({ system: Line0, value: Line0 })
const ReferenceShape = z.object({
  reference: Line0,
  display: Line0,
  identifier: maybe(Identifier),
})
export type EntryReference = z.output<typeof ReferenceShape>
const Reference0 = maybe(ReferenceShape)
const Period0 = maybe(z.object({ start: Line0, end: Line0 }))
const Number0 = maybe(z.number())
const Quantity0 = maybe(
  z.object({
    value: Number0,
    comparator: Line0,
    unit: Line0,
    code: Line0,
    system: Line0,
  }),
)
const Notes = lenientList(z.object({ text: Words })).transform((notes) =>
  notes.map(({ text }) => text).join('\n'),
)
const Extensions = lenientList(
  z.object({ url: Line0, valueCodeableConcept: Concept0, valueCode: Line0 }),
)

export const PatientShape = z.object({
  name: lenientList(z.object({ text: Line0, family: Line0, given: lenientList(Line) })),
  gender: Line0,
  birthDate: Line0,
  identifier: lenientList(Identifier),
})

export const CompositionShape = z.object({
  status: Line0,
  title: Line0,
  date: Line0,
  subject: Reference0,
  author: lenientList(ReferenceShape),
  custodian: Reference0,
  section: lenientList(
    z.object({
      title: Line0,
      code: Concept0,
      entry: lenientList(ReferenceShape),
      emptyReason: Concept0,
      text: maybe(z.object({ div: z.string().max(100_000) })),
    }),
  ),
})

/** A Practitioner has names, an Organization one name, a PractitionerRole refers to both. */
export const AuthorShape = z.object({
  name: z
    .union([
      Line.transform((text) => [{ text }]),
      lenientList(
        z.object({ text: Line0, family: Line0, given: lenientList(Line) }).transform((name) => ({
          text: name.text ?? [...name.given, name.family].filter(Boolean).join(' '),
        })),
      ),
    ])
    .catch([]),
  organization: Reference0,
  practitioner: Reference0,
})

export const AllergyShape = z.object({
  clinicalStatus: Concept0,
  verificationStatus: Concept0,
  category: lenientList(Line),
  criticality: Line0,
  code: Concept0,
  onsetDateTime: Line0,
  onsetPeriod: Period0,
  onsetAge: Quantity0,
  onsetString: Line0,
  note: Notes,
  reaction: lenientList(
    z.object({
      substance: Concept0,
      manifestation: lenientList(ConceptShape),
      severity: Line0,
    }),
  ),
})

export const ConditionShape = z.object({
  clinicalStatus: Concept0,
  verificationStatus: Concept0,
  severity: Concept0,
  code: Concept0,
  bodySite: lenientList(ConceptShape),
  onsetDateTime: Line0,
  onsetPeriod: Period0,
  onsetAge: Quantity0,
  onsetString: Line0,
  note: Notes,
  abatementDateTime: Line0,
  abatementPeriod: Period0,
})

// what is not named here is kept: a dose of which a part is not known is not written out
const Dosage = z.looseObject({
  text: Line0,
  route: Concept0,
  timing: maybe(
    z.looseObject({
      code: Concept0,
      repeat: maybe(
        z.looseObject({
          boundsPeriod: Period0,
          frequency: Number0,
          period: Number0,
          periodUnit: Line0,
        }),
      ),
    }),
  ),
  doseAndRate: lenientList(z.looseObject({ doseQuantity: Quantity0 })),
})
export type DosageSaid = z.output<typeof Dosage>

export const MedicationUseShape = z.object({
  status: Line0,
  intent: Line0,
  doNotPerform: maybe(z.boolean()),
  category: Concept0,
  medicationCodeableConcept: Concept0,
  medicationReference: Reference0,
  effectiveDateTime: Line0,
  effectivePeriod: Period0,
  authoredOn: Line0,
  note: Notes,
  /** Of a statement, and of a request. */
  dosage: lenientList(Dosage),
  dosageInstruction: lenientList(Dosage),
})

export const MedicationShape = z.object({
  code: Concept0,
  ingredient: lenientList(
    z.object({
      itemCodeableConcept: Concept0,
      strength: maybe(z.object({ numerator: Quantity0, denominator: Quantity0 })),
    }),
  ),
})

export const ImmunizationShape = z.object({
  status: Line0,
  isSubpotent: maybe(z.boolean()),
  vaccineCode: Concept0,
  occurrenceDateTime: Line0,
  occurrenceString: Line0,
  lotNumber: Line0,
  note: Notes,
  protocolApplied: lenientList(
    z.object({ doseNumberPositiveInt: Number0, doseNumberString: Line0 }),
  ),
})

export const ObservationShape = z.object({
  status: Line0,
  code: Concept0,
  effectiveDateTime: Line0,
  effectiveInstant: Line0,
  effectivePeriod: Period0,
  extension: Extensions,
  valueQuantity: Quantity0,
  valueString: Line0,
  valueCodeableConcept: Concept0,
  valueDateTime: Line0,
  component: lenientList(z.object({ code: Concept0, valueQuantity: Quantity0 })),
})
export type QuantitySaid = NonNullable<z.output<typeof Quantity0>>

/** What most resources have, to show one that has no place here. */
export const OtherShape = z.object({
  status: Line0,
  code: Concept0,
  type: Concept0,
  category: z
    .union([ConceptShape, lenientList(ConceptShape).transform(([first]) => first)])
    .catch(undefined),
  description: Line0,
  performedDateTime: Line0,
  performedPeriod: Period0,
  effectiveDateTime: Line0,
  occurrenceDateTime: Line0,
  date: Line0,
  period: Period0,
})

/** Whom a resource is about, and what may change its meaning. */
export const AboutShape = z.object({
  subject: Reference0,
  patient: Reference0,
  /** Of an observation: what it is about, if that is not its subject. */
  focus: lenientList(ReferenceShape),
})

const EntryShape = z.object({
  fullUrl: Line0,
  resource: z.looseObject({ resourceType: Line, id: Line0 }),
})
export type BundleEntry = z.output<typeof EntryShape>
export const BundleShape = z.object({
  resourceType: z.literal('Bundle'),
  type: Line0,
  entry: z.array(z.unknown()).catch([]),
})
export const entryIn = (given: unknown): BundleEntry | null => {
  const read = EntryShape.safeParse(given)
  return read.success ? read.data : null
}

/** The beginning as the document says it: a time, an age or words. */
export const onsetText = (said: {
  onsetDateTime?: string
  onsetPeriod?: { start?: string }
  onsetAge?: QuantitySaid
  onsetString?: string
}) =>
  said.onsetDateTime ??
  said.onsetPeriod?.start ??
  said.onsetString ??
  (documentQuantity(said.onsetAge) || null)

/** What a person reads of a concept: its text, else the name of a code, else a code. */
export const conceptLabel = (concept: Concept | undefined): string | undefined =>
  concept?.text ??
  concept?.coding.find(({ display }) => display)?.display ??
  concept?.coding.find(({ code }) => code)?.code

export const codeInSystem = (concept: Concept | undefined, system: string) =>
  concept?.coding.find((coding) => coding.system === system)?.code

export const firstCode = (concept: Concept | undefined) =>
  concept?.coding.find(({ code }) => code)?.code

const STATUS_SYSTEMS = 'http://terminology.hl7.org/CodeSystem/'
/** The code of an element whose system the standard fixes, whatever stands before it; of no system if none is named. */
export const statusIn = (concept: Concept | undefined, system: string) =>
  codeInSystem(concept, `${STATUS_SYSTEMS}${system}`) ??
  concept?.coding.find((coding) => coding.system === undefined && coding.code)?.code

/** One of the codings says it, of whatever system. */
export const saysCode = (concept: Concept | undefined, ...codes: readonly string[]) =>
  concept?.coding.some(({ code }) => code !== undefined && codes.includes(code)) ?? false

/** A quantity as it stands in the document. */
export const documentQuantity = (quantity: QuantitySaid | undefined) =>
  quantity?.value === undefined
    ? ''
    : `${quantity.comparator ?? ''}${quantity.value} ${quantity.unit ?? quantity.code ?? ''}`.trim()

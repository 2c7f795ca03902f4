import { sql } from 'kysely'
import { asObject } from '~/shared/object'
import {
  ALLERGY_CATEGORIES as CATEGORIES,
  ALLERGY_VERIFICATIONS,
} from '~/features/care/allergies/allergy'
import { recordNoAllergies, saveAllergy } from '~/features/care/allergies/allergies.server'
import { permitsSomewhere } from '~/policy/facts'
import { readForSafety } from '~/policy/rules'
import { patientsWhere, rowsWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import type { Element } from '../element'
import { unsupportedElements, invalidElement } from '../outcome'
import { conditionalCodes, code, referenceParameter, tokens } from '../parameters'
import {
  codedIn,
  readKnownCode,
  type Coding,
  concept,
  presentValues,
  requireElement,
  note,
  notesIn,
  ABSENT,
  INGREDIENT,
  NOT_KNOWN,
} from '../parts'
import { compact, type Fhir, instant, refer, resource, type FhirRow } from '../resource'
import { isNoneKnown } from '~/records/allergy'

export type AllergyRow = {
  patient_id: string
  substance: string
  /** ingredient, drug_class, other or none_known */
  substance_kind: string
  substance_code: string | null
  reaction: string | null
  severity: string | null
  status: string
  notes: string | null
  /** `category` says what a substance is that is no medicine. */
  metadata: unknown
  recorded_by_user_id: string | null
  created_at: Date
}

const CLINICAL = 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical'
const VERIFICATION = 'http://terminology.hl7.org/CodeSystem/allergyintolerance-verification'
/** Sanad's own names of what its safety check knows. */
const SUBSTANCE_SYSTEMS = {
  ingredient: INGREDIENT,
  drug_class: 'urn:sanad:drug-class',
} as const
/** SNOMED CT, in the value set of the International Patient Summary: https://hl7.org/fhir/uv/ips */
const NONE_KNOWN: Coding = {
  system: 'http://snomed.info/sct',
  code: '716186003',
  display: 'No known allergy',
}
type Category = (typeof CATEGORIES)[number]
const SEVERITIES = ['mild', 'moderate', 'severe'] as const

export const allergyToFhir = (row: AllergyRow): Fhir => ({
  resourceType: 'AllergyIntolerance',
  ...compact({
    clinicalStatus: concept(null, {
      system: CLINICAL,
      code: row.status === 'active' ? 'active' : 'inactive',
    }),
    verificationStatus: verificationConcept(row),
    category: presentValues(allergyCategory(row)),
    code: concept(row.substance, ...substanceCoding(row)),
    patient: refer('Patient', row.patient_id),
    recordedDate: instant(row.created_at),
    recorder: refer('Practitioner', row.recorded_by_user_id),
    note: note(row.notes),
    reaction: presentValues(allergyReaction(row)),
  }),
})

/** "confirmed" where the patient was asked and has none, "refuted" by the status, else what another program sent. */
function verificationConcept(allergy: AllergyRow) {
  const { status, metadata } = allergy
  const { verification } = asObject(metadata)
  // the patient was asked
  if (isNoneKnown(allergy) && status === 'active')
    return concept(null, { system: VERIFICATION, code: 'confirmed' })
  const verificationCode =
    status === 'refuted' ? 'refuted' : ALLERGY_VERIFICATIONS.find((known) => known === verification)
  return verificationCode && concept(null, { system: VERIFICATION, code: verificationCode })
}

/** The code of `verificationConcept`, for the search. */
const verificationSql = sql<string | null>`case
  when r.substance_kind = 'none_known' and r.status = 'active' then 'confirmed'
  when r.status = 'refuted' then 'refuted'
  else r.metadata ->> 'verification' end`

function substanceCoding({
  substance,
  substance_kind: kind,
  substance_code: substanceCode,
}: AllergyRow): Coding[] {
  if (kind === 'none_known') return [NONE_KNOWN]
  return substanceCode && (kind === 'ingredient' || kind === 'drug_class')
    ? [{ system: SUBSTANCE_SYSTEMS[kind], code: substanceCode, display: substance }]
    : []
}

function allergyCategory({ substance_kind, metadata }: AllergyRow): Category | undefined {
  if (substance_kind === 'ingredient' || substance_kind === 'drug_class') return 'medication'
  const { category } = asObject(metadata)
  return CATEGORIES.find((known) => known === category)
}

/** A severity without a reaction: FHIR asks for a manifestation, and that it is unknown is said. */
const allergyReaction = ({ reaction, severity }: AllergyRow) =>
  reaction || severity
    ? compact({
        manifestation: [reaction ? { text: reaction } : NOT_KNOWN],
        severity,
      })
    : undefined

/** The input of `allergies.save`; of `allergies.recordNone` if its `substance_kind` is `none_known`. */
export function allergyFromFhir(element: Element) {
  const clinical = codedIn(element.one('clinicalStatus'), CLINICAL, ['active', 'inactive'])
  const verification = codedIn(element.one('verificationStatus'), VERIFICATION, [
    ...ALLERGY_VERIFICATIONS,
    'refuted',
  ])
  const substance = parseSubstance(requireElement(element.one('code'), element.at('code')))
  const category = parseAllergyCategory(element, substance.substance_kind)
  element.ignore('recordedDate', 'recorder')
  return {
    patient_id: requireElement(element.reference('patient', 'Patient'), element.at('patient')),
    ...substance,
    category,
    verification:
      verification === 'refuted' || substance.substance_kind === 'none_known'
        ? null
        : (verification ?? null),
    ...parseReaction(element.only('reaction')),
    status:
      verification === 'refuted'
        ? ('refuted' as const)
        : requireElement(clinical, element.at('clinicalStatus')),
    notes: notesIn(element),
  }
}

type Input = ReturnType<typeof allergyFromFhir>
/** For `allergies.save`, where a statement that there are none is no substance. */
const withoutNoneKnown = ({ substance_kind, ...input }: Input) => ({
  ...input,
  substance_kind: substance_kind === 'none_known' ? ('other' as const) : substance_kind,
})

type Substance = {
  substance: string
  substance_kind: 'ingredient' | 'drug_class' | 'other' | 'none_known'
  substance_code: string | null
}
const isRecognizedCoding = (coding: Element) =>
  Object.values<string | undefined>(SUBSTANCE_SYSTEMS).includes(coding.text('system')) ||
  (coding.text('system') === NONE_KNOWN.system && coding.text('code') === NONE_KNOWN.code)

function parseSubstance(element: Element): Substance {
  // a code of another system beside a known one says the same
  const codings = element.list('coding')
  const [known, ...more] = codings.filter(isRecognizedCoding)
  if (more.length > 0) throw unsupportedElements(more.map(({ expression }) => expression))
  const coding = known ?? codings[0]
  for (const each of codings) {
    each.ignore('version', 'userSelected')
    if (each !== coding) each.ignore('system', 'code', 'display')
  }
  const display = coding?.text('display')
  const substance = element.text('text') ?? display
  if (!coding)
    return {
      substance: requireElement(substance, element.at('text')),
      substance_kind: 'other',
      substance_code: null,
    }
  const system = coding.text('system')
  const value = requireElement(coding.text('code'), coding.at('code'))
  if (system === NONE_KNOWN.system && value === NONE_KNOWN.code)
    return {
      substance: substance ?? NONE_KNOWN.display!,
      substance_kind: 'none_known',
      substance_code: null,
    }
  const kind = (['ingredient', 'drug_class'] as const).find(
    (each) => SUBSTANCE_SYSTEMS[each] === system,
  )
  if (!kind) throw unsupportedElements([coding.expression])
  return { substance: substance ?? value, substance_kind: kind, substance_code: value }
}

/** A coded substance is a medicine; another has at most one category. */
function parseAllergyCategory(
  element: Element,
  kind: Substance['substance_kind'],
): Category | null {
  const [given, ...more] = element.texts('category')
  const category = CATEGORIES.find((known) => known === given)
  if (given !== undefined && !category)
    throw invalidElement(element.at('category'), `Use one of: ${CATEGORIES.join(', ')}.`)
  if (more.length > 0) throw unsupportedElements([`${element.at('category')}[1]`])
  const isCodedMedicine = kind === 'ingredient' || kind === 'drug_class'
  if (isCodedMedicine && category && category !== 'medication')
    throw invalidElement(element.at('category'), 'A substance with this code is a medication.')
  return isCodedMedicine ? null : (category ?? null)
}

function parseReaction(reaction: Element | undefined) {
  if (!reaction) return { reaction: null, severity: null }
  const manifestation = requireElement(reaction.only('manifestation'), reaction.at('manifestation'))
  const severity = readKnownCode(reaction, 'severity', SEVERITIES) ?? null
  const absent = manifestation.only('extension')
  if (absent && absent.text('url') === ABSENT) {
    absent.ignore('valueCode')
    return { reaction: null, severity }
  }
  return {
    reaction: requireElement(manifestation.text('text'), manifestation.at('text')),
    severity,
  }
}

const isMedicineSql = sql`r.substance_kind in ('ingredient', 'drug_class')`
const substanceCodeSql = (kind: keyof typeof SUBSTANCE_SYSTEMS) =>
  sql<string | null>`case r.substance_kind when ${kind} then r.substance_code end`

export const allergyIntolerance = resource<AllergyRow>({
  type: 'AllergyIntolerance',
  from: sql`patient_allergies r`,
  // of another clinic's entry the substance, how sure it is and the severity are never hidden; the rest is
  columns: (
    actor,
  ) => sql`r.patient_id, r.substance, r.substance_kind, r.substance_code, r.severity, r.status,
    case when ${rowsWhere(actor, 'r')} then r.reaction end as reaction,
    case when ${rowsWhere(actor, 'r')} then r.notes end as notes,
    case when ${rowsWhere(actor, 'r')} then r.metadata
      else jsonb_build_object('category', r.metadata -> 'category',
        'verification', r.metadata -> 'verification') end as metadata,
    r.recorded_by_user_id, r.created_at`,
  permits: (actor) => permitsSomewhere(readForSafety, actor),
  where: (actor) => patientsWhere(readForSafety, actor, 'r.patient_id'),
  patient: 'patient_id',
  toFhir: allergyToFhir,
  search: {
    patient: referenceParameter('patient', sql`r.patient_id`, ['Patient']),
    'clinical-status': conditionalCodes(
      'clinicalStatus',
      { active: sql<boolean>`r.status = 'active'`, inactive: sql<boolean>`r.status <> 'active'` },
      CLINICAL,
    ),
    'verification-status': conditionalCodes(
      'verificationStatus',
      Object.fromEntries(
        [...ALLERGY_VERIFICATIONS, 'refuted'].map((one) => [
          one,
          sql<boolean>`(${verificationSql} is not distinct from ${one})`,
        ]),
      ),
      VERIFICATION,
    ),
    category: conditionalCodes(
      'category',
      Object.fromEntries(
        CATEGORIES.map((one) => [
          one,
          one === 'medication'
            ? sql<boolean>`(${isMedicineSql} or r.metadata ->> 'category' = 'medication')`
            : sql<boolean>`(not ${isMedicineSql} and r.metadata ->> 'category' is not distinct from ${one})`,
        ]),
      ),
      'http://hl7.org/fhir/allergy-intolerance-category',
    ),
    code: tokens('code', [
      conditionalCodes(
        'code',
        { [NONE_KNOWN.code]: sql<boolean>`r.substance_kind = 'none_known'` },
        NONE_KNOWN.system,
      ),
      code('code', substanceCodeSql('ingredient'), SUBSTANCE_SYSTEMS.ingredient),
      code('code', substanceCodeSql('drug_class'), SUBSTANCE_SYSTEMS.drug_class),
    ]),
  },
  writes: {
    table: 'patient_allergies',
    fromFhir: allergyFromFhir,
    create(ctx: Context, input: Input, id: string) {
      if (input.substance_kind !== 'none_known')
        return saveAllergy(ctx, { ...withoutNoneKnown(input), id })
      // only that the patient was asked
      const { notes, reaction, severity, category, status } = input
      const more = Object.entries({ note: notes, reaction: reaction ?? severity, category })
      const left = more.flatMap(([name, value]) => (value === null ? [] : [name]))
      if (status !== 'active') left.push('clinicalStatus')
      if (left.length > 0)
        throw unsupportedElements(left.map((name) => `AllergyIntolerance.${name}`))
      return recordNoAllergies(ctx, { id, patientId: input.patient_id })
    },
    update(ctx: Context, input: Input, row: AllergyRow & FhirRow) {
      if (row.substance_kind === 'none_known' || input.substance_kind === 'none_known')
        throw unsupportedElements(['AllergyIntolerance.code'])
      const version = { id: row.fhir_id, last_modified: row.fhir_modified }
      return saveAllergy(ctx, { ...withoutNoneKnown(input), ...version })
    },
    expressions: {
      patient_id: 'AllergyIntolerance.patient',
      substance: 'AllergyIntolerance.code',
      substance_code: 'AllergyIntolerance.code.coding[0].code',
      category: 'AllergyIntolerance.category',
      reaction: 'AllergyIntolerance.reaction[0].manifestation',
      severity: 'AllergyIntolerance.reaction[0].severity',
      status: 'AllergyIntolerance.clinicalStatus',
      notes: 'AllergyIntolerance.note',
    },
  },
})

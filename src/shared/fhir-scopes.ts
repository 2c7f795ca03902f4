/**
 * Scopes of SMART Backend Services: `system/Patient.rs`
 * (https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html).
 * A scope without an exact meaning here (`patient/…`, a search in the scope) is none: it is never read as more.
 */
export const FHIR_TYPES = [
  'AllergyIntolerance',
  'Appointment',
  'AuditEvent',
  'Condition',
  'Encounter',
  'EpisodeOfCare',
  'Group',
  'Immunization',
  'Location',
  'Medication',
  'MedicationDispense',
  'MedicationRequest',
  'MedicationStatement',
  'Observation',
  'Organization',
  'Patient',
  'Practitioner',
  'PractitionerRole',
  'Provenance',
  'Questionnaire',
  'QuestionnaireResponse',
  'ServiceRequest',
] as const
export type FhirType = (typeof FHIR_TYPES)[number]

/** Create, read, update, delete, search. */
export type Interaction = 'c' | 'r' | 'u' | 'd' | 's'
type Scope = { type: string; interactions: string }

/** What version 1 of the scopes calls them. */
const VERSION_1: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' }

/** Null if it is no scope that a program can have here. */
export function parseFhirScope(text: string): Scope | null {
  const [, type = '', given = ''] =
    /^system\/(\*|[A-Za-z]+)\.(read|write|\*|c?r?u?d?s?)$/.exec(text) ?? []
  if (given === '' || (type !== '*' && !FHIR_TYPES.some((known) => known === type))) return null
  return { type, interactions: VERSION_1[given] ?? given }
}

export const splitScopes = (text: string): string[] => [
  ...new Set(text.split(/\s+/).filter(Boolean)),
]

const scopesIn = (text: string): Scope[] =>
  splitScopes(text).flatMap((each) => parseFhirScope(each) ?? [])

/** Whether the scopes have this interaction with the type. */
export const hasScope = (scopes: string, type: string, interaction: Interaction): boolean =>
  scopesIn(scopes).some(
    (scope) =>
      (scope.type === '*' || scope.type === type) && scope.interactions.includes(interaction),
  )

/** The part of `asked` that `held` allows, as text; "" if there is none. */
export function scopesGranted(asked: string, held: string): string {
  const granted = splitScopes(asked).flatMap((text) => {
    const scope = parseFhirScope(text)
    return scope ? heldPart(text, scope, scopesIn(held)) : []
  })
  return [...new Set(granted)].join(' ')
}

/** The scope as it was written if all of it is held, else what is held of it. */
function heldPart(text: string, { type, interactions }: Scope, held: readonly Scope[]): string[] {
  const common = (of: string) =>
    [...interactions].filter((one) =>
      held.some(
        (each) => (each.type === '*' || each.type === of) && each.interactions.includes(one),
      ),
    )
  if (common(type).length === interactions.length) return [text]
  const types = type === '*' ? ['*', ...new Set(held.map((each) => each.type))] : [type]
  return [...new Set(types)].flatMap((each) => {
    const some = common(each).join('')
    return some === '' ? [] : [`system/${each}.${some}`]
  })
}

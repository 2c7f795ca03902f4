import { sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import * as z from 'zod'
import { requirePatient } from '~/policy/require.server'
import type { AllergySeverity } from '~/records/allergy'
import { readHistory } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { type Context, query } from '~/server/operation'
import type { Language } from '~/shared/language'
import { textDirection } from '~/shared/language'
import { newId } from '~/shared/id'
import { LOINC } from '~/shared/loinc'
import { sentence } from '~/shared/sentence'
import { requireFhirPatient } from './everything.server'
import { medicinesTaken } from './summary-medicines.server'
import { pregnancyNow } from './summary-pregnancy.server'
import { NOT_KNOWN } from './parts'
import { type Filled, MOST_FOUND, type SummarySection } from './summary-section'
import { localizeResource } from './summary-words'
import { compact, type Fhir, type Site } from './resource'
import { findFhirResource } from './resources/all'
import { resourceFrom, runSearch } from './pages.server'
import { requireScope } from './scope'
import { parseFhirSearch } from './search'
import { forXml } from '~/shared/typed-text'
import { clinicTimeZone, dayIn } from '~/shared/zone'

/**
 * `Patient/<id>/$summary`: a document of the International Patient Summary 2.0.0 (https://hl7.org/fhir/uv/ips).
 * Problems, allergies and medicines are always there; an empty section says that nobody asked.
 */
const EMPTY = 'http://terminology.hl7.org/CodeSystem/list-empty-reason'

type Reaction = { manifestation?: unknown[]; severity?: AllergySeverity }
type Concept = { text?: string; coding?: { code?: string; display?: string }[] } | undefined
const conceptText = (concept: unknown) => {
  const { text, coding } = (concept ?? {}) as NonNullable<Concept>
  return text ?? coding?.[0]?.display ?? coding?.[0]?.code
}
const conceptCode = (concept: unknown) => (concept as Concept)?.coding?.[0]?.code
/** The day, or the part of it that is known; of a moment, the day in the clinic. */
const dayInClinic = (moment: unknown) => {
  if (typeof moment !== 'string') return undefined
  if (moment.includes('T')) return dayIn(new Date(moment), clinicTimeZone())
  return moment
}
const isProblem = (resource: Fhir) => conceptCode(resource['verificationStatus']) !== 'refuted'

/** A value that nobody can have is none of the summary. */
const NEWEST_FINAL = [
  ['status', 'final'],
  ['_sort', '-date'],
] as const

const RESULTS = '30954-2'
const SECTIONS: readonly SummarySection[] = [
  {
    code: '11450-4',
    display: 'Problem list - Reported',
    title: 'problems.title',
    type: 'Condition',
    // with those whose status nobody knows
    query: [
      ['clinical-status:not', 'resolved'],
      ['clinical-status:not', 'inactive'],
    ],
    keeps: isProblem,
    empty: 'problems.empty',
    line: (problem) => [conceptText(problem['code']), dayInClinic(problem['onsetDateTime'])],
  },
  {
    code: '48765-2',
    display: 'Allergies and adverse reactions Document',
    title: 'allergies.title',
    type: 'AllergyIntolerance',
    query: [['clinical-status', 'active']],
    empty: 'allergies.notAsked',
    line: (allergy, language) => {
      const [reaction] = (allergy['reaction'] ?? []) as Reaction[]
      return [
        conceptText(allergy['code']),
        conceptText(reaction?.manifestation?.[0]),
        reaction?.severity && sentence(language, { key: `allergies.${reaction.severity}` }),
      ]
    },
  },
  {
    code: '10160-0',
    display: 'History of Medication use Narrative',
    title: 'medicines.current',
    type: 'MedicationRequest',
    query: [],
    empty: 'medicines.notAsked',
    fill: medicinesTaken,
    line: () => [],
  },
  {
    code: '11369-6',
    display: 'History of Immunization Narrative',
    title: 'immunizations.title',
    type: 'Immunization',
    query: [],
    line: (dose) => [conceptText(dose['vaccineCode']), dayInClinic(dose['occurrenceDateTime'])],
  },
  {
    code: '8716-3',
    display: 'Vital signs note',
    title: 'vitals.title',
    type: 'Observation',
    query: [['category', 'vital-signs'], ...NEWEST_FINAL],
    latest: true,
    line: observedLine,
  },
  {
    code: RESULTS,
    display: 'Relevant diagnostic tests/laboratory data note',
    title: 'fhir.results',
    type: 'Observation',
    query: [['category', 'laboratory'], ...NEWEST_FINAL],
    latest: true,
    line: observedLine,
  },
  {
    code: '10162-6',
    display: 'History of pregnancies Narrative',
    title: 'pregnancies.title',
    type: 'Observation',
    query: [],
    fill: pregnancyNow,
    line: () => [],
  },
  {
    code: '11348-0',
    display: 'History of Past illness note',
    title: 'fhir.pastProblems',
    type: 'Condition',
    query: [['clinical-status', 'resolved,inactive']],
    keeps: isProblem,
    line: (problem) => [conceptText(problem['code']), dayInClinic(problem['abatementDateTime'])],
  },
]

/** The types whose records a summary shows. */
const SUMMARIZED = [
  ...new Set(['Patient', ...SECTIONS.map(({ type }) => type), 'Medication', 'Organization']),
]

function observedLine(sign: Fhir) {
  return [conceptText(sign['code']), measured(sign), dayInClinic(sign['effectiveDateTime'])]
}

type Measured = { value?: number; unit?: string } | undefined
function measured(sign: Fhir): string | undefined {
  const components = (sign['component'] ?? []) as { valueQuantity?: Measured }[]
  const values = [
    sign['valueQuantity'] as Measured,
    ...components.map((each) => each.valueQuantity),
  ]
  const known = values.filter((value) => value?.value !== undefined)
  return known.length > 0
    ? `${known.map((value) => value!.value).join('/')} ${known[0]!.unit ?? ''}`
    : undefined
}

export const fhirSummary = query('fhir.summary', {
  input: z.object({ id: z.string(), base: z.string() }),
  // a section out of scope would read as if there were nothing
  allow({ actor }) {
    for (const type of SUMMARIZED) requireScope(actor, type, 's')
    return findFhirResource('Condition')!.permits(actor)
  },
  async run(ctx, { id, base }) {
    const site = { base }
    // the records that were merged into this one are not in the document
    const { link: _link, ...patient } = resourceFrom(await requireFhirPatient(ctx, id), site)
    // who knows the patient without the history would read that there is none
    await requirePatient(ctx, id, readHistory)
    const hidden = await hiddenTables(ctx, id)
    const filled: Filled[] = []
    for (const section of SECTIONS)
      filled.push(
        section.fill
          ? await section.fill(ctx, section, id, site)
          : {
              section,
              resources: await searchSection(ctx, section, id, site),
              isPartHidden: hidden.has(HIDDEN_IN[section.type] ?? ''),
            },
      )
    await namePerformers(ctx, filled)
    const medicines = await readMedications(ctx, filled, site)
    const author = await readAuthor(ctx, patient)
    return {
      patientId: id,
      document: buildIpsDocument(ctx, { patient, filled, medicines, author }, site),
    }
  },
  shows: ({ patientId }) => [patientId],
})

/** Tables of which the rows of other clinics can be hidden; allergies never are. */
const HIDDEN_IN: Readonly<Record<string, string>> = {
  Condition: 'patient_problems',
  Immunization: 'patient_immunizations',
  Observation: 'patient_vitals',
}
/** Those that have rows of the patient which the actor may not read. */
async function hiddenTables({ db, actor }: Context, patientId: string) {
  const asked = Object.values(HIDDEN_IN).map(
    (table) => sql`select ${table}::text as name where exists (
      select from ${sql.table(table)} entry where entry.patient_id = ${patientId}
        and not entry.is_deleted and not ${rowsWhere(actor, 'entry')})`,
  )
  const { rows } = await sql<{
    name: string
  }>`${asPrepared()} ${sql.join(asked, sql` union all `)}`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

async function searchSection(ctx: Context, section: SummarySection, patientId: string, site: Site) {
  const resource = findFhirResource(section.type)
  if (!resource?.permits(ctx.actor)) return []
  const search = parseFhirSearch(
    resource,
    [['patient', patientId], ['_count', MOST_FOUND], ...section.query],
    ctx,
  )
  const { found } = await runSearch(ctx, search, { isKept: true })
  const all = found
    .map((each) => localizeResource(ctx.actor.language, resourceFrom(each, site), each.row))
    .filter(section.keeps ?? (() => true))
  if (!section.latest) return all
  const seen = new Set<string | undefined>()
  return all.filter((each) => {
    const code = conceptCode(each['code'])
    return !seen.has(code) && seen.add(code)
  })
}

/** The medicines of the catalogue that the requests name. */
async function readMedications(
  ctx: Context,
  filled: readonly { resources: readonly Fhir[] }[],
  site: Site,
): Promise<Fhir[]> {
  const ids = filled
    .flatMap(({ resources }) => resources)
    .flatMap(({ medicationReference }) => referenceText(medicationReference)?.split('/')[1] ?? [])
  const resource = findFhirResource('Medication')
  if (ids.length === 0 || !resource?.permits(ctx.actor)) return []
  const search = parseFhirSearch(
    resource,
    [
      ['_id', [...new Set(ids)].slice(0, 400).join(',')],
      ['_count', MOST_FOUND],
    ],
    ctx,
  )
  const { found } = await runSearch(ctx, search)
  return found.map((each) =>
    localizeResource(ctx.actor.language, resourceFrom(each, site), each.row),
  )
}

type Performed = Fhir & { performer?: object[] }
/**
 * Whoever recorded a result, by name: the document does not have the users. A result without one says that nobody is
 * known, as the International Patient Summary asks of results.
 */
async function namePerformers({ db }: Context, filled: readonly Filled[]) {
  const results = filled
    .filter(({ section }) => section.code === RESULTS)
    .flatMap(({ resources }) => resources as Performed[])
  const performerId = ({ performer }: Performed) => referenceText(performer?.[0])?.split('/')[1]
  const ids = results.flatMap((result) => performerId(result) ?? [])
  if (results.length === 0) return
  const users = ids.length
    ? await db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).execute()
    : []
  for (const result of results) {
    const user = users.find(({ id }) => id === performerId(result))
    result.performer = [user ? { ...result.performer?.[0], display: user.name } : NOT_KNOWN]
  }
}

/** The patient's clinic, else the user who asks. */
async function readAuthor({ db, actor }: Context, patient: Fhir): Promise<Fhir> {
  const id = referenceText(patient['managingOrganization'])?.split('/')[1]
  const clinic =
    id &&
    (await db.selectFrom('clinics').select(['id', 'name']).where('id', '=', id).executeTakeFirst())
  return clinic
    ? { resourceType: 'Organization', ...clinic }
    : { resourceType: 'Practitioner', id: actor.userId, name: [{ text: actor.name }] }
}

type Parts = {
  patient: Fhir
  filled: readonly Filled[]
  medicines: readonly Fhir[]
  author: Fhir
}

function buildIpsDocument(
  { actor }: Context,
  { patient, filled, medicines, author }: Parts,
  site: Site,
): Fhir {
  const { language } = actor
  const now = new Date().toISOString()
  const title = sentence(language, { key: 'fhir.summaryTitle' })
  const composition: Fhir = {
    resourceType: 'Composition',
    id: newId(),
    text: narrative(language, [title]),
    language,
    status: 'final',
    type: { coding: [{ system: LOINC, code: '60591-5', display: 'Patient summary Document' }] },
    subject: { reference: localReference(patient) },
    date: now,
    author: [{ reference: localReference(author) }],
    title,
    section: filled.flatMap((each) => compositionSection(each, language)),
  }
  const others = filled.flatMap(({ resources }) => resources)
  const all = [composition, patient, author, ...others, ...medicines]
  const inside = new Set(all.map(localReference))
  return {
    resourceType: 'Bundle',
    id: newId(),
    language,
    identifier: { system: 'urn:ietf:rfc:3986', value: `urn:uuid:${newId()}` },
    type: 'document',
    timestamp: now,
    entry: all.map((resource) => ({
      fullUrl: `${site.base}/${localReference(resource)}`,
      resource: compact(alone(resource, inside)),
    })),
  }
}

const localReference = ({ resourceType, id }: Fhir) => `${resourceType}/${String(id)}`
const referenceText = (value: unknown) => (value as { reference?: string } | undefined)?.reference

/** A document holds what it refers to: of a reference to anything else its name is kept. */
function alone<T>(value: T, inside: ReadonlySet<string>): T {
  if (Array.isArray(value)) return value.map((each: unknown) => alone(each, inside)) as T
  if (typeof value !== 'object' || value === null) return value
  const reference = referenceText(value)
  if (reference !== undefined && !inside.has(reference)) {
    const { display } = value as { display?: string }
    return (display === undefined ? undefined : { display }) as T
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, alone(each, inside)]),
  ) as T
}

function compositionSection(given: Filled, language: Language) {
  const { section, resources, isPartHidden } = given
  const { code, display, title } = section
  const empty = given.empty ?? section.empty
  const isEmpty = resources.length === 0
  if (isEmpty && !empty && !isPartHidden) return []
  const lines =
    given.lines?.slice() ??
    resources.map((each) => section.line(each, language).filter(Boolean).join(' · '))
  if (isPartHidden) lines.push(sentence(language, { key: 'sharing.hiddenTitle' }))
  else if (isEmpty) lines.push(sentence(language, { key: empty! }))
  const reason = isPartHidden
    ? { code: 'withheld', display: 'Information Withheld' }
    : { code: 'notasked', display: 'Not Asked' }
  return [
    {
      title: sentence(language, { key: title }),
      code: { coding: [{ system: LOINC, code, display }] },
      text: narrative(language, lines),
      ...(isEmpty
        ? { emptyReason: { coding: [{ system: EMPTY, ...reason }] } }
        : { entry: resources.map((each) => ({ reference: localReference(each) })) }),
    },
  ]
}

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const xhtml = (text: string) => forXml(text).replaceAll(/[&<>"]/g, (sign) => SIGNS[sign]!)

/** Lines as the narrative of a resource (https://hl7.org/fhir/R4/narrative.html). */
const narrative = (language: Language, lines: readonly string[]) => ({
  status: 'generated',
  div:
    `<div xmlns="http://www.w3.org/1999/xhtml" lang="${language}" dir="${textDirection(language)}"><ul>` +
    `${lines.map((line) => `<li>${xhtml(line)}</li>`).join('')}</ul></div>`,
})

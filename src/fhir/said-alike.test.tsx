// Long: each reader of a record in turn, and what it says of each kind of fact.
import { MantineProvider } from '@mantine/core'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, vi } from 'vitest'
import {
  type Contents,
  readDatabaseContents,
  contentDifferences,
  visibleRecords,
} from '../../scripts/prove/import-contents'
import { makeFactories } from '../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../test/harness'
import { type Facts, recordedPatient } from '../../test/recorded-patient'
import { listAllergies } from '~/features/care/allergies/allergies.server'
import { immunizationsOfPatient } from '~/features/care/immunizations/immunizations.server'
import { listPregnancies } from '~/features/care/pregnancies/pregnancies.server'
import { pregnancyOn } from '~/features/care/pregnancies/pregnancy'
import { listProblems } from '~/features/care/problems/problems.server'
import {
  Allergies,
  CurrentMedicines,
  Immunizations,
  PregnancyOn,
  ProblemList,
  Vitals,
} from '~/features/record/summary/SummaryParts'
import { latestVital } from '~/features/care/vitals/vitals.server'
import { loadCurrentMedicines } from '~/features/medicines/taken/current.server'
import { PatientLine } from '~/features/people/patients/card/PatientLine'
import { patientName } from '~/features/people/patients/patient'
import { getPatient } from '~/features/people/patients/patients.server'
import { isActiveAllergy } from '~/records/allergy'
import { isCurrent } from '~/records/problem'
import type { Context } from '~/server/operation'
import { SIGNS } from '~/shared/loinc'
import { VACCINES } from '~/shared/vaccines'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { loadMessages } from '~/ui/messages'
import { Spoken } from '~/ui/Spoken'
import en from '../../messages/en.json'
import type { FhirRequest } from './asked'
import { type ExportFile, exportFile } from './export-files.server'
import { runFhirExports } from './export-run.server'
import { fhirExport } from './export.server'
import type { Fhir } from './resource'
import { RESOURCES } from './resources/all'
import { answer, explainFhirFailure } from './respond.server'

/** `npm run prove -- exchange` plays more of them. */
const PATIENTS = Number(process.env['SANAD_EXCHANGE_PATIENTS'] ?? 3)
const FIRST = Number(process.env['SANAD_EXCHANGE_SEED'] ?? 1)
if (PATIENTS > 3) vi.setConfig({ testTimeout: 3_600_000 })

const SITE = { base: 'https://clinic.example/api/fhir' }
const today = dayIn(new Date(), clinicTimeZone())

/** An export has transactions of its own. */
const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`said_alike_${process.pid}`)
  onCleanup(() => db.destroy())
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const user = await make.user({ role: 'super_admin', clinic_id: clinic.id })
  const drugs = [
    await make.drug({ generic_name: 'Amlodipine', ingredients: ['amlodipine'] }),
    await make.drug({ generic_name: 'Simvastatin', ingredients: ['simvastatin'] }),
  ]
  const field = { description: '', required: false, fieldType: 'free-text', length: 'short' }
  const form = await make.eventForm({
    form_fields: JSON.stringify([
      { ...field, id: 't', name: 'Text', inputType: 'text' },
      { ...field, id: 'n', name: 'Number', inputType: 'number' },
      {
        ...field,
        id: 'm',
        name: 'Medicines',
        fieldType: 'medicine',
        inputType: 'input-group',
        options: [],
        fields: {},
      },
    ]),
  })
  const patients = []
  for (let seed = FIRST; seed < FIRST + PATIENTS; seed += 1)
    patients.push(await recordedPatient(make, { clinic, user, drugs, form, today }, seed))
  const ctx: Context = {
    db,
    request: aRequest('fhir'),
    actor: {
      userId: user.id,
      name: user.name,
      role: 'super_admin',
      language: 'en',
      clinicId: clinic.id,
      grants: {},
    },
  }
  return { ctx, patients }
})

async function ask(
  ctx: Context,
  method: FhirRequest['method'],
  url: string,
  more: Partial<FhirRequest> = {},
) {
  const { pathname, searchParams } = new URL(url, 'https://clinic.example/')
  const headers = more.headers ?? new Headers()
  return answer(
    {
      method,
      path: decodeURIComponent(pathname).split('/').filter(Boolean),
      parameters: [...searchParams],
      ...more,
      headers,
    },
    { ctx: { ...ctx, request: { ...aRequest('fhir'), headers } }, site: SITE },
  ).catch((error: unknown) => explainFhirFailure(error, 'a-request'))
}

const sorted = (facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([kind, all]) => [kind, all.toSorted()]),
  ) as unknown as Facts

type Concept = { text?: string; coding?: { code: string; display?: string }[] }
const concept = (resource: Fhir, name: string) => (resource[name] ?? {}) as Concept
const codeIn = (resource: Fhir, name: string) => concept(resource, name).coding?.[0]?.code ?? ''
const vaccineNamed = (name: string) =>
  VACCINES.find((each) => en.immunizations.vaccines[each] === name)!

/** What the screens of a patient read. */
async function onScreen(ctx: Context, id: string): Promise<Facts> {
  const of = { patientId: id }
  const [person, problems, allergies, medicines, doses, { latest }, answers] = [
    (await getPatient(ctx, { id })).patient,
    await listProblems(ctx, of),
    await listAllergies(ctx, of),
    await loadCurrentMedicines(ctx, id),
    await immunizationsOfPatient(ctx, of),
    await latestVital(ctx, of),
    await listPregnancies(ctx, of),
  ]
  const { state, dueOn } = pregnancyOn(answers, today)
  return {
    person: [`${person.given_name} ${person.surname}`, person.date_of_birth!],
    problems: problems.filter(isCurrent).map(({ problem_code }) => problem_code),
    allergies: allergies.filter(isActiveAllergy).map(({ substance }) => substance),
    medicines: medicines.rows.map(({ drug, name }) => drug?.generic_name ?? name),
    vaccines: doses.map(({ vaccine, given_on }) => `${vaccine} ${given_on}`),
    signs: latest.map(({ measure, value }) => `${measure} ${value}`),
    pregnancy: state === 'not_known' ? [] : [`${state} ${dueOn ?? ''}`],
  }
}

const CURRENT = ['active', 'recurrence', 'relapse', 'remission', '']
const signOf = new Map<string, string>(
  Object.entries(SIGNS).flatMap(([sign, { writes }]) =>
    writes.map(([code]) => [code, sign] as const),
  ),
)
type Observed = Fhir & {
  effectiveDateTime: string
  component?: Observed[]
  valueQuantity?: { value: number }
}

/** What resources say, of a whole record or of a summary: only what is present counts. */
function inResources(resources: readonly Fhir[]): Facts {
  const of = (type: string) => resources.filter(({ resourceType }) => resourceType === type)
  const newest = new Map<string, { at: string; value: number }>()
  const pregnancy: string[] = []
  for (const each of of('Observation') as Observed[]) {
    const { effectiveDateTime: at, component = [] } = each
    if (codeIn(each, 'code') === '82810-3') {
      const isPregnant = codeIn(each, 'valueCodeableConcept') === 'LA15173-0'
      const due = of('Observation').find((one) => codeIn(one, 'code') === '11778-8')
      const dueOn = (due?.['valueDateTime'] as string | undefined) ?? ''
      pregnancy.push(`${isPregnant ? 'pregnant' : 'not_pregnant'} ${dueOn}`)
    }
    for (const one of [each, ...component]) {
      const sign = signOf.get(codeIn(one, 'code'))
      const value = one.valueQuantity?.value
      if (!sign || value === undefined || sign === 'bmi') continue
      if (at >= (newest.get(sign)?.at ?? '')) newest.set(sign, { at, value })
    }
  }
  const [person] = of('Patient')
  const [{ given, family }] = person!['name'] as [{ given: string[]; family: string }]
  return {
    person: [`${given.join(' ')} ${family}`, person!['birthDate'] as string],
    problems: of('Condition')
      .filter((each) => CURRENT.includes(codeIn(each, 'clinicalStatus')))
      .filter((each) => codeIn(each, 'verificationStatus') !== 'refuted')
      .map((each) => codeIn(each, 'code')),
    allergies: of('AllergyIntolerance')
      .filter((each) => codeIn(each, 'clinicalStatus') === 'active')
      .map((each) => concept(each, 'code').text!),
    medicines: [...of('MedicationRequest'), ...of('MedicationStatement')]
      .filter(({ status }) => status === 'active')
      .map(
        (each) =>
          (each['medicationReference'] as { display: string } | undefined)?.display ??
          concept(each, 'medicationCodeableConcept').text!,
      ),
    vaccines: of('Immunization').map(
      (each) =>
        `${vaccineNamed(concept(each, 'vaccineCode').text!)} ${each['occurrenceDateTime'] as string}`,
    ),
    signs: [...newest].map(([sign, { value }]) => `${sign} ${value}`),
    pregnancy,
  }
}

const entriesOf = (body: unknown) =>
  ((body as { entry?: { resource: Fhir }[] }).entry ?? []).map(({ resource }) => resource)
const sent = <T,>(value: T) => JSON.parse(JSON.stringify(value)) as T

async function everything(ctx: Context, id: string): Promise<(Fhir & { id: string })[]> {
  const { body } = await ask(ctx, 'GET', `Patient/${id}/$everything?_count=1000`)
  return sent(entriesOf(body)) as (Fhir & { id: string })[]
}

/** The others stand together: allergies, a pressure. */
const ONE_A_LINE = ['problems', 'medicines', 'vaccines']

/** The lines of each part of a summary on paper. */
async function onPaper(ctx: Context, id: string) {
  const of = { patientId: id }
  const linesOf = (part: ReactNode) => {
    const html = renderToStaticMarkup(
      <MantineProvider>
        <Spoken language="en" timeZone={clinicTimeZone()}>
          {part}
        </Spoken>
      </MantineProvider>,
    )
    const texts = (tag: string) =>
      [...html.matchAll(new RegExp(`<${tag}[ >].*?</${tag}>`, 'gs'))].map(([one]) =>
        one.replaceAll(/<[^>]+>|[\u2066-\u2069]/g, ''),
      )
    return texts('li').length > 0 ? texts('li') : texts('p')
  }
  const now = new Date()
  const { patient } = await getPatient(ctx, { id })
  return {
    person: linesOf(
      <p>
        <PatientLine name={patientName(patient)} patient={patient} day={null} />
      </p>,
    ),
    problems: linesOf(<ProblemList problems={(await listProblems(ctx, of)).filter(isCurrent)} />),
    allergies: linesOf(<Allergies allergies={await listAllergies(ctx, of)} />),
    medicines: linesOf(<CurrentMedicines medicines={await loadCurrentMedicines(ctx, id)} />),
    vaccines: linesOf(<Immunizations immunizations={await immunizationsOfPatient(ctx, of)} />),
    signs: linesOf(<Vitals vitals={(await latestVital(ctx, of)).latest} />),
    pregnancy: linesOf(<PregnancyOn pregnancies={await listPregnancies(ctx, of)} on={now} />),
  }
}

const textOf = async (id: string, at: number) => new Response(await exportFile(id, at)).text()

const inWords = (day: string) =>
  new Date(day).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
/** What stands before a vital sign on paper. */
const labelOf = (sign: string) =>
  en.vitals[/^(sys|dias)tolic_bp$/.test(sign) ? 'blood_pressure' : (sign as 'heart_rate')]
/** Whether a line of paper says a fact. */
function isSaid(kind: string, fact: string, line: string): boolean {
  const [what = '', day = ''] = fact.split(' ')
  if (kind === 'vaccines')
    return (
      line.includes(en.immunizations.vaccines[what as (typeof VACCINES)[number]]) &&
      line.includes(inWords(day))
    )
  if (kind === 'signs') {
    const value = new RegExp(`(?<![\\d.])${day.replace('.', '\\.')}(?![\\d.]*\\d)`)
    return line.startsWith(`${labelOf(what)}:`) && value.test(line)
  }
  if (kind === 'pregnancy')
    return (
      line.startsWith(en.pregnancies.states[what as 'pregnant' | 'not_pregnant']) &&
      (day === '' || line.includes(inWords(day)))
    )
  if (kind === 'person') return line.includes(/^\d{4}-/.test(fact) ? inWords(fact) : fact)
  return line.includes(fact)
}

test('screen, paper, $summary, $everything and $export say the same of a patient, fact by fact', async ({
  world: { ctx, patients },
}) => {
  await loadMessages('en')
  const { id: exportId } = await fhirExport(ctx, {
    scope: 'system',
    clinicId: null,
    parameters: [],
    request: SITE.base,
    base: SITE.base,
  })
  await runFhirExports(ctx.db)
  const { files } = await ctx.db
    .selectFrom('fhir_exports')
    .select('files')
    .where('id', '=', exportId)
    .executeTakeFirstOrThrow()
  const exported = new Map<string, Fhir>()
  for (const at of (files as ExportFile[]).keys())
    for (const line of (await textOf(exportId, at)).trimEnd().split('\n')) {
      const resource = JSON.parse(line) as Fhir & { id: string }
      exported.set(`${resource.resourceType}/${resource.id}`, resource)
    }
  let compared = 0
  for (const { id, facts, inForm } of patients) {
    const wanted = sorted(facts)
    const shown = sorted(await onScreen(ctx, id))
    expect({ ...shown, signs: shown.signs.filter((sign) => !sign.startsWith('bmi ')) }).toEqual(
      wanted,
    )
    const { body } = await ask(ctx, 'GET', `Patient/${id}/$summary`)
    expect(sorted(inResources(sent(entriesOf(body))))).toEqual(wanted)
    const all = await everything(ctx, id)
    // docs/proof.md names both: an answer about pregnancy is no resource, a medicine in a form one of the form
    expect(sorted(inResources(all))).toEqual({
      ...wanted,
      pregnancy: [],
      medicines: wanted.medicines.filter((name) => name !== inForm),
    })
    const responses = all.filter(({ resourceType }) => resourceType === 'QuestionnaireResponse')
    expect(JSON.stringify(responses)).toContain(inForm)
    expect(all.map((each) => exported.get(`${each.resourceType}/${each.id}`))).toEqual(all)
    const paper = await onPaper(ctx, id)
    for (const [kind, lines] of Object.entries(paper)) {
      const of = facts[kind as keyof typeof paper]
      const unsaid = of.filter((fact) => !lines.some((line) => isSaid(kind, fact, line)))
      expect([kind, unsaid, lines]).toEqual([kind, [], lines])
      if (ONE_A_LINE.includes(kind) && of.length > 0)
        expect([kind, lines.length]).toEqual([kind, of.length])
    }
    const substances = (await listAllergies(ctx, { patientId: id })).map((one) => one.substance)
    const named = substances.filter((one) => paper.allergies.some((line) => line.includes(one)))
    expect(named.toSorted()).toEqual(wanted.allergies)
    // both parts of a pressure are one line
    const labels = new Set(wanted.signs.map((sign) => labelOf(sign.split(' ', 1)[0]!)))
    const signs = paper.signs.filter((line) => !line.startsWith(en.vitals.bmi))
    expect(signs).toHaveLength(labels.size)
    expect(paper.pregnancy).toHaveLength(facts.pregnancy.length)
    compared += Object.values(facts).flat().length
  }
  if (PATIENTS > 3)
    process.stdout.write(`${PATIENTS} patients, ${compared} facts: 5 readers agree\n`)
  expect(compared).toBeGreaterThan(PATIENTS * 10)
})

/** An empty text says as little as none. What is counted and found follows from the records. */
function recordsIn(contents: Contents): Contents {
  const records = visibleRecords(contents)
  for (const derived of ['follow_up_stale', 'patient_search']) records.delete(derived)
  for (const [table, lines] of records)
    records.set(
      table,
      lines.map((line) =>
        line.replaceAll(': ""', ': null').replace(/"last_modified_by": [^,]*, /, ''),
      ),
    )
  return records
}

test('what is read and sent back unchanged changes nothing', async ({
  world: { ctx, patients },
}) => {
  const before = recordsIn(await readDatabaseContents(ctx.db))
  const writable = RESOURCES.filter(({ writes }) => writes?.update).map(({ type }) => type)
  const refused: string[] = []
  const sentBack = new Map<string, number>()
  for (const { id } of patients)
    for (const { resourceType: type, id: resourceId } of await everything(ctx, id)) {
      if (!writable.includes(type)) continue
      const url = `${type}/${resourceId}`
      const { body, headers: got } = await ask(ctx, 'GET', url)
      const headers = new Headers({ 'if-match': got!['etag']! })
      const { status, body: said } = await ask(ctx, 'PUT', url, { body: sent(body), headers })
      sentBack.set(type, (sentBack.get(type) ?? 0) + 1)
      if (status !== 200) refused.push(`${url}: ${status} ${JSON.stringify(said)}`)
    }
  expect(refused).toEqual([])
  expect([...sentBack.keys()].toSorted()).toEqual(writable.toSorted())
  expect(contentDifferences(before, recordsIn(await readDatabaseContents(ctx.db)))).toEqual([])
  if (PATIENTS > 3)
    process.stdout.write(`sent back: ${[...sentBack].map((each) => each.join(' ')).join(', ')}\n`)
})

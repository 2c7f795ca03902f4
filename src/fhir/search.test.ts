import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import type { makeFactories } from '../../test/factories'
import type { Context } from '~/server/operation'
import { runSearch, resourceFrom } from './pages.server'
import type { Parameter } from './parameters'
import type { Fhir, Resource } from './resource'
import { RESOURCES } from './resources/all'
import { parseFhirSearch } from './search'
import { parseDateSpan } from './values'

/**
 * Each search parameter of each type finds what a filter over the resources finds. The filter is written
 * here a second time, from the R4 specification and without SQL.
 */
const SITE = { base: 'https://clinic.example/api/fhir' }
type Found = Fhir & { id: string }

async function search(
  ctx: Context,
  resource: Resource,
  query: [string, string][],
): Promise<Found[]> {
  const { found } = await runSearch(
    ctx,
    parseFhirSearch(resource, [...query, ['_count', '1000']], ctx),
  )
  return found.map((one) => resourceFrom(one, SITE))
}

/** The values at a path, lists taken apart. */
const at = (resource: Fhir, path: string): unknown[] =>
  path
    .split('|')
    .flatMap((way) =>
      way
        .split('.')
        .reduce<unknown[]>(
          (values, name) =>
            values.flatMap((value) => (value as Record<string, unknown>)?.[name] ?? []),
          [resource],
        ),
    )

type Code = { system?: string; code: string }
function codesOf(value: unknown): Code[] {
  if (typeof value !== 'object') return [{ code: String(value as string | boolean) }]
  const {
    coding,
    code,
    value: id,
    system,
  } = value as Partial<Code> & {
    coding?: unknown[]
    value?: string
  }
  if (coding) return coding.flatMap(codesOf)
  const named = code ?? id
  return named === undefined ? [] : [{ code: named, ...(system && { system }) }]
}

const rangeOf = (value: unknown) => {
  if (typeof value === 'string') return parseDateSpan(value)!
  const { start, end } = value as { start?: string; end?: string }
  return {
    low: start ? parseDateSpan(start)!.low : Number.NEGATIVE_INFINITY,
    high: end ? parseDateSpan(end)!.high : Number.POSITIVE_INFINITY,
  }
}

const PREFIXES: Record<string, (s: { low: number; high: number }, v: typeof s) => boolean> = {
  eq: (s, v) => s.low >= v.low && s.high <= v.high,
  ne: (s, v) => !(s.low >= v.low && s.high <= v.high),
  gt: (s, v) => s.high > v.high,
  lt: (s, v) => s.low < v.low,
  ge: (s, v) => s.high > v.high || (s.low >= v.low && s.high <= v.high),
  le: (s, v) => s.low < v.low || (s.low >= v.low && s.high <= v.high),
  sa: (s, v) => s.low >= v.high,
  eb: (s, v) => s.high <= v.low,
}

/** Queries for one stored value, each with the filter that it stands for. */
type Case = [suffix: string, value: string, isMatch: (values: unknown[]) => boolean]

function casesOf({ kind, modifiers }: Parameter, value: unknown): Case[] {
  if (kind === 'string') {
    const text = String(value)
    const start = text.slice(0, 2).toLowerCase()
    const words = (each: unknown) =>
      ` ${String(each)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, ' ')}`
    return [
      ['', escaped(start), (all) => all.some((each) => words(each).includes(` ${start}`))],
      [
        ':contains',
        escaped(text.slice(0, 2)),
        (all) => all.some((each) => words(each).includes(text.slice(0, 2).toLowerCase())),
      ],
      [':exact', escaped(text), (all) => all.includes(text)],
    ]
  }
  if (kind === 'token')
    return codesOf(value).flatMap(({ system, code }): Case[] => {
      const has = (all: unknown[]) => all.flatMap(codesOf).some((each) => each.code === code)
      const inSystem = (all: unknown[]) =>
        all.flatMap(codesOf).some((each) => each.code === code && each.system === system)
      return [
        ['', escaped(code), has],
        ...(system ? [['', `${system}|${escaped(code)}`, inSystem] as Case] : []),
        ...(modifiers.includes('not') ? [[':not', escaped(code), (all) => !has(all)] as Case] : []),
      ]
    })
  if (kind === 'date') {
    const text = typeof value === 'string' ? value : (value as { start: string }).start
    return [text, text.slice(0, 10), text.slice(0, 7), text.slice(0, 4)].flatMap((asked) =>
      Object.entries(PREFIXES).map(([prefix, compare]): Case => {
        const span = parseDateSpan(asked)!
        return ['', prefix + asked, (all) => all.some((each) => compare(rangeOf(each), span))]
      }),
    )
  }
  if (kind === 'reference') {
    const text = String((value as { reference?: string })?.reference ?? value)
    const named = (each: unknown) => String((each as { reference?: string })?.reference ?? each)
    return [['', text, (all) => all.some((each) => named(each) === text)]]
  }
  if (kind === 'quantity') {
    const { value: number, system, code } = value as { value: number; system: string; code: string }
    const of = (test: (n: number) => boolean) => (all: unknown[]) =>
      all.some((each) => {
        const other = each as { value: number; code: string }
        return other.code === code && test(other.value)
      })
    return [
      ['', `gt${number}|${system}|${code}`, of((n) => n > number)],
      ['', `le${number}|${system}|${code}`, of((n) => n <= number)],
    ]
  }
  if (kind === 'uri') return [['', escaped(String(value)), (all) => all.includes(value)]]
  return []
}

const escaped = (text: string) => text.replaceAll(/[\\,$|]/g, String.raw`\$&`)

/** Rows of every table that FHIR shows. */
async function someRows(make: ReturnType<typeof makeFactories>, ctx: Context) {
  const clinics = [
    await make.clinic({ name: 'North Clinic' }),
    await make.clinic({ name: 'South' }),
  ]
  await make.clinic({ name: 'Old post', is_archived: true })
  const users = [
    await make.user({ name: 'Omar Khalil', clinic_id: clinics[0]!.id }),
    await make.user({ name: 'Rana Aziz', role: 'registrar' }),
  ]
  await make.permission(users[0]!, clinics[1]!.id)
  await make.department({ clinic_id: clinics[0]!.id, can_dispense_medications: true })
  await make.department({ clinic_id: clinics[1]!.id, status: 'maintenance', code: 'LAB' })
  const patients = [
    await make.patient({ given_name: 'Layla Noor', surname: 'Haddad', phone: '0501' }),
    await make.patient({
      given_name: 'Omar',
      surname: 'El Masri',
      sex: 'male',
      government_id: 'A|1',
      date_of_birth: '1990-01-01',
      metadata: JSON.stringify({ date_of_birth_precision: 'year' }),
      primary_clinic_id: clinics[1]!.id,
    }),
    await make.patient({
      given_name: 'Noor',
      surname: 'Saleh',
      sex: null,
      date_of_birth: null,
      external_patient_id: 'X-7',
      metadata: JSON.stringify({ identifiers: [{ system: 'urn:a', value: 'X-7' }] }),
    }),
  ]
  await make.patient({ given_name: 'Sami', surname: 'Saleh', died_on: '2026-02-01' })
  // as phones store what nobody filled in, and a word that FHIR does not have
  const nothing = { surname: '', phone: '', government_id: '', external_patient_id: '' }
  await make.patient({ given_name: 'Amal', sex: '', ...nothing })
  await make.patient({ given_name: 'Nadia', sex: 'x', date_of_birth: null })
  for (const [at_, patient] of patients.entries()) {
    const clinic_id = clinics[at_ % 2]!.id
    const patient_id = patient.id
    const visit = await make.visit({
      patient_id,
      clinic_id,
      provider_id: users[0]!.id,
      reason: 'Cough',
      check_in_timestamp: new Date(`2026-0${at_ + 1}-15T23:30:00Z`),
      closed_at: at_ === 1 ? new Date('2026-02-16T01:00:00Z') : null,
    })
    const { id: visit_id } = visit
    await make.vital({
      patient_id,
      visit_id,
      systolic_bp: 120 + at_,
      diastolic_bp: 80,
      weight_kg: 60,
    })
    await make.vital({ patient_id, systolic_bp: 130, heart_rate: 70 + at_ })
    await make.problem({ patient_id, visit_id })
    await make.allergy({ patient_id })
    await make.immunization({ patient_id, dose_number: at_ + 1 })
    await make.medicine({ patient_id, until: at_ === 0 ? '2020-01-01' : null })
    await make.appointment({ patient_id, clinic_id, provider_id: users[0]!.id })
    const prescription = await make.prescription({ patient_id, pickup_clinic_id: clinic_id })
    const item = await make.prescriptionItem(prescription)
    await ctx.db
      .insertInto('dispensing_records')
      .values({
        id: uuidv7(),
        clinic_id,
        drug_id: item.drug_id,
        prescription_item_id: item.id,
        patient_id,
        quantity_dispensed: 1,
      })
      .execute()
    await make.event({ patient_id, visit_id })
    const ended = at_ === 1 && { ended_on: '2026-02-01', end_reason: 'completed' }
    await make.enrollment({ patient_id, clinic_id, enrolled_on: '2026-01-01', ...ended })
    await make.referral({ patient_id, visit_id, status: at_ === 1 ? 'replied' : 'sent' })
  }
  return ctx
}

/** A reference to a resource of the type; canonical addresses are of any. */
const isTo = (type: string, value: unknown) => {
  const named = typeof value === 'string' ? value : (value as { reference?: string }).reference
  return named !== undefined && named.includes(`${type}/`)
}

/**
 * What a search found and what it should have found, where they differ. `deceased` is true or false, which no element
 * of a Patient of Sanad says.
 */
async function differences(ctx: Context, resource: Resource): Promise<unknown[]> {
  const { type } = resource
  const all = await search(ctx, resource, [])
  if (all.length === 0) return [`${type} needs rows in this test`]
  const ids = (found: Found[]) => found.map(({ id }) => id).toSorted()
  const wrong: unknown[] = []
  const check = async (name: string, value: string, expected: Found[]) => {
    const found = await search(ctx, resource, [[name, value]])
    if (ids(found).join() !== ids(expected).join())
      wrong.push([`${type}?${name}=${value}`, `found ${found.length} of ${expected.length}`])
  }
  for (const [name, parameter] of Object.entries(resource.search)) {
    if (name === 'deceased') continue
    const { reference } = parameter
    const values = (one: Found) =>
      at(one, parameter.path).filter(
        (value) => !reference || reference.targets.some((target) => isTo(target, value)),
      )
    const cases = new Map<string, Case>()
    for (const value of all.slice(0, 8).flatMap(values))
      for (const one of casesOf(parameter, value)) cases.set(`${one[0]}=${one[1]}`, one)
    for (const [suffix, value, isMatch] of [...cases.values()].slice(0, 20))
      await check(
        name + suffix,
        value,
        all.filter((one) => isMatch(values(one))),
      )
    for (const isMissing of [true, false])
      await check(
        `${name}:missing`,
        String(isMissing),
        all.filter((one) => (values(one).length === 0) === isMissing),
      )
  }
  return wrong
}

test('each search parameter of each type finds what a filter over the resources finds', async ({
  as,
  make,
}) => {
  const ctx = await someRows(make, as('super_admin'))
  const wrong = []
  for (const resource of RESOURCES) wrong.push(...(await differences(ctx, resource)))
  expect(wrong).toEqual([])
})

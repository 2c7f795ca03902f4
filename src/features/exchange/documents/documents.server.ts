import { sql } from 'kysely'
import { birthSpan } from '~/fields/birth'
import { parseSex } from '~/fields/sex'
import { saveMedicine } from '~/features/medicines/taken/medicines.server'
import {
  patientBirth,
  readBirthPrecision,
  identifiersIn,
  patientName,
  type StoredIdentifier,
} from '~/features/people/patients/patient'
import { plainWords } from '~/fields/plain-words'
import { namedPatientWrite, type RequiredPatient } from '~/policy/on.server'
import { type Context, mutation, query } from '~/server/operation'
import { addAll } from '~/shared/any-length'
import { AppError, type ErrorCode, invalid, type Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { SIGNS } from '~/shared/loinc'
import { sentence } from '~/shared/sentence'
import { saveAllergy } from '~/features/care/allergies/allergies.server'
import { saveImmunization } from '~/features/care/immunizations/immunizations.server'
import { saveProblem } from '~/features/care/problems/problems.server'
import { ENTERED, type Entered } from '~/features/care/vitals/vital'
import { saveVital } from '~/features/care/vitals/vitals.server'
import type { Document, DocumentEntry } from './bundle'
import {
  type IdentityDifference,
  KINDS,
  PreviewDocument,
  type EntryReading,
  TakeEntries,
  type ToTake,
  type VitalToTake,
} from './document'
import { type OwnRecord, loadOwnRecord } from './own-record.server'
import { readDocument } from './read-document'
import { isPartial } from './said-times'
import { isKnownStatus, statusKey } from './status'
import { type Added, keepTaken, undoneBefore } from './taken-documents.server'

/**
 * What a document from elsewhere says, line by line, beside the record. Nothing of it is stored. Who may write into the
 * record may compare.
 */
export const previewDocument = query('documents.preview', {
  access: 'record',
  byPost: true,
  reads: [
    'dispensing_records',
    'events',
    'medicine_decisions',
    'patient_allergies',
    'patient_documents',
    'patient_immunizations',
    'patient_medicines',
    'patient_pregnancies',
    'program_enrollments',
    'patient_problems',
    'patient_vitals',
    'prescription_items',
    'prescriptions',
  ],
  looksUp: [
    'app_config',
    'clinics',
    'deletions',
    'drug_catalogue',
    'event_forms',
    'patients',
    'report_bindings',
    'users',
    'visits',
  ],
  on: namedPatientWrite(),
  input: PreviewDocument,
  async run(ctx, { patientId, text }, { patient }) {
    const { document, entries } = readDocument(text)
    const record = await loadOwnRecord(ctx, patientId, measurementMoments(entries))
    return {
      title: document.title,
      from: document.from,
      date: document.date,
      about: {
        ...document.patient,
        identifiers: document.patient.identifiers.map(({ value }) => value),
      },
      patient: {
        name: patientName(patient),
        sex: patient.sex,
        date_of_birth: patient.date_of_birth,
        birth_precision: readBirthPrecision(patient.metadata),
        identifiers: await loadIdentifiers(ctx, patientId),
      },
      differences: identityDifferences(document, patient),
      /** Its lines were taken over here before, and taken back. */
      undone: await undoneBefore(ctx, patientId, text),
      sections: KINDS.map((kind) => ({
        kind,
        lines: entries
          .filter(({ reading }) => reading.kind === kind)
          .map(({ entry, reading }) => toDocumentLine(entry, reading, record)),
        own: kind === 'others' ? [] : record.shown[kind],
      })),
      wordsOnly: document.wordsOnly,
    }
  },
})
async function loadIdentifiers({ db }: Context, patientId: string): Promise<string[]> {
  const { external_patient_id, government_id } = await db
    .selectFrom('patients')
    .select(['external_patient_id', 'government_id'])
    .where('id', '=', patientId)
    .executeTakeFirstOrThrow()
  return [external_patient_id, government_id].filter(
    (number) => number !== null && number !== '',
  ) as string[]
}

export type DocumentPreview = Awaited<ReturnType<typeof previewDocument>>
export type DocumentSection = DocumentPreview['sections'][number]
export type DocumentLine = DocumentSection['lines'][number]

function toDocumentLine(entry: DocumentEntry, reading: EntryReading, record: OwnRecord) {
  const { key } = entry
  const { words, codes, details, when, statuses } = reading
  const take = 'take' in reading ? reading.take : null
  const state = reasonNotTaken(entry, reading, record)
  const alike = take && state === null ? record.alike(take) : null
  return {
    key,
    words,
    codes,
    details,
    when,
    statuses,
    notes: [
      ...(isChanged(entry, record) ? [{ key: 'documents.changed' } satisfies Message] : []),
      ...(take && state === null ? reading.notes : []),
      ...(alike
        ? [
            {
              key: 'documents.alike',
              values: { name: alike },
            } satisfies Message,
          ]
        : []),
    ],
    /** Why it cannot be taken; null: it can. */
    left: state,
  }
}

/** Why an entry is not taken: the same sentence in the list and after the taking. */
function reasonNotTaken(
  entry: DocumentEntry,
  reading: EntryReading,
  record: OwnRecord,
): Message | null {
  if (isTaken(entry, record)) return { key: 'documents.alreadyTaken' }
  if ('refused' in reading) return reading.refused
  const { kind } = reading.take
  // a second row of a dose or a measurement would count it twice; what changed in it is shown
  const isNews = isChanged(entry, record) && kind !== 'immunizations' && kind !== 'vitals'
  const same = isNews ? null : record.same(reading.take)
  return same === null ? null : { key: 'documents.alreadyRecorded', values: { name: same } }
}

/** A later version of an entry that was taken over. */
const isChanged = (entry: DocumentEntry, record: OwnRecord) =>
  entry.url !== null && record.urls.has(entry.url) && !isTaken(entry, record)

const isTaken = ({ key, formerKey }: DocumentEntry, record: OwnRecord) =>
  record.taken.has(key) || record.taken.has(formerKey)

type Entries = ReturnType<typeof readDocument>['entries']
const measurementMoments = (entries: Entries) =>
  entries.flatMap(({ reading }) =>
    'take' in reading && reading.take.kind === 'vitals' ? reading.take.input.timestamp : [],
  )

/** The fields that show, or leave open, that document and record are about different people. */
function identityDifferences(
  { patient: theirs }: Document,
  ours: RequiredPatient,
): IdentityDifference[] {
  const found: IdentityDifference[] = []
  const surname = plainWords(ours.surname ?? '')
  const families = (theirs.families.length > 0 ? theirs.families : theirs.texts).map(plainWords)
  if (!surname || families.length === 0) found.push({ what: 'family', isUnknown: true })
  else if (!families.some((name) => ` ${name} `.includes(` ${surname} `)))
    found.push({ what: 'family', isUnknown: false })
  const [own, others] = [
    [ours.given_name ?? ''],
    theirs.givens.length > 0 ? theirs.givens : theirs.texts,
  ].map((names) => new Set(names.flatMap((name) => plainWords(name).split(' ').filter(Boolean))))
  if (own!.size === 0 || others!.size === 0) found.push({ what: 'given', isUnknown: true })
  // one of two names is often left out; twins share one
  else if (
    ![...own!].every((name) => others!.has(name)) &&
    ![...others!].every((name) => own!.has(name))
  )
    found.push({ what: 'given', isUnknown: false })
  const [our, their] = [parseSex(ours.sex), parseSex(theirs.gender)]
  if (our === null || their === null) found.push({ what: 'sex', isUnknown: true })
  else if (our !== their) found.push({ what: 'sex', isUnknown: false })
  const birth = patientBirth(ours)
  const given = /^\d{4}(?:-\d\d(?:-\d\d)?)?$/.exec(theirs.birthDate ?? '')?.[0]
  if (!birth || !given) found.push({ what: 'birth', isUnknown: true })
  else {
    const [first, last] = birthSpan(birth)
    // a year or a month is the beginning of each of its days
    const isWithin =
      given.length === 10
        ? first <= given && given <= last
        : first.slice(0, given.length) <= given && given <= last.slice(0, given.length)
    if (!isWithin) found.push({ what: 'birth', isUnknown: false })
  }
  if (hasOtherNumber(theirs.identifiers, identifiersIn(ours.metadata)))
    found.push({ what: 'number', isUnknown: false })
  return found
}

/** Of one system, both have numbers, and none in common. */
function hasOtherNumber(
  theirs: Document['patient']['identifiers'],
  ours: readonly StoredIdentifier[],
): boolean {
  const bySystem = Map.groupBy(theirs, ({ system }) => system)
  return [...bySystem].some(([system, numbers]) => {
    const own = ours.flatMap((one) => (one.system === system ? (one.value ?? []) : []))
    return own.length > 0 && !numbers.some(({ value }) => own.includes(value))
  })
}

/**
 * Takes the chosen lines over, each by the operation that adds it by hand, without the questions that a form asks. What
 * is refused keeps its line.
 */
export const takeFromDocument = mutation('documents.take', {
  on: namedPatientWrite(),
  input: TakeEntries,
  async run(ctx, { patientId, text, entries: chosen, file_name, same_person }, { patient }) {
    const { document, entries } = readDocument(text)
    if (identityDifferences(document, patient).length > 0 && !same_person)
      throw invalid({ same_person: { key: 'documents.answerFirst' } })
    // two takings of one document come one after the other
    await sql`select from patients where id = ${patientId} for no key update`.execute(ctx.db)
    const inner: Context = { ...ctx, signedAs: 'documents.take' }
    const mark: Mark = {
      from: document.from?.slice(0, LONGEST_MARK) ?? null,
      on: document.date?.slice(0, LONGEST_MARK) ?? null,
      file: file_name,
    }
    const taken: string[] = []
    const added: Added[] = []
    const left: { key: string; reason: Message }[] = []
    const byKey = new Map(entries.map((one) => [one.entry.key, one]))
    const asked = [...new Set(chosen)].flatMap((key) => {
      const found = byKey.get(key)
      if (!found) left.push({ key, reason: { key: 'documents.notInFile' } })
      return found ?? []
    })
    const record = await loadOwnRecord(ctx, patientId, measurementMoments(asked))
    for (const group of groupMeasurements(asked)) {
      const done = await takeGroup(inner, { patientId, mark, group, record })
      addAll(taken, done.taken)
      addAll(added, done.added)
      addAll(left, done.left)
    }
    await keepTaken(ctx, { patientId, text, ...mark, rows: added })
    return { taken, left }
  },
})

/** Of what a list shows beside each row. */
const LONGEST_MARK = 200
type Mark = { from: string | null; on: string | null; file: string }
type Group = {
  patientId: string
  mark: Mark
  group: Entries
  record: OwnRecord
}

/** Values of one moment are one measurement, unless one sign was measured twice. */
function groupMeasurements(entries: Entries): Entries[] {
  const groups: Entries[] = []
  const measured = new Map<number, Entries>()
  for (const one of entries) {
    const { reading } = one
    if (!('take' in reading) || reading.take.kind !== 'vitals') {
      groups.push([one])
      continue
    }
    const at = reading.take.input.timestamp.getTime()
    const open = measured.get(at)
    if (open && !open.some((other) => sharesSign(vitalInput(other), vitalInput(one))))
      open.push(one)
    else {
      const group = [one]
      measured.set(at, group)
      groups.push(group)
    }
  }
  return groups
}
const vitalInput = ({ reading }: Entries[number]) =>
  ('take' in reading && reading.take.kind === 'vitals' && reading.take.input) || null
const sharesSign = (one: VitalToTake | null, other: VitalToTake | null) =>
  Object.keys(one?.values ?? {}).some((column) => column in (other?.values ?? {}))

async function takeGroup(ctx: Context, { patientId, mark, group, record }: Group) {
  const taken: string[] = []
  const added: Added[] = []
  const left: { key: string; reason: Message }[] = []
  const attempt = async (entries: Entries): Promise<Message | null> => {
    const refused = await catchRefusal(async () => {
      added.push(await takeTogether(ctx, patientId, mark, entries))
    })
    if (refused) return refused
    for (const { entry, reading } of entries) {
      taken.push(entry.key)
      if ('take' in reading) record.add(reading.take, entry.key)
    }
    return null
  }
  const ready = group.filter(({ entry, reading }) => {
    const reason = reasonNotTaken(entry, reading, record)
    if (reason) left.push({ key: entry.key, reason })
    return reason === null
  })
  if (ready.length === 0) return { taken, added, left }
  const refused = await attempt(ready)
  if (refused && ready.length === 1) left.push({ key: ready[0]!.entry.key, reason: refused })
  // which of the values is refused shows when each goes alone
  if (refused && ready.length > 1)
    for (const one of ready) {
      const reason = await attempt([one])
      if (reason) left.push({ key: one.entry.key, reason })
    }
  return { taken, added, left }
}

/** What is about the line. Anything else, as a server that is busy, ends the whole taking. */
const REFUSALS = new Set<ErrorCode>(['invalid', 'conflict', 'not_found', 'forbidden'])

/** Why an operation refuses; null if it does not. */
async function catchRefusal(work: () => Promise<void>): Promise<Message | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw error
    return Object.values(error.fields)[0] ?? error.text
  }
}

async function takeTogether(ctx: Context, patientId: string, mark: Mark, entries: Entries) {
  const takes = entries.flatMap(({ reading }) => ('take' in reading ? reading.take : []))
  const row = await save(ctx, patientId, takes)
  const when = entries.map(({ reading }) => reading.when).find(isPartial)
  const until = entries.map(({ reading }) => reading.until).find(isPartial)
  const document = {
    ...mark,
    entries: entries.map(({ entry }) => entry.key),
    urls: entries.flatMap(({ entry }) => entry.url ?? []),
    ...(when && { when }),
    ...(until && { until }),
  }
  await sql`update ${sql.table(row.table)}
    set metadata = coalesce(metadata, '{}') || ${JSON.stringify({ document })}::jsonb
    where id = ${row.id}`.execute(ctx.db)
  return row
}

/** A code of a status in the words of the user. */
function inWords({ actor }: Context, message: Message): Message {
  const status = message.values?.['status']
  return typeof status === 'string' && isKnownStatus(status)
    ? {
        ...message,
        values: {
          status: sentence(actor.language, { key: statusKey(status) }),
        },
      }
    : message
}

async function save(ctx: Context, patient_id: string, takes: readonly ToTake[]): Promise<Added> {
  const [take] = takes as [ToTake]
  const id = newId()
  const notes = (lines: readonly (string | Message)[]) =>
    lines
      .map((line) =>
        typeof line === 'string' ? line : sentence(ctx.actor.language, inWords(ctx, line)),
      )
      .filter(Boolean)
      .join('\n') || null
  switch (take.kind) {
    case 'allergies':
      await saveAllergy(ctx, {
        ...take.input,
        notes: notes(take.input.notes),
        id,
        patient_id,
      })
      return { table: 'patient_allergies', id }
    case 'problems':
      await saveProblem(ctx, { ...take.input, id, patient_id, visit_id: null })
      return { table: 'patient_problems', id }
    case 'medicines':
      await saveMedicine(ctx, {
        ...take.input,
        notes: notes(take.input.notes),
        id,
        patient_id,
      })
      return { table: 'patient_medicines', id }
    case 'immunizations':
      await saveImmunization(ctx, {
        ...take.input,
        notes: notes(take.input.notes),
        id,
        patient_id,
        visit_id: null,
        clinic_id: null,
      })
      return { table: 'patient_immunizations', id }
    case 'vitals': {
      const inputs = takes.flatMap((one) => (one.kind === 'vitals' ? one.input : []))
      const values: VitalToTake['values'] = Object.fromEntries(
        inputs.flatMap((one) => Object.entries(one.values)),
      )
      const measured = Object.fromEntries(
        ENTERED.map((name) => [
          name,
          name in SIGNS ? (values[name as keyof typeof SIGNS] ?? null) : null,
        ]),
      ) as Record<Entered, number | null>
      await saveVital(ctx, {
        ...measured,
        id,
        patient_id,
        visit_id: null,
        timestamp: take.input.timestamp,
        bp_position: inputs.map((one) => one.bp_position).find(Boolean) ?? null,
        height_position: inputs.map((one) => one.height_position).find(Boolean) ?? null,
      })
      return { table: 'patient_vitals', id }
    }
  }
}

import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { isSameSubstance, saysNone } from '~/features/medicines/safety/rules/substances'
import { loadCurrentMedicines } from '~/features/medicines/taken/current.server'
import { medicineWords } from '~/features/medicines/taken/medicine-words'
import { plainWords } from '~/fields/plain-words'
import { loadPatientEntries } from '~/policy/entries.server'
import { rowsWhere } from '~/policy/sql.server'
import { ALLERGY_STATUSES, isActiveAllergy, isNoneKnown } from '~/records/allergy'
import { isOver, isRefuted } from '~/records/problem'
import { medicineRecord } from '~/records/medicine'
import type { Context } from '~/server/operation'
import type { CodedVital } from '~/shared/loinc'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { listAllergies } from '~/features/care/allergies/allergies.server'
import { immunizationsOfPatient } from '~/features/care/immunizations/immunizations.server'
import { listProblems } from '~/features/care/problems/problems.server'
import { latestVital } from '~/features/care/vitals/vitals.server'
import type { EntryKind, MedicineToTake, ToTake, VitalToTake } from './document'
import { knownIn } from './read-medicine'
import { valueText } from './read-vital'
import { isAlikeProblem, isSameProblem, type OwnProblem, type SaidProblem } from './same-problem'
import { TAKEN_TABLES } from './taken-documents.server'

/** What the record has, as the page shows it beside the document. */
type Own = {
  id: string
  words: string
  details: readonly Sayable[]
  when: string | null
}

/** The record as a document is compared with it: what it shows, which entries were taken, and what says the same. */
export type OwnRecord = {
  shown: Record<Exclude<EntryKind, 'others'>, Own[]>
  /** Keys of the entries that were taken over and are in the record. */
  taken: ReadonlySet<string>
  /** Addresses of those entries: another content at one of them is a later version. */
  urls: ReadonlySet<string>
  /** What the record calls the same thing, if it has it. */
  same: (take: ToTake) => string | null
  /** Something alike that is not the same: another dose, or over where the document says active. */
  alike: (take: ToTake) => string | null
  /** What was taken since: the next entry may say the same. */
  add: (take: ToTake, key: string) => void
}

export async function loadOwnRecord(
  ctx: Context,
  patientId: string,
  moments: readonly Date[],
): Promise<OwnRecord> {
  const patient = { patientId }
  const allergies = (await listAllergies(ctx, patient)).filter(
    (allergy) => !isNoneKnown(allergy) && !saysNone(allergy.substance),
  )
  const problems = await listProblems(ctx, patient)
  const doses = await immunizationsOfPatient(ctx, patient)
  const { latest } = await latestVital(ctx, patient)
  const measured = await loadMeasurements(ctx, patientId, moments)
  const medicines = await loadOwnMedicines(ctx, patientId)
  const label = (key: Parameters<typeof sentence>[1]['key']) =>
    sentence(ctx.actor.language, { key })

  // what is compared grows with what is taken
  const compared = {
    allergies: allergies.map((one): AllergyCompared => one),
    problems: problems.map((one): ProblemCompared => one),
    doses: doses.map((one): DoseCompared => one),
  }
  const { taken, urls } = await takenFrom(ctx.db, patientId)
  const alikeAllergies = (input: AllergyCompared) =>
    compared.allergies.filter((one) => isSameSubstance(one, input))
  const alikeProblems = (said: SaidProblem) =>
    compared.problems.filter((one) => isAlikeProblem(one, said))
  return {
    shown: {
      allergies: allergies.map(({ id, substance, reaction, status }) => ({
        id,
        words: substance,
        details: [...(reaction ? [{ text: reaction }] : []), `allergies.${status}`],
        when: null,
      })),
      problems: problems.map(({ id, problem_label, clinical_status, onset_date }) => ({
        id,
        words: problem_label,
        details: [`problems.${clinical_status}`],
        when: onset_date,
      })),
      medicines: medicines.map(({ id, words, dose, since }) => ({
        id,
        words,
        details: dose ? [{ text: dose }] : [],
        when: since,
      })),
      immunizations: doses.map(({ id, vaccine, given_on, dose_number }) => ({
        id,
        words: label(`immunizations.vaccines.${vaccine}`),
        details:
          dose_number === null
            ? []
            : [{ key: 'documents.doseSaid', values: { number: dose_number } }],
        when: given_on,
      })),
      vitals: latest.map(({ measure, value, timestamp }) => ({
        id: measure,
        words: label(`vitals.${measure}`),
        details: [{ text: valueText(measure as CodedVital, value) }],
        when: timestamp.toISOString(),
      })),
    },
    taken,
    urls,
    same(take) {
      if (take.kind === 'problems')
        return (
          alikeProblems(take).find(
            (one) =>
              isSameProblem(one, take) &&
              !isRefuted(one) &&
              isOver(one.clinical_status) === isOver(take.input.clinical_status),
          )?.problem_label ?? null
        )
      const { kind, input } = take
      if (kind === 'allergies')
        return (
          alikeAllergies(input).find((one) => isActiveAllergy(one) || one.status === input.status)
            ?.substance ?? null
        )
      if (kind === 'medicines')
        return medicines.find((one) => isSameMedicine(one, input))?.words ?? null
      if (kind === 'immunizations')
        return compared.doses.some(
          ({ vaccine, given_on }) => vaccine === input.vaccine && given_on === input.given_on,
        )
          ? label(`immunizations.vaccines.${input.vaccine}`)
          : null
      return isMeasured(measured, input)
        ? Object.entries(input.values)
            .map(([column, value]) => valueText(column as CodedVital, value))
            .join(' / ')
        : null
    },
    alike(take) {
      if (take.kind === 'problems') {
        const [one] = alikeProblems(take)
        if (!one) return null
        const status = isRefuted(one)
          ? label('problems.refuted')
          : label(`problems.${one.clinical_status}`)
        return `${one.problem_label} (${status})`
      }
      const { kind, input } = take
      if (kind === 'allergies') {
        const [one] = alikeAllergies(input)
        return one ? `${one.substance} (${label(`allergies.${one.status}`)})` : null
      }
      if (kind !== 'medicines') return null
      const one = medicines.find((medicine) => isAlike(medicine, input))
      return one ? [one.words, one.dose].filter(Boolean).join(', ') : null
    },
    add({ kind, input }, key) {
      taken.add(key)
      if (kind === 'allergies') compared.allergies.push(input)
      else if (kind === 'problems') compared.problems.push(input)
      else if (kind === 'immunizations') compared.doses.push(input)
      else if (kind === 'vitals') measured.push({ timestamp: input.timestamp, ...input.values })
      else
        medicines.push({
          ...input,
          id: key,
          words: input.name,
          isTaken: input.until === null,
        })
    },
  }
}

type AllergyStatus = (typeof ALLERGY_STATUSES)[number]
type AllergyCompared = Parameters<typeof isSameSubstance>[0] & {
  status: AllergyStatus
}
type ProblemCompared = OwnProblem & {
  clinical_status: Parameters<typeof isOver>[0]
  verification_status: string
}
type DoseCompared = { vaccine: string; given_on: string }

type OwnMedicine = {
  id: string
  words: string
  dose: string | null
  ingredients: readonly string[]
  since: string | null
  until: string | null
  isTaken: boolean
}

/** What is taken now, wherever it was recorded, and what from elsewhere has ended. */
async function loadOwnMedicines(ctx: Context, patientId: string): Promise<OwnMedicine[]> {
  const say = (what: Sayable) => {
    if (typeof what === 'string') return sentence(ctx.actor.language, { key: what })
    if ('text' in what) return what.text
    return sentence(ctx.actor.language, what)
  }
  const current = await loadCurrentMedicines(ctx, patientId)
  const stored = await loadPatientEntries(ctx, medicineRecord, patientId, {
    where: rowsWhere(ctx.actor, 'entry'),
    order: sql`entry.name`,
  })
  const listed = new Set(stored.map(({ id }) => id))
  const now = new Set(current.rows.map(({ id }) => id))
  return [
    ...current.rows
      .filter(({ id }) => !listed.has(id))
      .map((row) => ({
        id: row.id,
        words: medicineWords(row, say, String).title,
        dose: row.instructions ?? (medicineWords(row, say, String).dose || null),
        ingredients: knownIn([row.drug?.generic_name ?? row.name]),
        since: row.since,
        until: null,
        isTaken: true,
      })),
    ...stored.map(({ id, name, dose, ingredients, since, until }) => ({
      id,
      words: name,
      dose,
      ingredients,
      since,
      until,
      isTaken: now.has(id),
    })),
  ]
}

/** The same substances or, where the checks know none of the two, the same name. */
function isAlike(one: OwnMedicine, input: MedicineToTake) {
  const [ours, theirs] = [one.ingredients, input.ingredients].map((names) =>
    names
      .map((name) => name.toLowerCase())
      .toSorted()
      .join('+'),
  )
  return plainWords(one.words) === plainWords(input.name) || (theirs !== '' && ours === theirs)
}

/**
 * Also with the same strength and dose, and both taken now or over on the same day. A document without a dose says the
 * same only under the same name.
 */
const isSameMedicine = (one: OwnMedicine, input: MedicineToTake) =>
  isAlike(one, input) &&
  numbersWithUnits(one.words) === numbersWithUnits(input.name) &&
  (input.dose === null
    ? plainWords(one.words) === plainWords(input.name)
    : plainWords(one.dose ?? '') === plainWords(input.dose) &&
      numbersWithUnits(one.dose ?? '') === numbersWithUnits(input.dose)) &&
  (one.until === input.until || (one.isTaken && input.until === null))

/** The numbers of a text with their units, in any order: a strength is one, whatever stands around it. */
const numbersWithUnits = (text: string) =>
  Array.from(
    text
      .normalize('NFKC')
      .toLowerCase()
      .matchAll(/(\p{N}+(?:[.,/⁄-]\p{N}+)*)\s*(%|\p{L}+)?/gu),
    ([, number = '', unit = '']) => `${number.replaceAll(',', '.')} ${unit}`,
  )
    .toSorted()
    .join(' ')

type Measured = { timestamp: Date } & Partial<Record<CodedVital, number | null>>

async function loadMeasurements(
  { db, actor }: Context,
  patientId: string,
  moments: readonly Date[],
) {
  const rows = await db
    .selectFrom('patient_vitals')
    .selectAll()
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .where(rowsWhere(actor, 'patient_vitals'))
    .where(sql<boolean>`"timestamp" = any(${[...moments]}::timestamptz[])`)
    .execute()
  return rows as Measured[]
}

/** Each value is in the record at this moment. */
const isMeasured = (rows: readonly Measured[], { timestamp, values }: VitalToTake) =>
  Object.entries(values).every(([column, value]) =>
    rows.some(
      (row) =>
        row.timestamp.getTime() === timestamp.getTime() &&
        Math.abs((row[column as CodedVital] ?? Number.NaN) - value) < SMALLEST,
    ),
  )
/** Values are stored with three decimals. */
const SMALLEST = 0.001

/** The keys and addresses that rows of the patient were taken from; a row in the trash does not count. */
async function takenFrom(db: Kysely<DB>, patientId: string) {
  const { rows } = await sql<{
    entries: string[]
    urls: string[] | null
  }>`${sql.join(
    Object.values(TAKEN_TABLES).map(
      (table) => sql`select metadata -> 'document' -> 'entries' as entries,
          metadata -> 'document' -> 'urls' as urls
        from ${sql.table(table)}
        where patient_id = ${patientId} and not is_deleted and metadata ? 'document'`,
    ),
    sql` union all `,
  )}`.execute(db)
  return {
    taken: new Set(rows.flatMap(({ entries }) => entries)),
    urls: new Set(rows.flatMap(({ urls }) => urls ?? [])),
  }
}

import type * as z from 'zod'
import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import { medicineRecord } from '~/records/medicine'
import type { Message } from '~/shared/errors'
import type { Sayable } from '~/shared/say'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { type Document, type DocumentEntry, isModified } from './bundle'
import { conceptCodes } from './codes'
import type { MedicineToTake, EntryReading } from './document'
import { daySaid, isPartial, lastDayOfPartialDate } from './said-times'
import {
  type Concept,
  type DosageSaid,
  MedicationShape,
  MedicationUseShape,
  type QuantitySaid,
  documentQuantity,
  conceptLabel,
} from './shapes'
import { saysNothing } from './says-nothing'
import { statusCodes } from './status'

const SOURCES = medicineRecord.fields.source.options.map(
  ({ value }) => value,
) as readonly MedicineToTake['source'][]
const LONGEST_DOSE = 200

/** What the patient takes or took: a statement, or a request of the clinic that wrote the document. */
export function readMedicineEntry(
  entry: DocumentEntry,
  document: Document,
  now: Date,
): EntryReading {
  const said = MedicationUseShape.parse(entry.resource)
  const isRequest = entry.resource.resourceType === 'MedicationRequest'
  const resource = document.resolve(said.medicationReference, entry)
  const medication = MedicationShape.parse(resource ?? {})
  const code = said.medicationCodeableConcept ?? medication.code
  const strength = medication.ingredient.map(({ strength: of }) => strengthText(of)).filter(Boolean)
  const words = conceptLabel(code) ?? said.medicationReference?.display
  const name =
    words && /\d/.test(words) ? words : [words, strength.join(' + ')].filter(Boolean).join(' ')
  const dosages = isRequest ? said.dosageInstruction : said.dosage
  const doses = dosages.map(doseText)
  // a part of it would say more than the document: "2×/d" of "2×/d as needed"
  const isDoseWhole = doses.every((one) => one !== null)
  const dose = isDoseWhole ? doses.filter(Boolean).join('; ') : ''
  const start = isRequest
    ? said.authoredOn
    : (said.effectivePeriod?.start ?? said.effectiveDateTime)
  const bounds = dosages.map(({ timing }) => timing?.repeat?.boundsPeriod?.end)
  // one without an end goes on
  const lastBound = bounds.every(Boolean) ? latestEnd(bounds) : undefined
  const end = said.effectivePeriod?.end ?? lastBound
  const notes: Message[] = []
  const details: Sayable[] = [
    ...(dose ? [{ text: dose }] : []),
    ...(said.note ? [{ text: said.note }] : []),
    ...(end
      ? [
          {
            key: 'documents.endSaid',
            values: { day: daySaid(end) ?? end },
          } satisfies Message,
        ]
      : []),
  ]
  const about = {
    kind: 'medicines' as const,
    words: name,
    codes: conceptCodes(code),
    details,
    when: start ?? null,
    until: end,
    statuses: statusCodes(said.status),
    notes,
  }
  const refuse = (key: Message['key']) => ({ ...about, refused: { key } })
  if (!words) return refuse('documents.noWords')
  if (saysNothing(code)) return refuse('documents.saysNone')
  if (isModified(resource)) return refuse('documents.modified')
  if (said.status === 'entered-in-error') return refuse('documents.enteredInError')
  if (isNeverTaken(said, isRequest)) return refuse('documents.neverTaken')
  const today = dayIn(now, clinicTimeZone())
  const until = daySaid(end) ?? lastDayOfPartialDate(end, today)
  const isUnsure = said.status !== 'active' && !OVER.has(said.status ?? '')
  // without a last day it would count as taken now
  if (OVER.has(said.status ?? '') && (until === null || until > today))
    return refuse('documents.noEnd')
  if (isUnsure) notes.push({ key: 'documents.countsAsTaken' })
  if (isPartial(start)) notes.push({ key: 'documents.partialDate' })
  if (isPartial(end))
    notes.push({
      key: until ? 'documents.partialEnd' : 'documents.partialDate',
    })
  if (said.status === 'active' && until !== null && until < today)
    notes.push({ key: 'documents.endPassed' })
  if (!isDoseWhole) notes.push({ key: 'documents.doseLeft' })
  const source = SOURCES.find((one) => one === said.category?.text)
  return {
    ...about,
    take: {
      kind: 'medicines',
      input: {
        name,
        ingredients: ingredientsIn(name, code, medication),
        dose: dose && dose.length <= LONGEST_DOSE ? dose : null,
        source: source ?? (isRequest ? 'other_clinic' : 'unknown'),
        since: daySaid(start),
        until,
        notes: [
          said.note,
          dose.length > LONGEST_DOSE ? dose : '',
          ...(isDoseWhole ? [] : [{ key: 'documents.doseLeft' as const }]),
          ...(isPartial(end)
            ? [{ key: 'documents.endSaid' as const, values: { day: end ?? '' } }]
            : []),
          ...(isUnsure ? [statusNote(said.status)] : []),
        ],
      },
    },
  }
}

type Said = z.output<typeof MedicationUseShape>

const isNeverTaken = ({ doNotPerform, status, intent }: Said, isRequest: boolean) =>
  doNotPerform || NEVER_TAKEN.has(status ?? '') || (isRequest && PROPOSED.has(intent ?? ''))

const statusNote = (status: string | undefined): Message =>
  status === undefined
    ? { key: 'documents.statusNotSaid' }
    : { key: 'documents.statusSaid', values: { status } }

/** A year or a month ends after each of its days. */
const latestEnd = (ends: readonly (string | undefined)[]) =>
  ends.toSorted((a = '', b = '') => (a.padEnd(10, '~') < b.padEnd(10, '~') ? -1 : 1)).at(-1)

const NEVER_TAKEN = new Set(['not-taken', 'cancelled', 'draft'])
/** Of a request that nobody has ordered. */
const PROPOSED = new Set(['proposal', 'plan', 'option'])
const OVER = new Set(['completed', 'stopped'])

/** Names that the safety check knows, of the ingredients, else of the name; none unless it knows each part. */
function ingredientsIn(
  name: string,
  code: Concept | undefined,
  { ingredient }: { ingredient: readonly { itemCodeableConcept?: Concept }[] },
): string[] {
  const parts = ingredient.flatMap(
    ({ itemCodeableConcept }) => conceptLabel(itemCodeableConcept) ?? [],
  )
  // "Coumadin (warfarin)"
  const inBrackets = /\(([^()]+)\)\s*$/.exec(name)?.[1]
  const names = [name, inBrackets ?? '', ...(code?.coding ?? []).map(({ display = '' }) => display)]
  return [parts, ...names.map((one) => [one])].map(knownIn).find((found) => found.length > 0) ?? []
}

/** The substances of names, if the safety check knows each of them. */
export function knownIn(names: readonly string[]): string[] {
  const found = names.filter(Boolean).flatMap(parseIngredients)
  return found.every(({ isKnown }) => isKnown) ? [...new Set(found.map(({ name }) => name))] : []
}

/** What a strength is in: `1 tablet` says nothing more. */
const VOLUME = /^(?:m?L|ml|m?g|h|hour|actuat\w*)$/
function strengthText(
  strength: { numerator?: QuantitySaid; denominator?: QuantitySaid } | undefined,
) {
  const numerator = documentQuantity(strength?.numerator)
  const { value, unit, code } = strength?.denominator ?? {}
  const of = unit ?? code ?? ''
  if (!numerator || !VOLUME.test(of)) return numerator
  return `${numerator}/${value === undefined || value === 1 ? of : `${value} ${of}`}`
}

/**
 * The text of a dose; of one that is coded alone its numbers, in the signs of the document. Null: it has parts that
 * this does not write, as "as needed", a highest dose or certain days.
 */
function doseText(dosage: DosageSaid): string | null {
  const { text, doseAndRate, timing, route } = dosage
  if (text) return text
  const repeat = timing?.repeat
  const isWhole =
    hasOnly(dosage, ['id', 'sequence', 'text', 'route', 'timing', 'doseAndRate']) &&
    hasOnly(timing, ['id', 'code', 'repeat']) &&
    hasOnly(repeat, ['id', 'boundsPeriod', 'frequency', 'period', 'periodUnit']) &&
    doseAndRate.length < 2 &&
    doseAndRate.every((one) => hasOnly(one, ['id', 'type', 'doseQuantity']))
  if (!isWhole) return null
  const amounts = doseAndRate.map(({ doseQuantity }) => documentQuantity(doseQuantity))
  const { frequency, period, periodUnit } = repeat ?? {}
  const often =
    conceptLabel(timing?.code) ??
    (frequency === undefined || period === undefined || periodUnit === undefined
      ? ''
      : `${frequency}×/${period === 1 ? '' : period}${periodUnit}`)
  return [...amounts, often, conceptLabel(route)].filter(Boolean).join(', ')
}

const hasOnly = (given: object | undefined, names: readonly string[]) =>
  Object.keys(given ?? {}).every((name) => names.includes(name))

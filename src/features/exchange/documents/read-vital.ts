import { keysIn } from '~/shared/object'
import { HEIGHT_POSITIONS } from '~/forms/weight-for-height'
import type { Message } from '~/shared/errors'
import { type CodedVital, isVitalSign, LOINC, UNIT_WORDS, SIGNS, vitalSign } from '~/shared/loinc'
import { WHOLE } from '~/features/care/vitals/vital'
import type { DocumentEntry } from './bundle'
import { conceptCodes } from './codes'
import type { EntryReading, VitalToTake } from './document'
import { measuredAt } from './said-times'
import {
  type Concept,
  ObservationShape,
  type QuantitySaid,
  documentQuantity,
  conceptLabel,
} from './shapes'
import { statusCodes } from './status'

const BODY_POSITION = 'http://hl7.org/fhir/StructureDefinition/observation-bodyPosition'
const POSITIONS = ['sitting', 'standing', 'lying'] as const
/** https://hl7.org/fhir/R4/bp.html; the second is of IPS and older documents. */
const PANELS = new Set(['85354-9', '55284-4'])
const FINAL = new Set(['final', 'amended', 'corrected'])

const loincCodes = (code: Concept | undefined) =>
  (code?.coding ?? []).flatMap(({ system, code: value }) =>
    system === LOINC && value ? value : [],
  )

/** A vital sign, or both blood pressures; null for another observation. */
export function readVital(entry: DocumentEntry, now: Date): EntryReading | null {
  const said = ObservationShape.parse(entry.resource)
  const codes = loincCodes(said.code)
  const isPanel = codes.some((code) => PANELS.has(code))
  if (!isPanel && !codes.some(isVitalSign)) return null
  const parts = isPanel ? said.component : [{ code: said.code, valueQuantity: said.valueQuantity }]
  const shown = parts.map(({ valueQuantity }) => documentQuantity(valueQuantity)).filter(Boolean)
  const time = said.effectiveDateTime ?? said.effectiveInstant ?? said.effectivePeriod?.start
  const when = measuredAt(time, now)
  const notes: Message[] = []
  const about = {
    kind: 'vitals' as const,
    words: conceptLabel(said.code) ?? '',
    codes: conceptCodes(said.code),
    details: shown.length > 0 ? [{ text: shown.join(' / ') }] : [],
    when: time ?? null,
    statuses: statusCodes(said.status),
    notes,
  }
  const refuse = (key: Message['key'], values?: Message['values']) => ({
    ...about,
    refused: { key, ...(values && { values }) },
  })
  if (said.status === 'entered-in-error') return refuse('documents.enteredInError')
  if (!FINAL.has(said.status ?? '')) return refuse('documents.notFinal')
  if (codes.some((code) => SIGNS.bmi.writes.some(([bmi]) => bmi === code)))
    return refuse('documents.computed')
  const values: VitalToTake['values'] = {}
  for (const { code, valueQuantity } of parts) {
    const read = valueIn(loincCodes(code), valueQuantity)
    if (read === 'unit') {
      const { unit, code: ucum } = valueQuantity ?? {}
      return refuse('documents.unknownUnit', { unit: unit ?? ucum ?? '—' })
    }
    if (read === 'comparator')
      return refuse('documents.noExactValue', {
        value: documentQuantity(valueQuantity),
      })
    if (read) values[read.column] = read.value
  }
  // a mean, or a pressure in kPa: the record has whole ones
  const rounded = keysIn(values).filter(
    (column) => isWhole(column) && !Number.isInteger(values[column]),
  )
  for (const column of rounded) values[column] = Math.round(values[column]!)
  if (rounded.length > 0) {
    const value = rounded.map((column) => valueText(column, values[column]!)).join(' / ')
    notes.push({ key: 'documents.rounded', values: { value } })
  }
  if (Object.keys(values).length === 0) return refuse('documents.noValue')
  if (when === null) return refuse('documents.noDay')
  if (!when.hasTime) notes.push({ key: 'documents.noTime' })
  const position = said.extension
    .filter(({ url }) => url === BODY_POSITION)
    .map(({ valueCodeableConcept }) => valueCodeableConcept?.text)[0]
  return {
    ...about,
    take: {
      kind: 'vitals',
      input: {
        timestamp: when.at,
        values,
        bp_position:
          'systolic_bp' in values || 'diastolic_bp' in values
            ? (POSITIONS.find((one) => one === position) ?? null)
            : null,
        height_position:
          'height_cm' in values ? (HEIGHT_POSITIONS.find((one) => one === position) ?? null) : null,
      },
    },
  }
}

const isWhole = (column: CodedVital) => (WHOLE as ReadonlySet<string>).has(column)

/** A value without a unit is none: which unit is meant would be a guess. A score has none. */
function valueIn(
  codes: readonly string[],
  quantity: QuantitySaid | undefined,
): { column: CodedVital; value: number } | 'unit' | 'comparator' | null {
  const code = codes.find(isVitalSign)
  if (code === undefined || quantity?.value === undefined) return null
  if (quantity.comparator !== undefined) return 'comparator'
  const isScore = vitalSign(code, quantity.value, '')?.column === 'pain_level'
  const unit = quantity.code ?? quantity.unit ?? (isScore ? '' : undefined)
  return (unit !== undefined && vitalSign(code, quantity.value, unit)) || 'unit'
}

/** A value as lists show it. */
export const valueText = (column: CodedVital, value: number) =>
  `${value} ${UNIT_WORDS[SIGNS[column].is]}`

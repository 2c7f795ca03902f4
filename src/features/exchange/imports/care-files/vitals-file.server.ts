import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { asObject } from '~/shared/object'
import {
  ENTERED,
  type Entered,
  isWithUnits,
  toMetric,
  type Unit,
  VITAL_INPUT_UNITS,
  type WithUnits,
} from '~/features/care/vitals/vital'
import { saveVital } from '~/features/care/vitals/vitals.server'
import { isAmbiguousNumber, latinDigits, numberFrom } from '~/fields/typed'
import type { Message } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { headingsOfTargets, labelIn } from '../reader/headings.server'
import { several } from '../record-files/clinics-file.server'
import type { ImportedList, ResolvedRow, RecordValues } from '../record-files/record-file.server'
import { type When, whenIn } from './moments'
import { likeliest } from './visits-file.server'
import {
  PATIENT_IDENTITIES,
  identityHeadings,
  patientIn,
  findNamedPatients,
  patientTargets,
} from './patients-named.server'
import headings from './vital-headings.json'

/** Vital signs, each measurement by patient and time, or by patient and day where the list has no time. */
export function vitalsFile(): ImportedList {
  const targets = [
    ...patientTargets(),
    { name: 'at', label: labelIn('vitals.when'), required: true, holds: 'dates' as const },
    { name: 'time', label: labelIn('appointments.time'), required: false },
    { name: 'blood_pressure', label: labelIn('vitals.blood_pressure'), required: false },
    ...ENTERED.map((name) => ({
      name,
      label: labelIn(`vitals.${name}`),
      required: false,
      holds: 'numbers' as const,
    })),
  ]
  return {
    table: 'patient_vitals',
    targets,
    headings: headingsOfTargets(targets, [headings, identityHeadings()]),
    identities: PATIENT_IDENTITIES,
    texts: new Set(),
    targetOf: { systolic_bp: 'blood_pressure', diastolic_bp: 'blood_pressure', timestamp: 'at' },
    marksImport: true,
    read(cells, about) {
      const named = patientIn(cells, about)
      if ('refused' in named) return named
      const when = whenIn(cells, 'at', { headings: about.headings, formats: about.file.formats })
      if ('refused' in when) return when
      const measured: RecordValues = {}
      const units: RecordValues = {}
      const pressure = cells['blood_pressure']
      if (pressure) {
        const read = /^(\d{2,3})\s*[/\\|-]\s*(\d{2,3})(?:\s*mm\s?hg)?$/i.exec(
          latinDigits(pressure).trim(),
        )
        const column = about.headings['blood_pressure']!
        if (!read) return refuse('imports.reasons.pressure', pressure, column)
        measured['systolic_bp'] = Number(read[1])
        measured['diastolic_bp'] = Number(read[2])
      }
      for (const measure of ENTERED) {
        const cell = cells[measure]
        if (cell === undefined) continue
        const header = about.headings[measure]!
        const read = measureIn(measure, cell, header)
        if ('refused' in read) return read
        measured[measure] = read.value
        if (read.unit) units[measure] = read.unit
      }
      if (Object.keys(measured).length === 0) return { refused: { key: 'vitals.nothingMeasured' } }
      return { values: { patient: named.patient, when, measured, units } }
    },
    async resolve(db, rows, { clinicId, fileName }) {
      const patients = await findNamedPatients(db, rows, clinicId)
      const ids = patients.flatMap((one) => ('patientId' in one ? [one.patientId] : []))
      const days = rows.map(({ when }) => (when as When).day)
      const stored = await db
        .selectFrom('patient_vitals')
        .select([
          ...(['id', 'last_modified', 'patient_id', 'visit_id', 'timestamp', ...ENTERED] as const),
          ...(['bmi', 'bp_position', 'metadata'] as const),
        ])
        .select(sql<boolean>`metadata ? 'import'`.as('is_imported'))
        .where(sql<boolean>`patient_id = any(${ids}::uuid[])`)
        .where(sql<boolean>`clinic_day("timestamp") = any(${days}::date[])`)
        .where(ofClinic(clinicId))
        .where('is_deleted', '=', false)
        .orderBy('timestamp')
        .execute()
      return rows.map((row, at): ResolvedRow => {
        const patient = patients[at]!
        if ('refused' in patient) return patient
        const when = row['when'] as When
        const own = stored.filter(({ patient_id }) => patient_id === patient.patientId)
        const matches = when.hasTime
          ? own.filter(({ timestamp }) => timestamp.getTime() === when.at.getTime()).slice(0, 1)
          : likeliest(
              own.filter(
                ({ timestamp, is_imported }) =>
                  is_imported && dayIn(timestamp, clinicTimeZone()) === when.day,
              ),
              fileName,
            )
        if (matches.length > 1) return { refused: several(when.day) }
        const [found] = matches
        const measured = row['measured'] as Partial<Record<Entered, number>>
        const units = row['units'] as Partial<Record<WithUnits, Unit>>
        const metricValues = Object.fromEntries(
          Object.entries(measured).map(([name, value]) => {
            const unit = units[name as WithUnits]
            return [name, unit ? toMetric(value, unit) : value]
          }),
        )
        const {
          id,
          last_modified,
          is_imported: _imported,
          ...kept
        } = found ?? {
          id: '',
          last_modified: new Date(),
          is_imported: false,
        }
        return {
          values: {
            patient_id: patient.patientId,
            timestamp: found?.timestamp ?? when.at,
            ...metricValues,
          },
          key: `${patient.patientId} ${when.hasTime ? when.at.toISOString() : when.day}`,
          known: found ? { id, last_modified, values: kept } : null,
        }
      })
    },
    save: (ctx, values, known) =>
      saveVital(ctx, {
        visit_id: null,
        ...known?.values,
        ...positionIn(known?.values['metadata']),
        ...values,
        id: known?.id ?? uuidv7(),
        last_modified: known?.last_modified ?? null,
      } as Parameters<typeof saveVital>[1]),
  }
}

/** How the height of a small child was measured: an update keeps it. */
function positionIn(metadata: unknown): RecordValues {
  const { height_position } = asObject(metadata)
  return height_position ? { height_position } : {}
}

/** Imported without a visit, a measurement belongs to the home clinic of the patient: the clinic of its list counts. */
const ofClinic = (clinicId: string | null) => sql<boolean>`coalesce(
  metadata -> 'import' ->> 'clinic',
  (select i.clinic_id::text from imports i where i.id::text = patient_vitals.metadata -> 'import' ->> 'id'),
  recorded_clinic_id::text) = ${clinicId}`

type Measured = { value: number; unit?: Unit } | { refused: Message }

/** "70", "70 kg" or "154 lb"; without a unit in the cell that of the heading, else the stored one. */
function measureIn(measure: Entered, cell: string, header: string): Measured {
  const text = latinDigits(cell).trim()
  const [, digits = text, written = ''] = /^([-+]?[\d.,٬،\s]*\d)\s*(\D*)$/.exec(text) ?? []
  const value = numberFrom(digits)
  if (typeof value !== 'number')
    return refuse(
      isAmbiguousNumber(digits) ? 'imports.reasons.ambiguousNumber' : 'imports.reasons.number',
      cell,
      header,
    )
  if (!isWithUnits(measure)) {
    const isKnown = /^(?:|%|mm\s?hg|bpm|lpm|rpm|\/\s?min|per min|x'|\/\s?10)$/i.test(written.trim())
    return isKnown ? { value } : refuse('imports.reasons.unit', cell, header)
  }
  const unit = written.trim() ? unitIn(measure, written) : unitInHeading(measure, header)
  if (unit === null) {
    const key = written.trim() ? 'imports.reasons.unit' : 'imports.reasons.headingUnit'
    return refuse(key, cell, header)
  }
  if (unit === 'm') return { value: Math.round(value * 100_000) / 1000 }
  return { value, ...(unit && { unit }) }
}

const plain = (text: string) => text.trim().toLowerCase().replaceAll(/[.\s]/g, '').replace('μ', 'µ')

/** A unit of a list: metres become centimetres when they are read. */
type ListUnit = Unit | 'm'

const WORDS: Partial<Record<string, ListUnit>> = {
  c: '°C',
  ºc: '°C',
  celsius: '°C',
  f: '°F',
  ºf: '°F',
  fahrenheit: '°F',
  kgs: 'kg',
  kilos: 'kg',
  kilo: 'kg',
  kilogram: 'kg',
  kilograms: 'kg',
  kilogramme: 'kg',
  kilogrammes: 'kg',
  kilogramo: 'kg',
  kilogramos: 'kg',
  كغ: 'kg',
  كغم: 'kg',
  كجم: 'kg',
  كيلو: 'kg',
  كيلوغرام: 'kg',
  كيلوجرام: 'kg',
  lbs: 'lb',
  pound: 'lb',
  pounds: 'lb',
  libras: 'lb',
  cms: 'cm',
  centimetre: 'cm',
  centimetres: 'cm',
  centimeter: 'cm',
  centimeters: 'cm',
  centímetro: 'cm',
  centímetros: 'cm',
  centimetros: 'cm',
  سم: 'cm',
  سنتيمتر: 'cm',
  سنتمتر: 'cm',
  inch: 'in',
  inches: 'in',
  pulgadas: 'in',
  بوصة: 'in',
  مم: 'mm',
  millimetres: 'mm',
  millimeters: 'mm',
  milímetros: 'mm',
  m: 'm',
  mts: 'm',
  metre: 'm',
  metres: 'm',
  meter: 'm',
  meters: 'm',
  metro: 'm',
  metros: 'm',
  متر: 'm',
  'umol/l': 'µmol/L',
}

/** Units that Sanad does not read: a value under one of them is refused. */
const OTHER_UNITS = new Set(
  'g gram grams gramme grammes gramo gramos غ غرام جرام oz ounces onzas st stone stones ft feet foot pies قدم'.split(
    ' ',
  ),
)

/** The unit that a word means for a measure; null for one that it does not have. */
function unitIn(measure: WithUnits, word: string): ListUnit | null {
  const units: readonly Unit[] = VITAL_INPUT_UNITS[measure]
  const known = WORDS[plain(word)]
  return (
    units.find((unit) => plain(unit) === plain(word)) ??
    units.find((unit) => unit === known) ??
    (known === 'm' && units.includes('cm') ? known : null)
  )
}

/** "Weight (lb)"; undefined where the heading has no unit, null where it has another one or two. */
function unitInHeading(measure: WithUnits, header: string): ListUnit | null | undefined {
  const inBrackets = [...header.matchAll(/[([]([^)\]]*)[)\]]/g)].map(([, text = '']) =>
    wordsIn(text),
  )
  const outside = wordsIn(header.replaceAll(/[([][^)\]]*[)\]]?/g, ' ')).slice(1)
  const bracketed = inBrackets.flatMap((words) => unitsIn(measure, words))
  const found = new Set(bracketed.length > 0 ? bracketed : unitsIn(measure, outside))
  const [unit, another] = [...found]
  if (another !== undefined || unit === null) return null
  return unit ?? (inBrackets.flat().length > 0 ? null : undefined)
}

const wordsIn = (text: string) => text.split(/[\s_,]+/).filter(Boolean)

/** The units in a text. In "Height in centimeters", "in" is no inch: it counts only as the last word. */
const unitsIn = (measure: WithUnits, words: readonly string[]) =>
  words.flatMap((word, at): (ListUnit | null)[] => {
    if (plain(word) === 'in' && at < words.length - 1) return []
    const unit = unitIn(measure, word)
    return unit || OTHER_UNITS.has(plain(word)) ? [unit] : []
  })

const refuse = (key: Message['key'], value: string, column: string) => ({
  refused: { key, values: { value: value.slice(0, 60), column } },
})

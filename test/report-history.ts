import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import { momentAt } from '~/shared/zone'
import { makeFactories } from './factories'

/** Damascus: three hours before UTC, so that evenings and mornings around midnight differ from UTC's. */
export const ZONE = 'Asia/Damascus'

type Day = string
/** Records a call as users do; without it, a history writes the row itself. */
export type RecordsCall = (call: {
  patient_id: string
  called_at: Date
  day: Day
  result: string
}) => Promise<unknown>
export type World = { clinics: Record<string, string>; forms: Record<string, string> }

/** The concepts that the forms of a world hold: form, field, concept, option. */
const BINDINGS = [
  ['sugar', 'fasting', 'sugar.fasting'],
  ['sugar', 'random', 'sugar.random'],
  ['sugar', 'hba1c', 'hba1c'],
  ['anc', null, 'anc.contact'],
  ['anc', 'hb', 'anc.hb'],
  ['anc', 'hiv', 'anc.hiv'],
  ['anc', 'syphilis', 'anc.syphilis'],
  ['anc', 'danger', 'anc.danger'],
  ['anc', 'given', 'anc.iron', 'iron'],
  ['anc', 'given', 'anc.calcium', 'calcium'],
  ['anc', 'given', 'anc.deworming', 'deworming'],
  ['pnc', 'born', 'pnc.born'],
  ['consultation', 'referred', 'visit.referred', 'yes'],
] as const

/** Two clinics, and the forms that histories are written in. */
export async function makeWorld(db: Kysely<DB>): Promise<World> {
  const make = makeFactories(db)
  const clinics = { A: (await make.clinic()).id, B: (await make.clinic()).id }
  const forms: Record<string, string> = {}
  for (const name of ['sugar', 'anc', 'pnc', 'consultation'])
    forms[name] = (await make.eventForm()).id
  const field = { id: 'diagnosis', fieldType: 'diagnosis', name: 'Diagnosis' }
  forms['diagnosis'] = (await make.eventForm({ form_fields: JSON.stringify([field]) })).id
  await db
    .insertInto('report_bindings')
    .values(
      BINDINGS.map(([form, field_id, concept, option]) => ({
        id: uuidv7(),
        form_id: forms[form]!,
        field_id,
        concept,
        option: option ?? null,
      })),
    )
    .execute()
  return { clinics, forms }
}

const at = (day: Day, time = '09:00') => momentAt(`${day}T${time}`, ZONE)!

/**
 * What a test says of one patient, as a clinician writes it:
 * `born 1960-05-01, male; hypertension 2026-01-15; bp 2026-10-31 139/89 at 23:59`. Days and times are
 * of the clinic. Without "born", a woman of 1966. Everything happens in clinic A, unless it says "in B".
 */
export async function writeHistory(
  db: Kysely<DB>,
  { clinics, forms }: World,
  text: string,
  recordCall?: RecordsCall,
): Promise<string> {
  const make = makeFactories(db)
  const entries = text.split(';').map((entry) => entry.trim())
  const wordsOf = (entry: string) => entry.split(/[\s,]+/)
  const find = (name: string) => entries.find((entry) => wordsOf(entry)[0] === name)
  const clinicIn = (words: readonly string[]) =>
    clinics[words.includes('in') ? words[words.indexOf('in') + 1]! : 'A']!
  const timeIn = (words: readonly string[]) =>
    words.includes('at') ? words[words.indexOf('at') + 1]! : '09:00'

  const born = find('born')
  const phone = entries.find((entry) => entry.startsWith('phone '))?.slice('phone '.length)
  const died = find('died')
  const patient = await make.patient({
    date_of_birth: born
      ? wordsOf(born)[1] === 'unknown'
        ? null
        : wordsOf(born)[1]!
      : '1966-03-10',
    sex: wordsOf(born ?? '').findLast((word) => /^(male|female|other)$/.test(word)) ?? 'female',
    phone: phone === undefined ? '0911 222 333' : phone === 'none' ? null : phone,
    primary_clinic_id: clinics['A']!,
    died_on: died ? wordsOf(died)[1]! : null,
    created_at: at('2024-01-01'),
  })
  const patient_id = patient.id
  const visitOn = (day: Day, words: readonly string[], more: object = {}) =>
    make.visit({
      patient_id,
      clinic_id: clinicIn(words),
      check_in_timestamp: at(day, timeIn(words)),
      ...more,
    })
  const answer = async (form: string, day: Day, words: readonly string[], answers: object) => {
    const visit = await visitOn(day, words)
    await make.event({
      patient_id,
      visit_id: visit.id,
      form_id: forms[form]!,
      answers: { ...answers },
      created_at: at(day, timeIn(words)),
      is_deleted: words.includes('deleted'),
    })
    return visit
  }
  const measured = (words: readonly string[], visit_id: string | null, value: string) => {
    const [systolic, diastolic] = value.split('/').map((each) => (each === '-' ? null : +each))
    return make.vital({
      patient_id,
      visit_id,
      timestamp: at(words[1]!, timeIn(words)),
      temperature_celsius: null,
      systolic_bp: systolic ?? null,
      diastolic_bp: diastolic ?? null,
      is_deleted: words.includes('deleted'),
    })
  }

  for (const entry of entries) {
    const words = wordsOf(entry)
    const [kind = '', day = '', value = ''] = words
    const isDeleted = words.includes('deleted')
    const deletion = isDeleted ? { is_deleted: true } : {}
    switch (kind) {
      case 'hypertension':
      case 'diabetes':
      case 'pregnancy':
        await db
          .insertInto('program_enrollments')
          .values({
            id: uuidv7(),
            patient_id,
            program: kind,
            clinic_id: clinicIn(words),
            enrolled_on: day,
            ...(words.includes('lmp') && { lmp: words[words.indexOf('lmp') + 1]! }),
            ...(words.includes('ended') && {
              ended_on: words[words.indexOf('ended') + 1]!,
              end_reason: words[words.indexOf('ended') + 2]!,
            }),
            ...deletion,
          })
          .execute()
        break
      case 'visit':
        await visitOn(day, words, {
          ...deletion,
          ...(words.includes('revisit') && { is_revisit: true }),
          ...(words.includes('new') && { is_revisit: false }),
        })
        break
      case 'bp':
        await measured(
          words,
          words.includes('outside') ? null : (await visitOn(day, words)).id,
          value,
        )
        break
      case 'fasting':
      case 'random':
      case 'hba1c':
        await answer('sugar', day, words, { [kind]: Number(value) })
        break
      case 'case': {
        const visit = await visitOn(day, words)
        for (const problem_code of words.slice(2).filter((word) => /^[A-Z]\d/.test(word)))
          await make.problem({
            patient_id,
            visit_id: visit.id,
            problem_code,
            verification_status: words.includes('refuted') ? 'refuted' : 'confirmed',
            created_at: at(day, timeIn(words)),
            ...deletion,
          })
        break
      }
      case 'diagnosis': {
        const codes = words.slice(2).map((code) => ({ code: code === '-' ? '' : code, desc: 'x' }))
        await answer('diagnosis', day, words, { diagnosis: codes })
        break
      }
      case 'referred':
        await answer('consultation', day, words, { referred: 'yes' })
        break
      case 'anc': {
        const after = (name: string) => {
          const place = words.indexOf(name)
          return place < 0 ? {} : { [name]: words[place + 1]! }
        }
        const given = words.filter((word) => ['iron', 'calcium', 'deworming'].includes(word))
        const visit = await answer('anc', day, words, {
          ...after('hb'),
          ...after('hiv'),
          ...after('syphilis'),
          ...after('danger'),
          ...(given.length > 0 && { given }),
        })
        if (words.includes('bp')) await measured(words, visit.id, words[words.indexOf('bp') + 1]!)
        break
      }
      case 'pnc':
        await answer('pnc', day, words, { born: words[words.indexOf('born') + 1]! })
        break
      case 'dose':
        await db
          .insertInto('patient_immunizations')
          .values({
            id: uuidv7(),
            patient_id,
            clinic_id: clinicIn(words),
            vaccine: value,
            given_on: day,
            dose_number: /^\d$/.test(words[3] ?? '') ? Number(words[3]) : null,
            ...deletion,
          })
          .execute()
        break
      case 'appointment':
        await make.appointment({
          patient_id,
          clinic_id: clinicIn(words),
          timestamp: at(day),
          status: words.find((word) => ['cancelled', 'completed'].includes(word)) ?? 'confirmed',
          created_at: at(
            words.includes('booked') ? words[words.indexOf('booked') + 1]! : '2026-01-02',
          ),
        })
        break
      case 'call': {
        if (recordCall) {
          const called_at = at(day, timeIn(words))
          await recordCall({ patient_id, called_at, day, result: value })
          break
        }
        const id = uuidv7()
        const call = {
          patient_id,
          program: words.includes('diabetes') ? 'diabetes' : 'hypertension',
          schedule_code: 'htn-review',
          step: 'review',
          due_on: '2026-09-01',
          clinic_id: clinicIn(words),
          called_at: at(day, timeIn(words)),
          ...resultOf(value, day),
        }
        await db
          .insertInto('follow_up_calls')
          .values({ id, ...call })
          .execute()
        if (words.includes('countered'))
          await db
            .insertInto('follow_up_calls')
            .values({ id: uuidv7(), ...call, counters_id: id })
            .execute()
        break
      }
      case 'statin': {
        const visit = await visitOn(day, words)
        const drug = await make.drug({ ingredients: ['atorvastatin'] })
        const prescription = await make.prescription({
          patient_id,
          visit_id: visit.id,
          pickup_clinic_id: clinicIn(words),
          prescribed_at: at(day),
        })
        await make.prescriptionItem(prescription, { drug_id: drug.id })
        break
      }
      case 'born':
      case 'phone':
      case 'died':
      case 'patient':
        break
      default:
        throw new Error(`A history does not know "${entry}"`)
    }
  }
  if (entries.includes('patient deleted'))
    await db
      .updateTable('patients')
      .set({ is_deleted: true })
      .where('id', '=', patient_id)
      .execute()
  return patient_id
}

function resultOf(result: string, day: Day) {
  if (result === 'agreed') return { result: 'agreed_to_visit', agreed_on: day }
  if (result === 'remind')
    return { result: 'remind_to_call_later', remind_on: day, no_answer: true }
  return { result: 'removed_from_overdue_list', reason: result }
}

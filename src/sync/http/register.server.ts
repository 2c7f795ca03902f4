import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { type Context, inTransaction } from '~/server/operation'
import { newId, isId } from '~/shared/id'
import { type Params, RegisterOf, shaped, unknownCall } from './call'
import type { Incoming } from '../push/incoming'
import { syncColumnKinds } from '../schema/kinds'
import { asEdit, given, isEmptyObject, finalRefusal, rowFrom } from './online-row'
import { saveAllDecided, saveOnline } from '../push/settle.server'
import { storedIds } from '../push/write.server'

/**
 * Registers a patient, or changes the one with that id: the app uses one command for both. A change
 * sends "" or {} for every field that the app does not hold, so what comes empty keeps its stored
 * value. All of it is stored, or nothing.
 */
export function registerPatient(ctx: Context, params: Params) {
  const { patient, additional_attributes: attributes } = shaped(RegisterOf, params)
  if (Object.keys(params).some((key) => key !== 'patient' && key !== 'additional_attributes'))
    throw unknownCall()
  const id = patient.id || newId()
  return inTransaction('rpc.register_patient', ctx, async (inner) => {
    await saveOnline(inner, await patientRow(inner.db, { ...patient, id }), finalRefusal)
    const rows = await attributeRows(inner.db, id, attributes)
    await saveAllDecided(inner, 'patient_additional_attributes', rows, finalRefusal)
    return { patient_id: id, attributes_count: attributes.length }
  })
}

async function patientRow(db: Kysely<DB>, patient: Params & { id: string }): Promise<Incoming> {
  const isHere = (await storedIds(db, [{ table: 'patients', id: patient.id }])).has(patient.id)
  const row = rowFrom('patients', {
    ...moments(),
    ...(isHere ? held(patient) : given(patient)),
    id: patient.id,
  })
  return isHere ? asEdit(row) : row
}

const VALUES = ['number_value', 'string_value', 'date_value', 'boolean_value']

/**
 * The app gives each answer the id of its field, which is the same for every patient, and leaves
 * `patient_id` empty. So the answer is found by patient and field, and a new one keeps the id that
 * was sent only if no other row can have it.
 */
async function attributeRows(
  db: Kysely<DB>,
  patientId: string,
  attributes: readonly Params[],
): Promise<Incoming[]> {
  if (attributes.some(({ patient_id: of }) => of && of !== patientId)) throw unknownCall()
  const { stored, taken } = await known(db, patientId, attributes)
  const rows = attributes.map((attribute) => {
    const { id: sent, attribute_id } = attribute
    const storedAs = stored.get(syncColumnKinds.fieldId.check(attribute_id) as string)
    const isFree = isId(sent) && sent !== attribute_id && !taken.has(sent.toLowerCase())
    const id = storedAs ?? (isFree ? sent : newId())
    // an answer has one value: a change of its kind clears the other
    const none = Object.fromEntries(VALUES.map((column) => [column, null]))
    const values = { ...moments(), ...none, ...(storedAs ? held(attribute) : given(attribute)) }
    const row = rowFrom('patient_additional_attributes', { ...values, patient_id: patientId, id })
    return storedAs ? asEdit(row) : row
  })
  // the app sends "" for each unanswered question
  return rows.filter(({ values }) =>
    VALUES.some((column) => values[column] !== null && values[column] !== undefined),
  )
}

async function known(db: Kysely<DB>, patientId: string, attributes: readonly Params[]) {
  const rows = await db
    .selectFrom('patient_additional_attributes')
    .select(['id', 'attribute_id'])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .execute()
  const table = 'patient_additional_attributes' as const
  const ids = attributes.map(({ id }) => id).filter(isId)
  return {
    stored: new Map(rows.map(({ id, attribute_id }) => [attribute_id, id])),
    taken: await storedIds(
      db,
      ids.map((id) => ({ table, id })),
    ),
  }
}

const moments = () => ({
  created_at: new Date().toISOString(),
  updated_at: new Date().toISOString(),
})
const held = (params: Params): Params =>
  Object.fromEntries(Object.entries(given(params)).filter(([, value]) => !isEmptyObject(value)))

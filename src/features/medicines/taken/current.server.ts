import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { drugName } from '~/features/medicines/drugs/drug'
import { PatientIdInput } from '~/features/people/patients/patient'
import { loadFormMedicines } from '~/features/medicines/prescriptions/check/form-medicines.server'
import { daysOfSupply, piecesOfSupply } from '~/features/medicines/prescriptions/check/taken.server'
import { parseFreeText } from '~/features/medicines/prescriptions/check/text-lines'
import { prescriptionSeen } from '~/features/medicines/prescriptions/rights.server'
import { type Dosed, storedDose } from '~/features/medicines/prescriptions/writing/dose'
import { namedPatient } from '~/policy/on.server'
import { readForSafety } from '~/policy/rules'
import { type Strong, pickStrength, TITLE_COLUMNS } from '~/records/strength'
import { type Context, query } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { loadConfirmations } from './confirmations.server'
import {
  endOfDay,
  isCancelled,
  isOpenItem,
  isOpenText,
  type Supply,
  type Taken,
  takenUntil,
  withIngredients,
} from '~/features/medicines/prescriptions/check/taken-until'
import {
  isTakenElsewhere,
  type StopOf,
  stopsOfEach,
} from '~/features/medicines/prescriptions/check/stops.server'

/** Of each source; a merged record can have many, and more than this indicates a wrong merge. */
const MOST = 500

/**
 * What the patient takes now, and whether anything else is known of medicines: an empty list alone
 * would read as "none". Rows of all clinics (docs/rules.md, "Care across clinics").
 */
export const currentMedicines = query('medicines.current', {
  access: 'safety',
  reads: [
    'dispensing_records',
    'events',
    'medicine_decisions',
    'patient_medicines',
    'prescription_items',
    'prescriptions',
  ],
  looksUp: ['app_config', 'drug_catalogue', 'event_forms', 'patients', 'users', 'visits'],
  on: namedPatient(readForSafety),
  input: PatientIdInput,
  run: (ctx, { patientId }) => loadCurrentMedicines(ctx, patientId),
})
export type CurrentMedicineList = Awaited<ReturnType<typeof loadCurrentMedicines>>
export type CurrentMedicine = CurrentMedicineList['rows'][number]

/** The one answer to "what does the patient take": of screens, papers and FHIR. */
export async function loadCurrentMedicines(ctx: Pick<Context, 'db' | 'actor'>, patientId: string) {
  const { rows, state } = await loadTakenMedicines(ctx, patientId)
  const confirmed = await loadConfirmations(ctx, patientId)
  return {
    rows: rows.map((row) => {
      const { itemId: _item, medicineId: _medicine, drugId: _drug, ...shown } = row
      return { ...shown, confirmed: confirmed(row) }
    }),
    state,
  }
}

export type TakenMedicine = Awaited<ReturnType<typeof loadTakenMedicines>>['rows'][number]

/** The same with the ids of the rows of all clinics, which leave the server only if the actor reads them. */
export async function loadTakenMedicines(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  patientId: string,
) {
  const now = new Date()
  const prescribed = await prescribedTo(db, actor, patientId)
  const stopOf = await stopsOfEach(db, [patientId])
  const loose = await dispensedTo(db, patientId, stopOf)
  const texts = await loadFreeTextLines(db, actor, patientId, stopOf)
  const elsewhere = await loadElsewhereMedicines(db, patientId)
  const written = await loadFormMedicines(db, patientId)
  const rows = [
    ...[...prescribed, ...loose, ...texts].flatMap(({ course, ...one }) =>
      asTaken(one, takenUntil(course), now),
    ),
    ...elsewhere.filter(({ isTaken }) => isTaken).map(({ isTaken: _taken, ...one }) => one),
    ...written.flatMap(({ name, at, typedAt, days }, line) => {
      if (stopOf(patientId, { kind: 'form', name, at, typedAt })) return []
      return asTaken(
        { ...NOTHING, kind: 'form' as const, id: `form-${line}`, name, since: clinicDay(at) },
        takenUntil({ isOpen: false, prescribedAt: at, validUntil: null, supplies: [{ at, days }] }),
        now,
      )
    }),
  ]
  const known = [prescribed, loose, texts, elsewhere, written].flat().length
  const none = known > 0 ? ('ended' as const) : ('nothing' as const)
  return {
    rows,
    /** `ended`: what is known is not taken any more. `nothing`: nobody has recorded any medicine. */
    state: rows.length > 0 ? ('some' as const) : none,
  }
}

const clinicDay = (at: Date) => dayIn(at, clinicTimeZone())

/** Of a row of another clinic the medicine is shown, and not the record. */
const HIDDEN = 'hidden-'

/** What only some kinds of rows have. */
const NOTHING = {
  /** Of the catalogue, for its title. */
  drug: null,
  /** The dose as numbers, else the instructions as text. */
  dose: null,
  instructions: null,
  /** Where a medicine from elsewhere comes from. */
  source: null,
  prescriptionId: null,
  isOpen: false,
  isDispensed: false,
  /** The item of a prescription, or the medicine from elsewhere, that it is. */
  itemId: null,
  medicineId: null,
  /** The medicine of the catalogue, of what was dispensed without a prescription. */
  drugId: null,
}

function asTaken<One>(one: One, taken: Taken | null, now: Date) {
  if (!taken || taken.until <= now) return []
  // the last day is the one before the end
  const { until, isAssumed, isOpenEnded } = taken
  return [{ ...one, until: clinicDay(new Date(until.getTime() - 1)), isAssumed, isOpenEnded }]
}

const isReversed = sql`exists (select from dispensing_records back
  where back.reverses_id = r.id and not back.is_deleted)`
const supplies = sql<Given>`(select json_agg(json_build_object('at', r.dispensed_at, 'days', ${daysOfSupply},
    'pieces', ${piecesOfSupply}))
  from dispensing_records r
  where r.prescription_item_id = i.id and r.drug_id = i.drug_id
    and not r.is_deleted and r.quantity_dispensed > 0 and not ${isReversed})`

type Given = { at: string; days: number | null; pieces: number | null }[] | null
const suppliesIn = (given: Given): Supply[] =>
  (given ?? []).map(({ at, ...supply }) => ({ ...supply, at: new Date(at) }))

const titled = (row: Strong & { generic_name: string; brand_name: string | null } & Dosed) => ({
  generic_name: row.generic_name,
  brand_name: row.brand_name,
  form: row.form,
  ingredients: row.ingredients,
  ...pickStrength(row),
})

/** The medicines of prescriptions, the newest first. */
async function prescribedTo(db: Kysely<DB>, actor: Actor, patientId: string) {
  const rows = await db
    .selectFrom('prescription_items as i')
    .modifyFront(asPrepared())
    .innerJoin('prescriptions', 'prescriptions.id', 'i.prescription_id')
    .innerJoin('drug_catalogue as d', 'd.id', 'i.drug_id')
    .select(['i.id', 'prescription_id', 'drug_id', 'item_status', 'dosage_instructions', 'dose'])
    .select(['status', 'prescribed_at', 'expiration_date'])
    .select(sql<boolean>`${prescriptionSeen(actor)}`.as('is_readable'))
    .select([...TITLE_COLUMNS, 'd.form', 'd.ingredients'])
    .select(supplies.as('supplies'))
    .where('i.patient_id', '=', patientId)
    .where('i.is_deleted', '=', false)
    .where('prescriptions.is_deleted', '=', false)
    .orderBy('prescribed_at', 'desc')
    .orderBy('i.position')
    .orderBy('i.id')
    .limit(MOST)
    .execute()
  return rows.map((row, at) => {
    const { dosage_instructions } = row
    const given = isCancelled(row) ? [] : suppliesIn(row.supplies)
    const isOpen = isOpenItem(row)
    return {
      ...NOTHING,
      kind: 'prescribed' as const,
      id: row.is_readable ? row.id : `${HIDDEN}${at}`,
      itemId: row.id,
      name: drugName(row),
      drug: titled(row),
      dose: storedDose(row.dose, dosage_instructions),
      instructions: dosage_instructions,
      since: clinicDay(row.prescribed_at),
      prescriptionId: row.is_readable ? row.prescription_id : null,
      isOpen,
      // picked up, perhaps elsewhere: then nobody recorded for how long it lasts
      isDispensed: given.length > 0 || row.status === 'picked-up',
      course: {
        isOpen,
        prescribedAt: row.prescribed_at,
        validUntil: row.expiration_date && endOfDay(row.expiration_date),
        supplies: given,
      },
    }
  })
}

/**
 * What was dispensed without a prescription (from paper, by phones and former systems), whose prescription is deleted,
 * or in place of another medicine: what is listed was handed over.
 */
async function dispensedTo(db: Kysely<DB>, patientId: string, stopOf: StopOf) {
  const rows = await db
    .selectFrom('dispensing_records as r')
    .modifyFront(asPrepared())
    .innerJoin('drug_catalogue as d', 'd.id', 'r.drug_id')
    .select([
      'r.drug_id',
      'r.dispensed_at',
      'r.server_created_at',
      'r.dosage_instructions',
      'r.dose',
    ])
    .select([...TITLE_COLUMNS, 'd.form', 'd.ingredients'])
    .select(sql<number | null>`${daysOfSupply}`.as('days'))
    .select(sql<number | null>`${piecesOfSupply}`.as('pieces'))
    .where('r.patient_id', '=', patientId)
    // a record stays when its prescription is deleted
    .where(
      sql<boolean>`not exists (select from prescription_items i join prescriptions p on p.id = i.prescription_id
        where i.id = r.prescription_item_id
          and (not i.is_deleted and not p.is_deleted and i.drug_id = r.drug_id
            or 'cancelled' in (i.item_status, p.status)))`,
    )
    .where('r.is_deleted', '=', false)
    .where('r.quantity_dispensed', '>', 0)
    .where(sql<boolean>`not ${isReversed}`)
    .orderBy('r.dispensed_at', 'desc')
    .orderBy('r.id')
    .limit(MOST)
    .execute()
  return [...Map.groupBy(rows, ({ drug_id }) => drug_id).values()].map((all) => {
    const [row] = all as [(typeof rows)[number]]
    const drugId = row.drug_id
    const handedOut = all.flatMap(
      ({ dispensed_at: at, server_created_at: typedAt, days, pieces }) =>
        stopOf(patientId, { kind: 'prescribed', drugId, at, typedAt }) ? [] : { at, days, pieces },
    )
    return {
      ...NOTHING,
      kind: 'prescribed' as const,
      // the record may be one of another clinic
      id: `dispensed-${drugId}`,
      drugId,
      name: drugName(row),
      drug: titled(row),
      dose: storedDose(row.dose, row.dosage_instructions),
      instructions: row.dosage_instructions,
      since: clinicDay(row.dispensed_at),
      isDispensed: true,
      course: {
        isOpen: false,
        prescribedAt: row.dispensed_at,
        validUntil: null,
        supplies: handedOut,
      },
    }
  })
}

/** Lines of free text in the prescriptions of phones. */
async function loadFreeTextLines(db: Kysely<DB>, actor: Actor, patientId: string, stopOf: StopOf) {
  const rows = await db
    .selectFrom('prescriptions')
    .modifyFront(asPrepared())
    .select(['id', 'items', 'status', 'prescribed_at', 'expiration_date', 'last_modified'])
    .select(sql<boolean>`${prescriptionSeen(actor)}`.as('is_readable'))
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .where(sql<boolean>`jsonb_typeof(items) = 'array' and items <> '[]'`)
    .orderBy('prescribed_at', 'desc')
    .orderBy('id')
    .limit(MOST)
    .execute()
  return rows.flatMap((row, at) =>
    (row.items as unknown[]).flatMap((entry, line) => {
      const [name] = parseFreeText([entry])
      if (!name) return []
      const written = { kind: 'text' as const, name, at: row.prescribed_at }
      const isStopped = stopOf(patientId, { ...written, typedAt: row.last_modified }) !== null
      const isOpen = !isStopped && isOpenText(row)
      return {
        ...NOTHING,
        kind: 'text' as const,
        // the id of the same line in FHIR
        id: row.is_readable ? `${row.id}-f${line + 1}` : `${HIDDEN}text-${at}-${line}`,
        name,
        since: clinicDay(row.prescribed_at),
        prescriptionId: row.is_readable ? row.id : null,
        isOpen,
        course: {
          isOpen,
          prescribedAt: row.prescribed_at,
          validUntil: row.expiration_date && endOfDay(row.expiration_date),
          supplies: [],
        },
      }
    }),
  )
}

async function loadElsewhereMedicines(db: Kysely<DB>, patientId: string) {
  const rows = await db
    .selectFrom('patient_medicines as m')
    .modifyFront(asPrepared())
    .select(['id', 'name', 'ingredients', 'dose', 'source', 'since', 'until'])
    .select(isTakenElsewhere('m').as('isTaken'))
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .orderBy('name')
    .orderBy('id')
    .limit(MOST)
    .execute()
  return rows.map(({ name, ingredients, dose, ...row }) => ({
    ...NOTHING,
    ...row,
    name: withIngredients({ name, ingredients }),
    kind: 'elsewhere' as const,
    medicineId: row.id,
    source: row.source,
    instructions: dose,
    isAssumed: false,
    isOpenEnded: false,
  }))
}

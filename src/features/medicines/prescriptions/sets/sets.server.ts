import { isCurrentProblem } from '~/features/care/problem-codes/diagnosed.server'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { drugName } from '~/features/medicines/drugs/drug'
import { loadPatientFacts } from '~/features/medicines/safety/facts.server'
import { ruleName } from '~/features/medicines/safety/rules/rule'
import { bandDose, type BandLack } from './band-doses'
import { isChild } from '~/features/medicines/safety/rules/doses'
import { rulesOff } from '~/features/medicines/safety/rules.server'
import { permitsIn, somewhere } from '~/policy/facts'
import { requireClinic, requirePatient } from '~/policy/require.server'
import { administerClinic, knowPatient, prescribeAt } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { pickStrength, TITLE_COLUMNS } from '~/records/strength'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { inPermittedClinics } from '~/server/scope'
import type { Actor } from '~/shared/actor'
import { forbidden, invalid, notFound } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { amountOfBand } from './band-amount'
import { ListSets, SavePrescriptionSet, type SetItem, UseSet } from './prescription-set'
import { requirePrescriber } from '../prescriptions.server'
import type { Dose } from '../writing/dose'

/** Of a user and the user's clinics. */
const MOST = 500

/** The user's own sets, and those of the clinics in which the user prescribes or administers. */
const readable = (actor: Actor): RawBuilder<boolean> => sql<boolean>`(
  (s.clinic_id is null and s.user_id = ${actor.userId})
  or (s.clinic_id is not null and ${inPermittedClinics(actor, 's.clinic_id', ...prescribeAt, ...administerClinic)}))`

const sets = (db: Kysely<DB>, actor: Actor) =>
  db
    .selectFrom('prescription_sets as s')
    .leftJoin('clinics', 'clinics.id', 's.clinic_id')
    .leftJoin('users', 'users.id', 's.user_id')
    .select(['s.id', 's.name', 's.clinic_id', 's.user_id', 'items', 's.last_modified'])
    .select(['problem_code_system', 'problem_code', 'problem_label'])
    .select(['clinics.name as clinic', 'users.name as owner'])
    .where('s.is_deleted', '=', false)
    .where(readable(actor))

/** The sets that the user may use; for a patient, those of the recorded problems first. */
export const listSets = query('prescriptionSets.list', {
  access: 'prescriptions',
  reads: ['prescription_sets'],
  looksUp: ['clinics', 'drug_catalogue', 'patient_problems', 'users'],
  input: ListSets,
  allow: somewhere([...prescribeAt, ...administerClinic]),
  async run({ db, actor }, { patientId }) {
    const isOfProblem = patientId
      ? sql<boolean>`exists (select from patient_problems p
          where p.patient_id = ${patientId} and ${isCurrentProblem('p')}
          and p.problem_code_system = s.problem_code_system and p.problem_code = s.problem_code
          and ${rowsWhere(actor, 'p')})`
      : sql<boolean>`false`
    const found = await sets(db, actor)
      .select(isOfProblem.as('is_of_problem'))
      .orderBy('is_of_problem', 'desc')
      .orderBy(sql`lower(s.name)`)
      .orderBy('s.id')
      .limit(MOST)
      .execute()
    const drugs = await loadSetDrugs(
      db,
      found.flatMap(({ items }) => items),
    )
    return found.map(({ items, user_id, ...set }) => ({
      ...set,
      mayChange: mayChange(actor, { clinic_id: set.clinic_id, user_id }),
      items: items.map(({ drug_id, dose, dosage_instructions }) => {
        const drug = drugs.get(drug_id)
        return {
          drug_id,
          name: drug?.name ?? '',
          isInactive: drug?.isInactive ?? true,
          drug: drug && {
            generic_name: drug.generic_name,
            brand_name: drug.brand_name,
            form: drug.form,
            ingredients: drug.ingredients,
            ...pickStrength(drug),
          },
          dose,
          instructions: dosage_instructions,
        }
      }),
    }))
  },
  shows: () => null,
})

export type ListedSet = Awaited<ReturnType<typeof listSets>>[number]

const mayChange = (actor: Actor, set: { clinic_id: string | null; user_id: string }) =>
  set.clinic_id === null
    ? set.user_id === actor.userId
    : permitsIn(administerClinic, actor, set.clinic_id)

/** Medicines of the catalogue, those that left it included. */
async function loadSetDrugs(db: Kysely<DB>, items: readonly SetItem[]) {
  const rows = await db
    .selectFrom('drug_catalogue as d')
    .select(['d.id', ...TITLE_COLUMNS, 'd.form', 'd.route', 'd.ingredients'])
    .select(['is_active', 'd.is_deleted'])
    .where(sql<boolean>`d.id = any(${items.map(({ drug_id }) => drug_id)}::uuid[])`)
    .execute()
  return new Map(
    rows.map(({ is_active, is_deleted, ...row }) => [
      row.id,
      { ...row, name: drugName(row), isInactive: !is_active || is_deleted },
    ]),
  )
}

/** Why a dose was filled in, or was not. */
type SetNote =
  | { kind: 'not_in_catalogue' }
  | { kind: 'band'; fromKg: number; underKg: number; source: string }
  | { kind: 'no_dose'; because: BandLack | 'amount' }

/**
 * The items of a set for one patient. Of a child, or of a patient whose age is not known, the dose of the set is not
 * taken over: it is that of the published weight band, or stays empty.
 */
export const useSet = query('prescriptionSets.use', {
  access: 'prescriptions',
  reads: ['prescription_sets'],
  looksUp: [
    'clinics',
    'drug_catalogue',
    'events',
    'patient_pregnancies',
    'program_enrollments',
    'patient_problems',
    'patient_vitals',
    'patients',
    'report_bindings',
    'safety_rules_off',
    'users',
    'visits',
  ],
  input: UseSet,
  allow: somewhere(prescribeAt),
  async run(ctx, { id, patientId }) {
    const { db, actor } = ctx
    await requirePatient(ctx, patientId, knowPatient)
    await requirePrescriber(ctx, patientId)
    const set = await sets(db, actor).where('s.id', '=', id).executeTakeFirst()
    if (!set) throw notFound('prescriptionSets.notFound')
    const items = set.items
    const drugs = await loadSetDrugs(db, items)
    const facts = await loadPatientFacts(db, patientId)
    const off = await rulesOff(db)
    const isOn = (row: string) => !off.has(ruleName('dose', row))
    return {
      name: set.name,
      items: items.map((item) => {
        const drug = drugs.get(item.drug_id)
        const { dose, dosage_instructions, quantity_prescribed, notes } = item
        const name = drug?.name ?? ''
        if (!drug || drug.isInactive)
          return { name, drug: null, note: { kind: 'not_in_catalogue' as const } }
        const picked = {
          drug_id: drug.id,
          generic_name: drug.generic_name,
          brand_name: drug.brand_name,
          form: drug.form,
          route: drug.route,
          ingredients: drug.ingredients,
          ...pickStrength(drug),
        }
        const of = { name, drug: picked, notes, quantity: quantity_prescribed }
        if (facts.birth && !isChild(facts))
          return { ...of, dose, dosage_instructions, amount: dose?.amount ?? null, note: null }
        const band = bandDose({ ...drug, route: dose?.route ?? drug.route }, facts, isOn)
        const amount = 'lack' in band ? null : amountOfBand(band.singles, picked)
        const note: SetNote =
          'lack' in band || !amount
            ? { kind: 'no_dose', because: 'lack' in band ? band.lack : 'amount' }
            : { kind: 'band', fromKg: band.fromKg, underKg: band.underKg, source: band.source }
        // how often an adult takes it is not how often a child does
        const often: Dose['often'] | null =
          amount && !('lack' in band) && band.timesADay
            ? { kind: 'times', n: band.timesADay }
            : null
        return {
          ...of,
          // the instructions of the set name the dose of someone else
          dosage_instructions: '',
          amount: amount?.amount ?? null,
          dose: dose && { ...dose, max_per_day: null },
          unit: amount?.unit ?? dose?.unit ?? null,
          often,
          // so many pieces were for the dose of the set
          quantity: 1,
          note,
        }
      }),
    }
  },
  shows: (_, { input }) => [input.patientId],
})
export type UsedSet = Awaited<ReturnType<typeof useSet>>

/** Saves a set of one's own, or one of a clinic, which its administrators change. */
export const saveSet = mutation('prescriptionSets.save', {
  input: SavePrescriptionSet,
  allow: somewhere([...prescribeAt, ...administerClinic]),
  async run(ctx, { problem, items, ...set }) {
    const { db, actor } = ctx
    const existing = await changeable(ctx, set.id)
    if (!existing && set.last_modified) throw notFound('prescriptionSets.notFound')
    // a repeated request
    if (existing && !set.last_modified && existing.name === set.name)
      return { id: existing.id, last_modified: existing.last_modified }
    if (set.clinic_id) {
      await requireClinic(db, set.clinic_id, 'clinic_id', { open: true })
      if (!permitsIn(administerClinic, actor, set.clinic_id)) throw forbidden()
    }
    const drugs = await loadSetDrugs(db, items)
    const wrong = items.flatMap(({ drug_id }, at) => {
      const drug = drugs.get(drug_id)
      return drug && (!drug.isInactive || existing)
        ? []
        : [[`items.${at}.drug_id`, { key: 'prescriptions.drugNotFound' as const }] as const]
    })
    if (wrong.length > 0) throw invalid(Object.fromEntries(wrong))
    return saveRecord(ctx, 'prescription_sets', {
      ...set,
      // a set of a clinic that becomes one's own is the actor's, also when another user had created it
      ...((!existing || (existing.clinic_id !== null && set.clinic_id === null)) && {
        user_id: actor.userId,
      }),
      problem_code_system: problem?.system ?? null,
      problem_code: problem?.code ?? null,
      problem_label: problem?.label ?? null,
      items: JSON.stringify(items),
    })
  },
})

/** Moves a set to the trash; prescriptions that were written with it stay. */
export const deleteSet = mutation('prescriptionSets.delete', {
  input: RecordId,
  allow: somewhere([...prescribeAt, ...administerClinic]),
  async run(ctx, { id }) {
    const existing = await changeable(ctx, id)
    if (!existing) throw notFound('prescriptionSets.notFound')
    return deleteRecord(ctx, 'prescription_sets', id, existing.name)
  },
})

/** The stored set, to users who may change it. Throws `forbidden` for one that the user only uses. */
async function changeable({ db, actor }: Context, id: string) {
  const existing = await sets(db, actor).where('s.id', '=', id).executeTakeFirst()
  if (existing && !mayChange(actor, existing)) throw forbidden()
  return existing
}

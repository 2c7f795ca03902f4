import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { newId } from '~/shared/id'
import { defaultPermissions, PERMISSIONS } from '~/shared/permissions'
import { toChangeSource } from '~/sync/push/change-source.server'
import type { RefusalReason } from '~/sync/push/incoming'
import { push } from '~/sync/push/push.server'
import type { Wire } from '~/sync/schema/kinds'
import { type PushedName, pushedTables } from '~/sync/schema/tables'
import en from '../../../../messages/en.json'
import type { makeFactories } from '../../../../test/factories'
import { test as base } from '../../../../test/harness'
import { applyRefused, getRefused, rejectRefused } from './quarantine.server'

const common = {
  metadata: '{}',
  is_deleted: false,
  deleted_at: null,
  created_at: 1,
  updated_at: 1,
  _status: 'created',
  _changed: '',
}

type Given = {
  db: Kysely<DB>
  make: ReturnType<typeof makeFactories>
  asUser: (
    user: { id: string; name: string; role: string; clinic_id: string | null },
    grants?: Actor['grants'],
  ) => Context
}

/** A provider with a phone, an administrator, and what rows can name. */
async function sceneOf({ db, make, asUser }: Given) {
  const clinic = await make.clinic()
  const user = await make.user({ role: 'provider' })
  await make.permission(user, clinic.id, PERMISSIONS)
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  return {
    db,
    make,
    clinic,
    patient,
    visit,
    phone: asUser(user, { [clinic.id]: PERMISSIONS }),
    reader: asUser(user, { [clinic.id]: defaultPermissions('registrar') }),
    admin: asUser(await make.user({ role: 'super_admin' })),
  }
}
type Scene = Awaited<ReturnType<typeof sceneOf>>

const test = base.extend('scene', ({ db, make, asUser }): Promise<Scene> =>
  sceneOf({ db, make, asUser: asUser as Given['asUser'] }),
)

type Refused = {
  table: PushedName
  row: unknown
  /** By whose phone, if it is not the one that may do everything. */
  by?: Context
  /** What the administrator corrects in the row. */
  values?: Record<string, Wire>
  /** What the administrator corrects elsewhere. */
  before?: () => Promise<unknown>
  /** What came is no row: it can be opened and dismissed. */
  isDismissed?: true
}

const vitalOf = ({ patient }: Scene, more: object = {}) => ({
  ...common,
  id: newId(),
  patient_id: patient.id,
  visit_id: null,
  timestamp: 1,
  heart_rate: 70,
  ...more,
})
const visitIn = ({ patient, clinic }: Scene, more: object = {}) => ({
  ...common,
  id: newId(),
  patient_id: patient.id,
  clinic_id: clinic.id,
  provider_id: '',
  provider_name: 'Sent',
  check_in_timestamp: 1,
  ...more,
})
const eventOf = ({ patient, visit, phone }: Scene, more: object = {}) => ({
  ...common,
  id: newId(),
  patient_id: patient.id,
  visit_id: visit.id,
  form_id: '',
  event_type: 'Intake',
  form_data: '[]',
  recorded_by_user_id: phone.actor.userId,
  ...more,
})

async function deleted(scene: Scene, table: 'patients' | 'visits' | 'prescriptions', id: string) {
  await sql`select soft_delete(${table}, ${id}::uuid, 'x', null)`.execute(scene.db)
  return id
}

/** One row for each reason. */
const refusals: Record<RefusalReason, (scene: Scene) => Promise<Refused>> = {
  'sync.reason_noRow': async () => ({ table: 'visits', row: [1, 'x'], isDismissed: true }),
  'sync.reason_noId': async (scene) => ({
    table: 'patient_vitals',
    row: vitalOf(scene, { id: 'none' }),
  }),
  'sync.reason_wrongType': async (scene) => ({
    table: 'patient_vitals',
    row: vitalOf(scene, { heart_rate: 'fast' }),
    values: { heart_rate: 90 },
  }),
  'sync.reason_characters': async (scene) => ({
    table: 'visits',
    row: visitIn(scene, { provider_name: 'A\0B' }),
    values: { provider_name: 'AB' },
  }),
  'sync.reason_notJson': async (scene) => ({
    table: 'events',
    row: eventOf(scene, { form_data: '[{' }),
    values: { form_data: '[]' },
  }),
  'sync.reason_tooDeep': async (scene) => ({
    table: 'events',
    row: eventOf(scene, { form_data: '['.repeat(600) + ']'.repeat(600) }),
    values: { form_data: '[]' },
  }),
  'sync.reason_unknownTooLong': async (scene) => ({
    table: 'visits',
    row: visitIn(scene, { drawing: 'x'.repeat(70_000) }),
    values: { unknown_columns: '{"drawing":"x"}' },
  }),
  'sync.reason_notPermitted': async (scene) => ({
    table: 'visits',
    row: visitIn(scene),
    by: scene.reader,
  }),
  'sync.reason_unknownPatient': async (scene) => ({
    table: 'patient_vitals',
    row: vitalOf(scene, { patient_id: newId() }),
    values: { patient_id: scene.patient.id },
  }),
  'sync.reason_deletedPatient': async (scene) => {
    const other = await scene.make.patient({ primary_clinic_id: scene.clinic.id })
    return {
      table: 'patient_vitals',
      row: vitalOf(scene, { patient_id: await deleted(scene, 'patients', other.id) }),
      values: { patient_id: scene.patient.id },
    }
  },
  'sync.reason_unknownVisit': async (scene) => ({
    table: 'patient_vitals',
    row: vitalOf(scene, { visit_id: newId() }),
    values: { visit_id: scene.visit.id },
  }),
  'sync.reason_deletedVisit': async (scene) => {
    const { patient, clinic } = scene
    const other = await scene.make.visit({ patient_id: patient.id, clinic_id: clinic.id })
    return {
      table: 'patient_vitals',
      row: vitalOf(scene, { visit_id: await deleted(scene, 'visits', other.id) }),
      values: { visit_id: '' },
    }
  },
  'sync.reason_deletedPrescription': async (scene) => {
    const { patient, clinic, make } = scene
    const values = { patient_id: patient.id, pickup_clinic_id: clinic.id }
    const [one, other] = [await make.prescription(values), await make.prescription(values)]
    return {
      table: 'prescription_items',
      row: itemOf(scene, (await make.drug()).id, await deleted(scene, 'prescriptions', one.id)),
      values: { prescription_id: other.id },
    }
  },
  'sync.reason_unknownReference': async (scene) => {
    const { patient, clinic, make } = scene
    const prescription = await make.prescription({
      patient_id: patient.id,
      pickup_clinic_id: clinic.id,
    })
    return {
      table: 'prescription_items',
      row: itemOf(scene, newId(), prescription.id),
      values: { drug_id: (await make.drug()).id },
    }
  },
  'sync.reason_formClosed': async (scene) => {
    const form = await scene.make.eventForm({ is_editable: false })
    const row = eventOf(scene, { form_id: form.id })
    await push(scene.phone, 0, changesOf('events', row))
    const answers = [
      { fieldId: 'a', name: 'a', fieldType: 'free-text', inputType: 'text', value: 1 },
    ]
    return {
      table: 'events',
      row: {
        ...row,
        form_data: JSON.stringify(answers),
        _status: 'updated',
        _changed: 'form_data',
      },
      // no one changes answers of such a form before its administrator allows it
      before: () =>
        scene.db
          .updateTable('event_forms')
          .set({ is_editable: true })
          .where('id', '=', form.id)
          .execute(),
    }
  },
  'sync.reason_archived': async (scene) => {
    const closed = await scene.make.clinic()
    await scene.make.permission(
      { id: scene.phone.actor.userId, role: scene.phone.actor.role },
      closed.id,
      PERMISSIONS,
    )
    await scene.db
      .updateTable('clinics')
      .set({ is_archived: true })
      .where('id', '=', closed.id)
      .execute()
    const grants = { ...scene.phone.actor.grants, [closed.id]: PERMISSIONS }
    return {
      table: 'visits',
      row: visitIn(scene, { clinic_id: closed.id }),
      by: { ...scene.phone, actor: { ...scene.phone.actor, grants } },
      values: { clinic_id: scene.clinic.id },
    }
  },
  'sync.reason_rule': async (scene) => ({
    table: 'patient_problems',
    row: {
      ...common,
      id: newId(),
      patient_id: scene.patient.id,
      visit_id: null,
      problem_code_system: 'unheard-of',
      problem_code: 'BA00',
      problem_label: 'Hypertension',
      clinical_status: 'active',
      verification_status: 'confirmed',
    },
    values: { problem_code_system: 'icd11' },
  }),
  'sync.reason_authorElsewhere': async (scene) => {
    const stranger = await scene.make.user({ role: 'provider' })
    return {
      table: 'patient_vitals',
      row: vitalOf(scene, { recorded_by_user_id: stranger.id }),
      values: { recorded_by_user_id: scene.phone.actor.userId },
    }
  },
}

const itemOf = ({ patient, clinic }: Scene, drug_id: string, prescription_id: string) => ({
  ...common,
  id: newId(),
  prescription_id,
  patient_id: patient.id,
  drug_id,
  clinic_id: clinic.id,
  dosage_instructions: '1 × 3',
  quantity_prescribed: 30,
  quantity_dispensed: 0,
  refills_authorized: 0,
  refills_used: 0,
  item_status: 'active',
  notes: null,
})

const changesOf = (table: PushedName, row: unknown) =>
  toChangeSource({ [table]: { created: [row], updated: [], deleted: [] } })

test('each reason for which a row of a phone is refused has its row here', () => {
  const reasons = Object.keys(en.sync).filter((key) => key.startsWith('reason_'))
  expect(Object.keys(refusals).toSorted()).toEqual(reasons.map((key) => `sync.${key}`).toSorted())
})

test.for(Object.keys(refusals) as RefusalReason[])(
  'what is refused (%s) can be opened, corrected and applied',
  async (reason, { scene, db }) => {
    const {
      table,
      row,
      by = scene.phone,
      values,
      before,
      isDismissed,
    } = await refusals[reason](scene)
    expect(await push(by, 0, changesOf(table, row))).toMatchObject({ refused: 1 })
    const waiting = await db
      .selectFrom('sync_quarantine')
      .select(['id', 'reason', 'row_id'])
      .where('settled_at', 'is', null)
      .where('user_id', '=', by.actor.userId)
      .executeTakeFirstOrThrow()
    expect(waiting.reason).toBe(reason)
    const opened = await getRefused(scene.admin, { id: waiting.id })
    if (isDismissed) {
      expect(opened.text).toBe(JSON.stringify(row))
      await rejectRefused(scene.admin, { id: waiting.id })
      return
    }
    // each column that is corrected is shown
    const shown = opened.values.map(({ column }) => column)
    expect(shown).toEqual(expect.arrayContaining(Object.keys(values ?? {})))
    await before?.()
    await applyRefused(scene.admin, { id: waiting.id, values })
    const { rows } = await sql<{ row: object }>`
      select to_jsonb(t) as row from ${sql.table(table)} t
      where ${waiting.row_id ? sql`id = ${waiting.row_id}` : sql`patient_id = ${scene.patient.id}`}`.execute(
      db,
    )
    expect(rows).toHaveLength(1)
    const { form_data, unknown_columns, visit_id, ...plain } = values ?? {}
    expect(rows[0]!.row).toMatchObject({
      ...plain,
      ...(visit_id !== undefined && { visit_id: visit_id || null }),
      ...(unknown_columns !== undefined && { unknown_columns: { drawing: 'x' } }),
    })
    if (reason === 'sync.reason_formClosed')
      expect(rows[0]!.row).toMatchObject({ form_data: [{ value: 1 }] })
    expect(form_data ?? '[]').toBe('[]')
  },
)

const ITEMS: readonly unknown[] = [
  null,
  true,
  7,
  'text',
  [],
  [1, { id: 'x' }],
  {},
  { id: null },
  { id: 7 },
  { id: { deep: [] } },
]

test('items of each JSON type, as a row and as a deletion, of each table, can be opened and rejected', async ({
  scene,
  db,
}) => {
  for (const [table] of pushedTables) {
    const changes = { [table]: { created: ITEMS, updated: ITEMS, deleted: ITEMS } }
    await push(scene.phone, 0, toChangeSource(changes))
    const waiting = await db
      .selectFrom('sync_quarantine')
      .select('id')
      .where('table_name', '=', table)
      .where('settled_at', 'is', null)
      .execute()
    expect([table, waiting.length > 0]).toEqual([table, true])
    for (const { id } of waiting) {
      expect(await getRefused(scene.admin, { id })).toMatchObject({ table_name: table })
      await expect(applyRefused(scene.admin, { id, values: {} })).rejects.toMatchObject({
        code: expect.stringMatching(/^(conflict|invalid)$/) as string,
      })
      await rejectRefused(scene.admin, { id })
    }
  }
})

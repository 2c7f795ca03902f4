import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { installStarter } from '~/features/forms/event-forms/starters.server'
import { STARTERS } from '~/forms/starters'
import { test } from '../../../../test/harness'
import { checkDefinition, type ReportDefinition } from '../cells/definition'
import { bindForm, bindInstalledForms } from '~/features/forms/event-forms/starter-bindings.server'
import { installStarterReports, startReports } from './install.server'
import { STARTER_REPORTS, type StarterReport } from './starter-reports'

const rowOf = (db: Kysely<DB>, code: string) =>
  db.selectFrom('report_definitions').selectAll().where('code', '=', code).executeTakeFirst()
const newer = (report: StarterReport, page: string): StarterReport => ({
  ...report,
  version: report.version + 1,
  definition: { ...report.definition, page },
})

test.for(STARTER_REPORTS.map(({ definition }) => [definition.code, definition] as const))(
  'the definition %s can be run, and is named in three languages',
  ([, definition]) => {
    expect(checkDefinition(definition)).toEqual([])
    const named: { names?: ReportDefinition['names'] | undefined }[] = [
      definition,
      ...definition.sections.flatMap((section) => [section, ...section.rows]),
      ...Object.values(definition.axes ?? {}).flatMap((axis) =>
        axis.flatMap((band) => (typeof band === 'string' ? [] : [band])),
      ),
    ]
    expect(named.filter(({ names }) => !names?.ar || !names.es)).toEqual([])
  },
)

test('the outpatient form is at most 150 lines of data', () => {
  const lines = readFileSync('src/features/reports/starter/opd-morbidity.json', 'utf8').trimEnd()
  expect(lines.split('\n').length).toBeLessThanOrEqual(150)
})

test('the first start makes the definitions rows, and the next one writes nothing', async ({
  db,
}) => {
  const codes = STARTER_REPORTS.map(({ definition }) => definition.code)
  expect(await installStarterReports(db)).toEqual(
    codes.map((code) => ({ code, state: 'installed' })),
  )
  const row = await rowOf(db, 'opd-morbidity')
  expect(row).toMatchObject({ version: 1, starter_version: 2, is_deleted: false })
  expect(await installStarterReports(db)).toEqual([])
  expect(await rowOf(db, 'opd-morbidity')).toEqual(row)
})

test('an update of Sanad updates a definition that no user changed, and a changed one stays', async ({
  db,
  as,
}) => {
  await installStarterReports(db)
  const [opd, hypertension] = STARTER_REPORTS as [StarterReport, StarterReport]
  const { userId } = as('admin').actor
  await db
    .insertInto('users')
    .values({ id: userId, name: 'A', email: 'a@b.example', role: 'admin' })
    .execute()
  await asActor(db, userId, () =>
    db
      .updateTable('report_definitions')
      .set({ body: JSON.stringify({ ...hypertension.definition, page: 'A5' }) })
      .where('code', '=', hypertension.definition.code)
      .execute(),
  )
  expect(await installStarterReports(db, [newer(opd, 'A3'), newer(hypertension, 'A3')])).toEqual([
    { code: opd.definition.code, state: 'updated' },
    { code: hypertension.definition.code, state: 'kept' },
  ])
  expect(await rowOf(db, opd.definition.code)).toMatchObject({
    version: 2,
    starter_version: 3,
    body: { page: 'A3' },
  })
  expect(await rowOf(db, hypertension.definition.code)).toMatchObject({
    version: 2,
    starter_version: 2,
    body: { page: 'A5' },
  })
})

test('a deleted definition is not installed again', async ({ db }) => {
  await installStarterReports(db)
  await db
    .updateTable('report_definitions')
    .set({ is_deleted: true })
    .where('code', '=', 'facility-activity')
    .execute()
  expect(await startReports(db)).toEqual([])
})

const bindingsOf = (db: Kysely<DB>, formId: string) =>
  db
    .selectFrom('report_bindings')
    .select(['concept', 'field_id', 'option', 'when_field_id', 'when_option', 'is_deleted'])
    .where('form_id', '=', formId)
    .orderBy('concept')
    .execute()

test('installing a starter form says which of its answers hold concepts of reports', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = as('super_admin')
  const id = crypto.randomUUID()
  const request = { key: 'antenatal-visit', id, clinic_ids: [clinic.id] }
  await installStarter(ctx, request)
  const form = await db
    .selectFrom('event_forms')
    .select('form_fields')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const fields = form.form_fields as { id: string; name?: string }[]
  const named = (await bindingsOf(db, id)).map(({ concept, field_id, option }) => [
    concept,
    fields.find((field) => field.id === field_id)?.name ?? null,
    option,
  ])
  expect(named).toEqual([
    ['anc.calcium', 'Given today', 'calcium'],
    ['anc.contact', null, null],
    ['anc.danger', 'Danger signs', null],
    ['anc.deworming', 'Given today', 'deworming'],
    ['anc.hb', 'Haemoglobin (g/dL)', null],
    ['anc.hepb', 'Hepatitis B test', null],
    ['anc.hiv', 'HIV test', null],
    ['anc.iron', 'Given today', 'iron'],
    ['anc.syphilis', 'Syphilis test', null],
    ['bp.diastolic', 'Diastolic blood pressure', null],
    ['bp.systolic', 'Systolic blood pressure', null],
    ['pregnancy.due', 'Estimated due date', null],
    ['pregnancy.last_period', 'First day of last menstrual period', null],
    ['pregnancy.weeks', 'Gestational age (weeks)', null],
  ])
  await installStarter(ctx, request)
  expect(await bindingsOf(db, id)).toHaveLength(named.length)
})

test('a form that was installed before is bound once, and a binding that was deleted stays so', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const id = crypto.randomUUID()
  await installStarter(as('super_admin'), {
    key: 'diabetes-follow-up',
    id,
    clinic_ids: [clinic.id],
  })
  const bound = await bindingsOf(db, id)
  expect(bound.filter(({ when_option }) => when_option === 'fasting')).toHaveLength(2)
  await db.deleteFrom('report_bindings').where('form_id', '=', id).execute()
  const own = await make.eventForm()
  expect(await bindInstalledForms(db)).toBe(bound.length)
  expect(await bindForm(db, own.id)).toBe(0)
  await db
    .updateTable('report_bindings')
    .set({ is_deleted: true })
    .where('form_id', '=', id)
    .where('concept', '=', 'hba1c')
    .execute()
  expect(await bindInstalledForms(db)).toBe(0)
})

test('each concept that a definition tests is held by a form of the library', () => {
  const held = new Set(STARTERS.flatMap(({ concepts }) => concepts.map(({ concept }) => concept)))
  const text = JSON.stringify(STARTER_REPORTS.map(({ definition }) => definition))
  const tested = [...text.matchAll(/\["event\.concept","is","([^"]+)"\]/g)].map(([, name]) => name!)
  expect([...new Set(tested)].filter((name) => !held.has(name))).toEqual([])
})

test('the page on reports shows a definition that can be run, and names each concept', () => {
  const page = readFileSync('docs/reports.md', 'utf8')
  const [, example = ''] = /```json\n([\s\S]+?)```/.exec(page) ?? []
  expect(checkDefinition(JSON.parse(example))).toEqual([])
  const held = STARTERS.flatMap(({ concepts }) => concepts.map(({ concept }) => concept))
  expect(held.filter((concept) => !page.includes(`\`${concept}\``))).toEqual([])
})

async function asActor(db: Kysely<DB>, userId: string, work: () => Promise<unknown>) {
  await sql`select set_config('sanad.user_id', ${userId}, true)`.execute(db)
  await work()
  await sql`select set_config('sanad.user_id', '', true)`.execute(db)
}

/** Of each shipped version, the first characters of the SHA-256 of its definition. Several went out as version 1. */
const SHIPPED: Record<string, readonly string[]> = {
  'opd-morbidity': ['several', 'f23cc0882e5f'],
  'hypertension-diabetes': ['several', 'f9c824183662'],
  'hypertension-diabetes-further': ['several', '23b7aab5b449'],
  'hypertension-diabetes-clinics': ['faf2915ab90f'],
  'antenatal-immunisation': ['several', '7f25682df7a1', 'eb199791e660'],
  medicines: ['several', '792b94d629a4', '29da55f3f5f6'],
  'facility-activity': ['several', '54d140493f2c', 'c73afcd805b7', '681e1560c142'],
  'program-outcomes': ['dfdf59214c78'],
}

test('a shipped report that changes has a new version, so that clinics receive it', () => {
  const now = STARTER_REPORTS.map(({ version, definition }) => {
    const hash = createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 12)
    return [definition.code, version, hash]
  })
  expect(now).toEqual(
    Object.entries(SHIPPED).map(([code, hashes]) => [code, hashes.length, hashes.at(-1)]),
  )
})

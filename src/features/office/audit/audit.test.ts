import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type * as z from 'zod'
import { newId } from '~/shared/id'
import { LANGUAGES } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, momentAt } from '~/shared/zone'
import { pushed } from '~/sync/schema/tables'
import { fhirOperations } from '../../../../test/fhir-operations'
import { brokenRule, test } from '../../../../test/harness'
import { archiveClinic, saveClinic } from '~/features/office/clinics/clinics.server'
import { deleteUser } from '~/features/office/users/users.server'
import { operations } from '~/rpc/operations'
import type { ListAudit } from './audit'
import { auditSheet, exportAudit, listAudit, listAuditUsers } from './audit.server'
import {
  ACTIONS,
  actionWords,
  columnWords,
  plainValue,
  shownChanges,
  AUDITED_TABLES,
  valueWords,
} from './audit-words'

test('the trail of a clinic tells who changed what, newest first', async ({ asUser, make }) => {
  const amal = asUser(await make.user({ role: 'admin', name: 'Amal' }))
  const id = '01890000-0000-7000-8000-000000000001'
  await saveClinic(amal, { id, name: 'Hillside' })
  await archiveClinic(amal, { id })

  expect(await listAudit(amal, { clinicId: id })).toMatchObject({
    rows: [
      {
        action: 'clinics.archive',
        user: 'Amal',
        clinic: 'Hillside',
        via: 'web',
        changes: { is_archived: [false, true] },
      },
      { action: 'clinics.save', changes: { name: [null, 'Hillside'] } },
    ],
    pagination: { total: 2 },
  })
})

test('the trail names the people and clinics that a change refers to', async ({
  asUser,
  as,
  make,
}) => {
  const clinic = await make.clinic({ name: 'Hillside' })
  const user = await make.user({ clinic_id: clinic.id })

  const trail = await listAudit(as('admin'), { recordId: user.id })
  expect(trail.rows[0]?.changes['clinic_id']).toEqual([null, clinic.id])
  expect(trail.names).toEqual({ [clinic.id]: 'Hillside' })
  await expect(listAudit(asUser(user), {})).rejects.toMatchObject({ code: 'forbidden' })
})

test('each filter narrows the trail, and several together', async ({ asUser, as, make, db }) => {
  const [amal, omar] = [
    await make.user({ role: 'admin', name: 'Amal' }),
    await make.user({ role: 'admin', name: 'Omar' }),
  ]
  const clinic = await make.clinic()
  const patient = await make.patient({ given_name: 'Layla', surname: 'Mansour' })
  await archiveClinic(asUser(amal), { id: clinic.id })
  const written = {
    via: 'web',
    request_id: '',
    changes: '{}',
    table_name: 'patients',
    record_id: patient.id,
  }
  // both sides of midnight in the clinic's time zone
  const [before, after] = ['2020-03-01T23:59', '2020-03-02T00:00'].map((wall) =>
    momentAt(wall, clinicTimeZone())!,
  )
  await db
    .insertInto('audit_log')
    .values([
      {
        ...written,
        at: before!,
        user_id: amal.id,
        action: 'patients.save',
        patient_id: patient.id,
      },
      { ...written, at: after!, user_id: omar.id, action: 'patients.link', patient_id: patient.id },
    ])
    .execute()
  const found = async (filter: z.input<typeof ListAudit>) =>
    (await listAudit(as('admin'), filter)).rows.map(({ action }) => action)

  expect(await found({ userId: amal.id })).toEqual(['patients.save', 'clinics.archive'])
  expect(await found({ userId: amal.id, action: 'patients.save' })).toEqual(['patients.save'])
  expect(await found({ action: 'clinics.archive', clinicId: clinic.id })).toEqual([
    'clinics.archive',
  ])
  expect(await found({ userId: amal.id, table: 'clinics' })).toEqual(['clinics.archive'])
  const ofLayla = { patientId: patient.id, to: '2020-03-02' }
  expect(await found(ofLayla)).toEqual(['patients.link', 'patients.save'])
  expect(await found({ ...ofLayla, from: '2020-03-02' })).toEqual(['patients.link'])
  expect(await found({ ...ofLayla, to: '2020-03-01' })).toEqual(['patients.save'])
  expect((await listAudit(as('admin'), { patientId: patient.id })).names[patient.id]).toBe(
    'Layla Mansour',
  )
  await expect(found({ from: 'yesterday' })).rejects.toMatchObject({
    code: 'invalid',
    fields: { from: {} },
  })

  // a filter offers deleted users, too
  await deleteUser(as('super_admin'), { id: omar.id })
  expect(await listAuditUsers(as('admin'), {})).toContainEqual({ id: omar.id, name: 'Omar' })
  await expect(listAuditUsers(as('provider'), {})).rejects.toMatchObject({ code: 'forbidden' })
})

test('an export of the trail has the same changes as the list, and is recorded in the trail', async ({
  asUser,
  as,
  make,
}) => {
  const amal = await make.user({ role: 'admin', name: 'Amal' })
  const id = newId()
  await saveClinic(asUser(amal), { id, name: 'Hillside' })
  const asked = { format: 'csv', language: 'en', clinicId: id, userId: amal.id } as const
  expect(await exportAudit(as('admin'), asked)).toEqual({ total: 1 })
  const lines = []
  for await (const line of auditSheet(as('admin'), asked).rows) lines.push(line)
  expect(lines.map((line) => line.slice(2, 8))).toEqual([
    ['Amal', 'Saved a clinic', 'Clinic', id, 'Hillside', 'Web'],
  ])
  expect((await listAudit(as('admin'), { action: 'audit.export' })).rows).toHaveLength(1)
  await expect(exportAudit(as('provider'), asked)).rejects.toMatchObject({ code: 'forbidden' })
})

test('every kind of action and record that the screen offers is one that the trail can hold', async ({
  db,
}) => {
  const known = [
    ...operations.keys(),
    ...fhirOperations,
    'sessions.refused',
    'users.setPassword',
    'followups.settle',
    'safety.arrived',
    'imports.patients',
    'imports.medicines',
    'imports.stock',
    'imports.clinics',
    'imports.departments',
    'imports.users',
    'imports.appointments',
    'imports.visits',
    'imports.vitals',
    'audit.removeExpired',
  ]
  const databaseActions = ['database.insert', 'database.update', 'database.delete']
  expect(ACTIONS.filter((name) => ![...known, ...databaseActions].includes(name))).toEqual([])
  const { rows } = await sql<{ name: string }>`
    select tgrelid::regclass::text as name from pg_trigger where tgname = 'audit_insert'`.execute(
    db,
  )
  expect(new Set(AUDITED_TABLES).size).toBe(AUDITED_TABLES.length)
  expect(AUDITED_TABLES.filter((table) => !rows.some(({ name }) => name === table))).toEqual([])
})

test('every operation that writes, and every column that is audited, has words for people', async ({
  db,
}) => {
  const writes = [...operations.values()]
    .filter(({ facts }) => facts.kind === 'mutation')
    .map(({ facts }) => facts.name)
  expect(writes.filter((name) => !actionWords(name))).toEqual([])
  for (const name of [
    'fhir.export',
    'fhir.exportDelete',
    'sessions.refused',
    'users.setPassword',
    'database.update',
  ])
    expect(actionWords(name)).toBeTruthy()

  const { rows } = await sql<{ table: string; name: string }>`
    select a.attrelid::regclass::text as table, attname as name from pg_attribute a
      join pg_trigger t on t.tgrelid = a.attrelid and t.tgname = 'audit_insert'
    where attnum > 0 and not attisdropped and not starts_with(a.attrelid::regclass::text, 'sync_')
      and attname not in
        ('id', 'created_at', 'updated_at', 'last_modified', 'server_created_at', 'deleted_at',
          'recorded_clinic_id')`.execute(db)
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter(({ table, name }) => !columnWords(table, name))).toEqual([])

  // what operations write themselves
  const written = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(join('src', file), 'utf8').matchAll(
        /table: '(\w+)'[^;]*?changes: \{\s*(\w+): \[/g,
      ),
    ])
  expect(written.length).toBeGreaterThan(10)
  expect(
    written.filter(([, table, name]) => !columnWords(table!, name!)).map(([all]) => all),
  ).toEqual([])
})

test('columns and values of the trail are said as the screens say them', () => {
  expect(columnWords('patient_medicines', 'until')).toBe('medicines.until')
  expect(valueWords('patient_medicines', 'source', 'pharmacy', 'en')).toBe(
    'medicines.source_pharmacy',
  )
  expect(valueWords('clinics', 'is_archived', true, 'en')).toBe('common.yes')
  expect(valueWords('prescriptions', 'status', 'pending', 'en')).toBe(
    'prescriptions.statuses.pending',
  )
  expect(valueWords('appointments', 'status', 'pending', 'en')).toBe('dashboard.status_pending')
  expect(valueWords('users', 'role', 'super_admin', 'en')).toBe('roles.super_admin')
  expect(valueWords('users', 'language', 'ar', 'en')).toEqual({ text: 'العربية' })
  expect(valueWords('patients', 'given_name', 'male', 'en')).toBeUndefined()
  expect(valueWords('patient_allergies', 'substance_code', 'nsaids', 'en')).toBe(
    'safety.classes.nsaids',
  )
  expect(valueWords('program_enrollments', 'program', 'pregnancy', 'es')).toEqual({
    text: 'Control prenatal',
  })
})

test('each value that the database allows in an audited column of codes has words in every language', async ({
  db,
}) => {
  const { rows } = await sql<{ table: string; column: string; value: string }>`
    select c.conrelid::regclass::text as table, a.attname as column, value[1] as value
    from pg_constraint c
      join pg_trigger t on t.tgrelid = c.conrelid and t.tgname = 'audit_insert'
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1],
      regexp_matches(pg_get_constraintdef(c.oid), '''([^'']*)''::text', 'g') value
    where c.contype = 'c' and not starts_with(c.conrelid::regclass::text, 'sync_')
      and cardinality(c.conkey) = 1 and a.atttypid = 'text'::regtype
      and pg_get_constraintdef(c.oid) like '%= ANY (ARRAY[%'`.execute(db)
  expect(rows.length).toBeGreaterThan(60)
  const raw = rows.filter(({ table, column, value }) =>
    LANGUAGES.some((language) => {
      const words = valueWords(table, column, value, language)
      if (!words) return true
      if (typeof words !== 'string') return 'key' in words
      return sentence(language, { key: words }) === words
    }),
  )
  expect(raw).toEqual([])
})

test('no changed value is shown as an id: each record has its name, in the list and in the file', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  const prescription = await make.prescription({
    patient_id: patient.id,
    pickup_clinic_id: clinic.id,
  })
  const user = await make.user()
  const item = await make.prescriptionItem(prescription)
  const batch = await make.batch({ drug_id: item.drug_id })
  const event = await make.event({ patient_id: patient.id })
  const [chain, record] = [newId(), newId()]
  await sql`insert into sync_chains (id, user_id) values (${chain}, ${user.id})`.execute(db)
  await sql`insert into dispensing_records (id, clinic_id, drug_id, patient_id, prescription_item_id,
    quantity_dispensed, dispensed_by) values (${record}, ${clinic.id}, ${item.drug_id}, ${patient.id}, ${item.id},
    1, ${user.id})`.execute(db)
  const report = newId()
  await sql`insert into report_definitions (id, code, body) values (${report}, 'monthly', '{}')`.execute(
    db,
  )
  const madeOf: Record<string, string> = {
    clinics: clinic.id,
    dispensing_records: record,
    drug_batches: batch.id,
    drug_catalogue: item.drug_id,
    event_forms: String(event.form_id),
    events: event.id,
    patient_medicines: (await make.medicine({ patient_id: patient.id })).id,
    patient_problems: (await make.problem({ patient_id: patient.id })).id,
    patients: patient.id,
    prescription_items: item.id,
    prescriptions: prescription.id,
    report_definitions: report,
    sync_chains: chain,
    users: user.id,
    visits: visit.id,
  }
  const { rows: columns } = await sql<{ table: string; column: string; to: string | null }>`
    select a.attrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as to
    from pg_attribute a join pg_trigger t on t.tgrelid = a.attrelid and t.tgname = 'audit_insert'
      left join pg_constraint c
        on c.contype = 'f' and c.conrelid = a.attrelid and c.conkey = array[a.attnum]
    where a.attnum > 0 and not a.attisdropped and a.attname <> 'id'
      and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype, 'jsonb'::regtype)`.execute(db)
  expect(columns.filter(({ to }) => to && !madeOf[to])).toEqual([])
  const requestId = newId()
  const tables = [...new Set(columns.map(({ table }) => table))]
  const unknown = newId()
  await db
    .insertInto('audit_log')
    .values(
      tables.map((table) => ({
        via: 'web',
        request_id: requestId,
        action: 'patients.save',
        table_name: table,
        record_id: newId(),
        patient_id: patient.id,
        changes: JSON.stringify(
          Object.fromEntries(
            columns
              .filter((one) => one.table === table)
              .map(({ column, to }) => [
                column,
                // a reference, or a value of any shape with one, or the id of a deleted record
                [null, to ? madeOf[to] : { [clinic.id]: [user.id], deleted: unknown }],
              ]),
          ),
        ),
      })),
    )
    .execute()

  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
  const shown: { table: string; column: string; to: string | null; words: string }[] = []
  for (const table of tables) {
    const { rows, names } = await listAudit(as('admin'), { table, patientId: patient.id })
    const entry = rows.find(({ request_id }) => request_id === requestId)!
    for (const one of columns.filter((each) => each.table === table))
      shown.push({
        ...one,
        words: plainValue(entry.changes[one.column]![1], names, table, english),
      })
  }
  expect(shown.length).toBeGreaterThan(150)
  expect(shown.filter(({ words }) => uuid.test(words))).toEqual([])
  expect(shown.filter(({ to, words }) => to && words.includes('…'))).toEqual([])
  expect(
    shown
      .find(({ column }) => column === 'metadata')!
      .words.split('; ')
      .toSorted(),
  ).toEqual([`${clinic.name}: (${user.name})`, `deleted: …${unknown.slice(-4)}`].toSorted())
  // people read no JSON
  expect(shown.filter(({ words }) => /[{}[\]"]/.test(words))).toEqual([])

  const asked = { format: 'csv', language: 'en', patientId: patient.id } as const
  const changed: string[] = []
  for await (const line of auditSheet(as('admin'), asked).rows) changed.push(line.at(-1)!)
  expect(changed.length).toBeGreaterThan(tables.length)
  expect(changed.filter((words) => uuid.test(words))).toEqual([])
  expect(changed.join('\n')).toContain(`Batch: ${batch.batch_number}\n`)
})

test('the audit trail cannot be rewritten, not even with a direct statement', async ({
  make,
  db,
}) => {
  await make.clinic()

  for (const statement of [
    db.updateTable('audit_log').set({ action: 'nothing' }),
    db.deleteFrom('audit_log'),
  ]) {
    await expect(brokenRule(db, statement)).resolves.toBeUndefined()
  }
})

test('nor what was handed out, nor what phones say of themselves', async ({ db }) => {
  for (const statement of [
    db.deleteFrom('dispensing_records'),
    sql`truncate dispensing_records`,
    db.updateTable('event_logs').set({ row: '' }),
    db.deleteFrom('event_logs'),
  ]) {
    await expect(brokenRule(db, { execute: () => statement.execute(db) })).resolves.toBeUndefined()
  }
})

test('a refused write leaves no trace in the trail', async ({ as, make, db }) => {
  await make.clinic({ name: 'Hillside' })
  const before = await db
    .selectFrom('audit_log')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()

  await expect(
    saveClinic(as('admin'), { id: '01890000-0000-7000-8000-000000000001', name: 'Hillside' }),
  ).rejects.toThrow()
  expect(
    await db
      .selectFrom('audit_log')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow(),
  ).toEqual(before)
})

test('the trail of what phones bring names every column that the tables have', async ({ db }) => {
  const { rows } = await sql<{ table: string; source: string; current: string }>`
    select relname as table, prosrc as source, audit_insert_source(c.oid, '{}') as current
    from pg_class c join pg_trigger t on t.tgrelid = c.oid and t.tgname = 'audit_insert' join pg_proc p
      on p.oid = t.tgfoid
    where proname = 'audit_' || relname || '_insert'`.execute(db)

  expect(rows.map(({ table }) => table)).toEqual(expect.arrayContaining(Object.keys(pushed)))
  for (const { table, source, current } of rows) {
    expect(source, `the audit function of ${table} is rebuilt with db/schema`).toBe(current)
  }
})

test('the trail keeps values as they are, whatever their type', async ({ make, db }) => {
  const patient = await make.patient({
    given_name: 'ليلى "L" \\ \u2028',
    date_of_birth: '1899-02-28',
  })
  const id = newId()
  await sql`insert into patient_vitals (id, patient_id, timestamp, weight_kg, height_cm, bmi, pain_level,
    bp_position, metadata)
    values (${id}, ${patient.id}, '0044-03-15 12:00:00.5+00 BC', 'NaN', '-infinity', 36.850,
      1e30, ${"it's"}, '{"a": [null, "\\u2028", {"b": 0.10}]}')`.execute(db)

  for (const table of ['patients', 'patient_vitals']) {
    const recordId = table === 'patients' ? patient.id : id
    const { rows } = await sql<{ trail: object; record: object }>`select a.changes as trail,
        (select jsonb_object_agg(key, jsonb_build_array(null, value)) from jsonb_each(to_jsonb(t))
         where value <> 'null'
           and key not in ('id', 'created_at', 'updated_at', 'last_modified', 'server_created_at')) as record
      from ${sql.table(table)} t join audit_log a on a.record_id = t.id where t.id = ${recordId}`.execute(
      db,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]!.trail).toEqual(rows[0]!.record)
  }

  await sql`update patient_vitals set weight_kg = null, height_cm = 'infinity', bmi = 36.85, pain_level = 0
    where id = ${id}`.execute(db)
  const { rows } = await sql<{
    changes: string
  }>`select changes::text from audit_log where record_id = ${id} order by id desc limit 1`.execute(
    db,
  )
  expect(JSON.parse(rows[0]!.changes)).toEqual({
    weight_kg: ['NaN', null],
    height_cm: ['-Infinity', 'Infinity'],
    pain_level: [1e30, 0],
  })
})

const english = (what: Sayable) =>
  typeof what === 'string'
    ? sentence('en', { key: what })
    : 'text' in what
      ? what.text
      : sentence('en', what)

test('a changed structure is shown in words, with only the parts that differ', () => {
  const before = { date_of_birth_precision: 'year', kept: [1, 2], active: true }
  const after = {
    date_of_birth_precision: 'day',
    kept: [1, 2],
    active: false,
    label: { en: 'Given%20name' },
    list: [{ value: '12' }, null, 'a "b", c'],
  }
  const [[name, [was, is]]] = shownChanges({ metadata: [before, after] }) as [
    ReturnType<typeof shownChanges>[number],
  ]
  expect(name).toBe('metadata')
  const words = (value: typeof was) => plainValue(value, {}, 'patients', english)
  expect(words(was)).toBe('date of birth precision: year; active: Yes')
  expect(words(is)).toBe(
    'date of birth precision: day; active: No; label: (en: Given name); list: ((Value: 12), —, a "b", c)',
  )
})

test('of the fields of a form only those that changed are shown, with what differs in them', () => {
  const field = (name: string, more: Record<string, string | boolean> = {}) => ({
    id: `id-${name}`,
    name,
    required: false,
    ...more,
  })
  const words = (value: Parameters<typeof plainValue>[0]) =>
    plainValue(value, {}, 'event_forms', english)
  const [[, [was, is]]] = shownChanges({
    form_fields: [
      [field('Weight'), field('Plan'), field('Old')],
      [field('Weight'), field('Plan', { required: true }), field('New')],
    ],
  }) as [ReturnType<typeof shownChanges>[number]]
  for (const text of [words(was), words(is)]) {
    expect(text).toContain('Plan')
    expect(text).not.toContain('Weight')
  }
  expect(words(was)).toContain('Old')
  expect(words(is)).toContain('New')

  // another order alone is a change of the whole list
  const two = [field('Weight'), field('Plan')]
  expect(shownChanges({ form_fields: [two, two.toReversed()] })).toEqual([
    ['form_fields', [two, two.toReversed()]],
  ])
})

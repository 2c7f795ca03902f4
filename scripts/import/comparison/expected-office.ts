import {
  Any,
  anything,
  attributeId,
  ExpectedRow,
  isNamed,
  parseSourceList,
  ruleOfList,
  anyOfValues,
  type ComparedRow,
  something,
  type ComparedTable,
  textOrJson,
} from './reader'

const USER_KNOWN = (column: string) => `exists (select from users u where u.id = t.${column})`
const first8 = (row: ComparedRow) => String(row['id']).slice(0, 8)
/** A name that another row has as well, in any case: one of them keeps it. */
const orNumbered = (name: string) =>
  new Any(
    (value) =>
      typeof value === 'string' &&
      (value === name || /^ \(\d+\)$/.test(value.slice(name.length))) &&
      value.startsWith(name),
    `${name} or ${name} (2)`,
  )
const TWIN = (table: string, name: string, also = '') =>
  `exists (select from ${table} o where o.id <> t.id and lower(o.${name}) = lower(t.${name}) ${also}) as has_twin`

const ROLES = new Set(['registrar', 'provider', 'admin', 'super_admin'])
const FLAGS = [
  'can_register_patients',
  'can_view_history',
  'can_edit_records',
  'can_delete_records',
  'is_clinic_admin',
  'can_edit_other_provider_event',
  'can_download_patient_reports',
  'can_prescribe_medications',
  'can_dispense_medications',
  'can_delete_patient_visits',
  'can_delete_patient_records',
] as const

export const clinicsTable: ComparedTable = {
  name: 'clinics',
  source: `select t.id::text, row_to_json(t) as row, ${TWIN('clinics', 'name')},
      (exists (select from visits v where v.clinic_id = t.id and v.patient_id is not null)
        or exists (select from appointments a where a.clinic_id = t.id)) as has_records
    from clinics t order by t.id`,
  expect(row, { has_twin, has_records }) {
    const draft = new ExpectedRow(row, ['name', 'is_archived'])
      .times()
      .defaults({ is_archived: false })
      .allow('address', null)
    draft.cut('name', 200).trimmed('name')
    if (!isNamed(row['name'])) draft.set('name', `Clinic ${first8(row)}`, 'emptyName')
    else if (has_twin) draft.allow('name', orNumbered(textOrJson(row['name']).trim()), 'sameName')
    draft.deletion()
    if (row['is_deleted'] && has_records)
      draft
        .set('is_deleted', false, 'archivedInstead')
        .set('is_archived', true, 'archivedInstead')
        .allow('deleted_at', null, 'archivedInstead')
    else if (row['is_deleted'])
      // patients and permissions of the clinic may count as records
      draft
        .allow('is_deleted', anything, 'archivedInstead')
        .allow('deleted_at', anything, 'archivedInstead')
        .allow('is_archived', anything, 'archivedInstead')
    if (
      row['address'] ||
      parseSourceList(row['attributes']).length > 0 ||
      row['city'] ||
      row['country']
    )
      draft.note('unplacedColumn')
    return draft.end()
  },
}

export const usersTable: ComparedTable = {
  name: 'users',
  source: `select t.id::text, row_to_json(t) as row, ${TWIN('users', 'email')},
      (select c.is_archived or c.is_deleted is true from clinics c where c.id = t.clinic_id) as is_closed
    from users t order by t.id`,
  expect(row, { has_twin, is_closed }) {
    const draft = new ExpectedRow(row, ['name', 'email', 'role', 'clinic_id', 'instance_url'])
      .times()
      .deletion()
    const email = textOrJson(row['email'] ?? '')
      .trim()
      .toLowerCase()
    draft.set('email', email, 'lowerCase')
    if (has_twin || !email) {
      const [local = '', host = ''] = email.split('@')
      draft.allow('email', anyOfValues(email, `${local}+${first8(row)}@${host}`), 'sameEmail')
    }
    if (!row['name']) draft.set('name', something, 'emptyName')
    draft.cut('name', 200)
    if (!ROLES.has(String(row['role'])))
      draft.set('role', 'registrar', row['role'] === null ? 'empty' : 'value')
    if (is_closed) draft.set('clinic_id', null, 'closedClinic')
    if (
      !/^\$2[aby]\$/.test(String(row['hashed_password'])) ||
      String(row['hashed_password']).includes('PPY9X2ZxFG93IU9CK4FUtO')
    )
      draft.note('noPassword')
    return draft.end()
  },
}

export const permissionsTable: ComparedTable = {
  name: 'user_clinic_permissions',
  source: `select t.id::text, row_to_json(t) as row,
      (select c.is_archived or c.is_deleted is true from clinics c where c.id = t.clinic_id) as is_closed,
      (select u.is_deleted is true from users u where u.id = t.user_id) as user_deleted,
      ${USER_KNOWN('created_by')} as creator, ${USER_KNOWN('last_modified_by')} as changer
    from user_clinic_permissions t order by t.id`,
  expect(row, { is_closed, user_deleted, creator, changer }) {
    if (is_closed) return { unplaced: 'rights in a clinic that is archived or deleted' }
    const draft = new ExpectedRow(row, [
      'user_id',
      'clinic_id',
      'created_by',
      'last_modified_by',
      ...FLAGS,
    ]).times()
    for (const flag of FLAGS) if (row[flag] === null) draft.set(flag, false, 'empty')
    if (row['created_by'] && !creator) draft.set('created_by', null, 'unknown')
    if (row['last_modified_by'] && !changer) draft.set('last_modified_by', null, 'unknown')
    return (user_deleted ? draft.set('is_deleted', true, 'deletedAlong') : draft).end()
  },
}

export const departmentsTable: ComparedTable = {
  name: 'clinic_departments',
  source: `select t.id::text, row_to_json(t) as row,
      ${TWIN('clinic_departments', 'name', 'and o.clinic_id = t.clinic_id')},
      (select c.is_deleted is true from clinics c where c.id = t.clinic_id) as clinic_deleted
    from clinic_departments t order by t.id`,
  expect(row, { has_twin, clinic_deleted }) {
    const draft = new ExpectedRow(row, [
      'clinic_id',
      'name',
      'code',
      'description',
      'status',
      'can_dispense_medications',
      'can_perform_labs',
      'can_perform_imaging',
      'additional_capabilities',
    ])
      .times()
      .deletion()
    if (clinic_deleted) draft.allow('is_deleted', anything).allow('deleted_at', anything)
    if (!['active', 'inactive', 'maintenance'].includes(String(row['status'])))
      draft.set('status', 'active', row['status'] === null ? 'empty' : 'value')
    draft.defaults({
      additional_capabilities: [],
      can_dispense_medications: false,
      can_perform_labs: false,
      can_perform_imaging: false,
    })
    draft.cut('name', 200).trimmed('name')
    if (!isNamed(row['name'])) draft.set('name', something, 'emptyName')
    else if (has_twin) draft.allow('name', orNumbered(textOrJson(row['name']).trim()), 'sameName')
    return draft.metadata().end()
  },
}

/** As devices store texts of fields: URI-encoded. */
function encoded(text: unknown) {
  if (typeof text !== 'string') return text
  try {
    // a bundler drops a call whose result is unused
    return decodeURIComponent(text) === '' ? '' : text
  } catch {
    return encodeURIComponent(text)
  }
}
const texts = (value: unknown) =>
  Object.fromEntries(
    Object.entries((value ?? {}) as ComparedRow).map(([language, text]) => [
      language,
      encoded(text),
    ]),
  )

export const registrationFormsTable: ComparedTable = {
  name: 'registration_forms',
  source: `select t.id::text, row_to_json(t) as row,
      t.id = (select id from patient_registration_forms where is_deleted is not true
        order by updated_at desc nulls last, id limit 1) as is_newest
    from patient_registration_forms t order by t.id`,
  expect(row, { is_newest }) {
    const draft = new ExpectedRow(row, ['clinic_id', 'name']).times().deletion()
    if (!row['name']) draft.set('name', something, 'emptyName')
    if (!is_newest && !row['is_deleted'])
      draft.set('is_deleted', true, 'otherForm').allow('deleted_at', something, 'otherForm')
    draft.cut('name', 200)
    const fields = (parseSourceList(row['fields']) as ComparedRow[]).map((field) => ({
      ...field,
      id: attributeId(String(field['id'])),
      label: texts(field['label']),
      options: ((field['options'] ?? []) as unknown[]).map(texts),
    }))
    if (
      fields.some(
        (field, at) => field.id !== (parseSourceList(row['fields'])[at] as ComparedRow)['id'],
      )
    )
      draft.note('stableId')
    return draft.set('fields', fields, 'encoded').metadata().end()
  },
}

const KINDS = new Set([
  'binary',
  'free-text',
  'medicine',
  'diagnosis',
  'date',
  'options',
  'file',
  'text',
  'separator',
])

export const eventFormsTable: ComparedTable = {
  name: 'event_forms',
  source: `select t.id::text, row_to_json(t) as row from event_forms t order by t.id`,
  expect(row) {
    const draft = new ExpectedRow(row, [
      'name',
      'description',
      'language',
      'is_editable',
      'is_snapshot_form',
      'clinic_ids',
      'translations',
    ])
      .times()
      .deletion()
    if (!row['name'])
      draft.set(
        'name',
        anyOfValues(`Form ${String(row['id'])}`, `Form ${first8(row)}`),
        'emptyName',
      )
    if (!['en', 'ar', 'es'].includes(String(row['language'])))
      draft.set('language', 'en', row['language'] === null ? 'empty' : 'value')
    if (row['description'] === null) draft.set('description', '', 'empty')
    draft.defaults({ clinic_ids: [], translations: [], is_editable: true, is_snapshot_form: false })
    for (const list of ['clinic_ids', 'translations'])
      if (!Array.isArray(row[list]))
        draft.set(list, parseSourceList(row[list]), ruleOfList(row[list]))
    draft.cut('name', 200).cut('description', 2000)
    const fields = (parseSourceList(row['form_fields']) as ComparedRow[]).map((field) => {
      const kind = String(field['fieldType'])
      const changed: ComparedRow = { ...field }
      if (!KINDS.has(kind)) {
        draft.original(kind, 'fieldType').note('fieldType', 'form_fields')
        changed['fieldType'] = 'free-text'
      }
      if (kind === 'options' && field['inputType'] === 'checkbox')
        Object.assign(changed, { inputType: 'select', multi: true })
      return changed
    })
    draft.allow(
      'form_fields',
      new Any(
        (value) =>
          fields.every((field, index) => isField(field, (value as ComparedRow[])[index])) &&
          (value as ComparedRow[]).length === fields.length,
        JSON.stringify(fields),
      ),
      Array.isArray(row['form_fields']) ? undefined : ruleOfList(row['form_fields']),
    )
    const all = JSON.stringify(row['form_fields'])
    if (all.includes('"checkbox"')) draft.note('checkbox', 'form_fields')
    if (
      fields.some(
        ({ options }) =>
          Array.isArray(options) && options.some((option: ComparedRow) => !option['id']),
      )
    )
      draft.note('optionId', 'form_fields')
    return draft.metadata().end()
  },
}

/** Every key of the source as it is; an option may have got an id, and Sanad may add what it needs. */
function isField(expected: ComparedRow, actual: ComparedRow | undefined) {
  if (!actual) return false
  return Object.entries(expected).every(([key, value]) => {
    if (key !== 'options' || !Array.isArray(value))
      return JSON.stringify(value) === JSON.stringify(actual[key])
    const options = actual[key] as ComparedRow[] | undefined
    return (
      options?.length === value.length &&
      value.every((option: ComparedRow, index) => {
        const { id, label, value: chosen } = options[index]!
        return (
          Boolean(id) &&
          (!option['id'] || option['id'] === id) &&
          label === option['label'] &&
          chosen === option['value']
        )
      })
    )
  })
}

/** Settings by their key: Sanad has its own ids. */
const TAKEN_SETTINGS = new Set([
  'organization/organization-name',
  'auth/disable-mobile-permissions-checking',
  'system/operation_mode',
])

export const settings: ComparedTable = {
  name: 'app_config',
  source: `select t.namespace || '/' || t.key as id, row_to_json(t) as row
    from app_config t order by (t.namespace || '/' || t.key) collate "C"`,
  target: `select t.namespace || '/' || t.key as id, to_jsonb(t) as row
    from app_config t order by (t.namespace || '/' || t.key) collate "C"`,
  expect(row) {
    if (!TAKEN_SETTINGS.has(`${String(row['namespace'])}/${String(row['key'])}`))
      return { unplaced: 'Sanad has no such setting' }
    return new ExpectedRow(row, ['value', 'data_type']).end()
  },
}

export const eventLogs: ComparedTable = {
  name: 'event_logs',
  source: `select t.id::text, row_to_json(t) as row, (select u.id from users u where u.id::text = t.user_id) as sender
    from event_logs t order by t.id`,
  expect(row, { sender }) {
    const draft = new ExpectedRow(row, [])
    draft.allow(
      'row',
      new Any(
        (value) =>
          typeof value === 'string' &&
          value.includes(String(row['hash'])) &&
          value.includes(String(row['row_id'])),
        'the whole row',
      ),
    )
    if (sender) draft.allow('received_from', sender)
    return draft.end()
  },
}

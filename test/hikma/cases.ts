import type { UnplacedReason, Rule } from '~/features/exchange/imports/former-rules'
/**
 * One awkward case of a source database, made in `rows` rows of `table`: `set` is the SET list of an
 * UPDATE in which `g` is the row's number; `sql` is a statement of its own, with $first and $last.
 */
export type Case = {
  table: string
  name: string
  set?: string
  sql?: string
  rows?: number
  /** What must come of it (docs/exchange.md). */
  becomes: string
  /** The rule that explains it in the comparison, and at least how many rows it explains. */
  rule?: Rule | UnplacedReason
  atLeast?: number
}

/** The password of every user whose hash is bcrypt. */
export const PASSWORD = 'Hikma-river-2024'
const BCRYPT = '$2b$10$abcdefghijklmnopqrstuuLn0NryWK2M5vMgdxwQyzoN/AYNebc6u'
/** Of the account that the first migration of the source gives every installation. */
const FIRST_INSTALLATION = '$2b$14$PPY9X2ZxFG93IU9CK4FUtOJW0d11zjHuODO6oJM5UNn59aXjp5h..'

const times = 'created_at = null, updated_at = null, is_deleted = null'
const deleted = `is_deleted = true, deleted_at = timestamptz '2026-03-01 10:00Z' + g * interval '1 second'`
const another = (table: string) => `patient_id = pg_temp.hid('patients', g + 100),
  ${table === 'appointments' ? 'current_visit_id' : 'visit_id'} = pg_temp.hid('visits', g)`
const extra = (table: string, columns: string, values: string) =>
  `insert into ${table} (${columns}) select ${values} from generate_series($first::bigint, $last::bigint) g`

const clinics: Case[] = [
  {
    table: 'clinics',
    name: 'has no name',
    set: `name = case when g % 2 = 0 then '' end`,
    becomes: '"Clinic <first 8 of id>"',
    rule: 'emptyName',
  },
  {
    table: 'clinics',
    name: 'has a name that is equal but for case',
    rows: 40,
    set: `name = case g % 2 when 0 then 'Harbour ' || g / 2 else 'HARBOUR ' || g / 2 end`,
    becomes: 'one of the two ends in " (2)"',
    rule: 'sameName',
  },
  {
    table: 'clinics',
    name: 'is archived and has visits',
    set: 'is_archived = true',
    becomes: 'archived, with its visits',
  },
  { table: 'clinics', name: 'is deleted and has no records', set: deleted, becomes: 'deleted' },
  {
    table: 'clinics',
    name: 'is deleted and has visits',
    set: deleted,
    becomes: 'archived, not deleted',
    rule: 'archivedInstead',
  },
  {
    table: 'clinics',
    name: 'has attributes and an address',
    set: `attributes = '{wifi,solar}', address = 'Street ' || g`,
    becomes: 'both unplaced',
    rule: 'unplacedColumn',
  },
  { table: 'clinics', name: 'has no times', set: times, becomes: 'the time of the import' },
]

const users: Case[] = [
  {
    table: 'users',
    name: 'has an e-mail in capitals',
    set: `email = upper(email)`,
    becomes: 'lower case',
    rule: 'lowerCase',
  },
  {
    table: 'users',
    name: 'has an e-mail that is equal but for case',
    rows: 40,
    set: `email = case g % 2 when 0 then 'twin' || g / 2 || '@hikma.example'
      else 'TWIN' || g / 2 || '@hikma.example' end`,
    becomes: '<local>+<first 8 of id>@… without a password',
    rule: 'sameEmail',
  },
  {
    table: 'users',
    name: 'has a role of another server',
    set: `role = 'nurse'`,
    becomes: 'registrar',
    rule: 'value',
  },
  {
    table: 'users',
    name: 'works in a closed clinic',
    set: `clinic_id = $archived`,
    becomes: 'no clinic',
    rule: 'closedClinic',
  },
  {
    table: 'users',
    name: 'has the password of every installation',
    set: `hashed_password = '${FIRST_INSTALLATION}'`,
    becomes: 'no password',
    rule: 'noPassword',
  },
  {
    table: 'users',
    name: 'has a word as the hash',
    set: `hashed_password = 'password'`,
    becomes: 'no password',
    rule: 'noPassword',
  },
  { table: 'users', name: 'is deleted', set: deleted, becomes: 'deleted' },
  { table: 'users', name: 'has no times', set: times, becomes: 'the time of the import' },
  {
    table: 'user_clinic_permissions',
    name: 'has no flags',
    set: 'can_view_history = null, can_edit_records = null, is_clinic_admin = null',
    becomes: 'false',
    rule: 'empty',
  },
  {
    table: 'user_clinic_permissions',
    name: 'was given by an unknown user',
    set: `created_by = pg_temp.hid('nobody', g)`,
    becomes: 'null',
    rule: 'unknown',
  },
  {
    table: 'user_clinic_permissions',
    name: 'is in an archived clinic',
    set: 'clinic_id = $archived_g',
    becomes: 'not taken',
    rule: 'rights in a clinic that is archived or deleted',
  },
  {
    table: 'clinic_departments',
    name: 'has an unknown status',
    set: `status = 'moved'`,
    becomes: 'active',
    rule: 'value',
  },
  {
    table: 'clinic_departments',
    name: 'has the name of another one',
    rows: 40,
    set: `name = case g % 2 when 0 then 'Ward ' || g / 2 else 'WARD ' || g / 2 end,
      clinic_id = pg_temp.hid('clinics', 1)`,
    becomes: '" (2)"',
    rule: 'sameName',
  },
  {
    table: 'clinic_departments',
    name: 'has no list of capabilities',
    set: 'additional_capabilities = null, status = null',
    becomes: 'an empty list',
    rule: 'empty',
  },
]

const forms: Case[] = [
  {
    table: 'patient_registration_forms',
    name: 'is older than the newest',
    set: 'name = name',
    becomes: 'deleted',
    rule: 'otherForm',
  },
  {
    table: 'patient_registration_forms',
    name: 'asks fields whose id is no UUID, with texts that do not decode',
    sql: `update patient_registration_forms set fields = fields || (
        select jsonb_agg(jsonb_build_object('id', 'field_' || f, 'position', 20 + f, 'column', 'extra' || f,
          'fieldType', 'text', 'label', jsonb_build_object('en', case when f % 2 = 0 then '100% sure ' || f
          else 'Plain ' || f end), 'options', '[]'::jsonb, 'required', false, 'baseField', false,
          'visible', true, 'deleted', false, 'showsInSummary', false, 'isSearchField', false))
        from generate_series(1, 40) f)
      where id = pg_temp.hid('patient_registration_forms', 25)`,
    becomes: 'a stable id; the text encoded',
    rule: 'encoded',
    atLeast: 1,
  },
  {
    table: 'event_forms',
    name: 'has no name',
    set: `name = case when g % 2 = 0 then '' end`,
    becomes: '"Form <id>"',
    rule: 'emptyName',
  },
  {
    table: 'event_forms',
    name: 'is in another language',
    set: `language = 'fr'`,
    becomes: 'en',
    rule: 'value',
  },
  {
    table: 'event_forms',
    name: 'is shown in some clinics',
    set: `clinic_ids = jsonb_build_array(pg_temp.hid('clinics', 1), pg_temp.hid('clinics', 2))`,
    becomes: 'the same clinics',
  },
  {
    table: 'event_forms',
    name: 'has nulls',
    set: 'clinic_ids = null, translations = null, description = null',
    becomes: 'empty',
    rule: 'empty',
  },
  {
    table: 'event_forms',
    name: 'has options as checkboxes',
    set: `form_fields = jsonb_set(form_fields, '{1,inputType}', '"checkbox"')`,
    becomes: 'select with multi',
    rule: 'checkbox',
  },
  {
    table: 'event_forms',
    name: 'has options without ids',
    set: `form_fields = jsonb_set(form_fields, '{1,options}',
      '[{"label": "Mild", "value": "mild"}, {"label": "Severe", "value": "severe"}]')`,
    becomes: 'stable ids',
    rule: 'optionId',
  },
  {
    table: 'event_forms',
    name: 'has a field of an unknown type',
    set: `form_fields = jsonb_set(form_fields, '{0,fieldType}', '"hologram"')`,
    becomes: 'free-text, the original in metadata.hikma',
    rule: 'fieldType',
  },
  { table: 'event_forms', name: 'is deleted', set: deleted, becomes: 'deleted' },
  {
    table: 'app_config',
    name: 'is a setting that Sanad does not have',
    becomes: 'unplaced',
    sql: extra(
      'app_config',
      'id, namespace, key, value',
      `pg_temp.hid('app_config', g + 10), 'ui', 'colour' || g, 'blue'`,
    ),
    rule: 'Sanad has no such setting',
  },
]

const medicines: Case[] = [
  {
    table: 'drug_catalogue',
    name: 'has an unknown form',
    set: `form = 'elixir'`,
    becomes: 'other',
    rule: 'value',
  },
  {
    table: 'drug_catalogue',
    name: 'has an unknown route',
    set: `route = 'by spoon'`,
    becomes: 'other',
    rule: 'value',
  },
  {
    table: 'drug_catalogue',
    name: 'has strength 0 and no currency',
    set: `dosage_quantity = 0, sale_currency = ''`,
    becomes: 'null',
    rule: 'strength',
  },
  {
    table: 'drug_catalogue',
    name: 'has an unknown unit',
    set: `dosage_units = 'percentage'`,
    becomes: 'units',
    rule: 'value',
  },
  {
    table: 'drug_catalogue',
    name: 'has a bad barcode',
    set: `barcode = '59 01 ' || g`,
    becomes: 'null',
    rule: 'barcode',
  },
  {
    table: 'drug_catalogue',
    name: 'has a barcode of another one',
    set: `barcode = '5900000000001'`,
    becomes: 'null',
    rule: 'barcode',
  },
  {
    table: 'drug_catalogue',
    name: 'has a maximum below the minimum',
    set: 'min_stock_level = 50, max_stock_level = 5',
    becomes: 'no maximum',
    rule: 'maximum',
  },
  {
    table: 'drug_catalogue',
    name: 'has a name of 220 letters',
    set: `generic_name = repeat('Kalium', 36) || 'abcd'`,
    becomes: 'cut, the whole in metadata.hikma',
    rule: 'cut',
  },
  {
    table: 'drug_catalogue',
    name: 'has nulls',
    set: `min_stock_level = null, max_stock_level = null,
      is_controlled = null, requires_refrigeration = null, is_active = null`,
    becomes: 'the defaults',
    rule: 'empty',
  },
  {
    table: 'drug_batches',
    name: 'has a number that is equal but for case',
    rows: 40,
    set: `batch_number = case g % 2 when 0 then 'twin' || g / 2 else 'TWIN' || g / 2 end,
      drug_id = pg_temp.hid('drug_catalogue', 1)`,
    becomes: '" (2)"',
    rule: 'sameName',
  },
  {
    table: 'drug_batches',
    name: 'was made after it expires',
    set: `manufacture_date = expiry_date + 1`,
    becomes: 'null',
    rule: 'manufacture',
  },
  {
    table: 'drug_batches',
    name: 'was invented',
    set: `batch_number = 'UNTRACKED-' || g, metadata = '{"auto_created": true}'`,
    becomes: 'quarantined',
    rule: 'invented',
  },
  {
    table: 'drug_batches',
    name: 'has a number of 90 letters and no currency',
    set: `batch_number = g || repeat('L', 80), purchase_currency = ''`,
    becomes: 'cut, the whole in metadata.hikma',
    rule: 'cut',
  },
  {
    table: 'clinic_inventory',
    name: 'is negative',
    set: 'quantity_available = -g::int',
    becomes: '0, listed',
    rule: 'negativeStock',
  },
  { table: 'clinic_inventory', name: 'is 0', set: 'quantity_available = 0', becomes: 'no opening' },
]

const people: Case[] = [
  {
    table: 'patients',
    name: 'has a sex with spaces and capitals',
    set: `sex = ' Female '`,
    becomes: 'trimmed, lower case',
    rule: 'sex',
  },
  {
    table: 'patients',
    name: 'is born in the future',
    set: `date_of_birth = current_date + 400`,
    becomes: 'null, the original in metadata.hikma',
    rule: 'dateOfBirth',
  },
  {
    table: 'patients',
    name: 'is born before 1900',
    set: `date_of_birth = date '0190-02-03'`,
    becomes: 'null, the original in metadata.hikma',
    rule: 'dateOfBirth',
  },
  {
    table: 'patients',
    name: 'has an unknown clinic',
    set: `primary_clinic_id = pg_temp.hid('nowhere', g)`,
    becomes: 'no clinic',
    rule: 'unknown',
  },
  {
    table: 'patients',
    name: 'is deleted, with live records',
    set: 'is_deleted = true, deleted_at = null',
    becomes: 'deleted at updated_at, the records along',
    rule: 'noTime',
  },
  {
    table: 'patients',
    name: 'has no times',
    set: times,
    becomes: 'the time of the import',
    rule: 'noTime',
  },
  {
    table: 'patients',
    name: 'belongs to an archived clinic',
    set: 'primary_clinic_id = $archived',
    becomes: 'the same clinic',
  },
  {
    table: 'patients',
    name: 'has a photo in a store',
    set: `photo_url = 'https://store.example/' || g || '.jpg'`,
    becomes: 'without --files, no photo',
  },
  {
    table: 'patient_additional_attributes',
    name: 'answers a field whose id is no UUID',
    set: `attribute_id = 'field_' || g`,
    becomes: 'a stable id',
    rule: 'stableId',
  },
  {
    table: 'patient_additional_attributes',
    name: 'has the id of another one',
    set: `id = pg_temp.hid('patient_additional_attributes', 1)`,
    becomes: 'a stable id',
    rule: 'sameId',
  },
  {
    table: 'patient_additional_attributes',
    name: 'has no patient',
    set: `patient_id = pg_temp.hid('nobody', g)`,
    becomes: 'unplaced',
    rule: 'no such patient',
  },
  {
    table: 'patient_additional_attributes',
    name: 'answers the same field twice',
    becomes: 'the newer one',
    sql: extra(
      'patient_additional_attributes',
      'id, patient_id, attribute_id, attribute, string_value, created_at, updated_at',
      `pg_temp.hid('attribute_twice', g), pg_temp.hid('patients', (g + 1) / 2),
       upper(pg_temp.hid('attribute', 1 + g % 2)::text), 'twice', 'newer ' || g, '2026-04-01Z',
       '2026-04-01Z'`,
    ),
    rule: 'a newer row has the same patient and attribute',
  },
  {
    table: 'patient_additional_attributes',
    name: 'has NUL and a lone surrogate',
    set: `metadata = '{"note": "a\\u0000b\\ud800c"}'`,
    becomes: 'both removed',
    rule: 'characters',
  },
  {
    table: 'patient_additional_attributes',
    name: 'has a date that is the time of the push',
    set: 'date_value = updated_at',
    becomes: 'kept, listed as suspect',
  },
]

const care: Case[] = [
  {
    table: 'visits',
    name: 'has no patient',
    set: 'patient_id = null',
    becomes: 'unplaced',
    rule: 'no such patient',
  },
  {
    table: 'visits',
    name: 'has no clinic',
    set: 'clinic_id = null',
    becomes: `the patient's clinic`,
    rule: 'primaryClinic',
  },
  {
    table: 'visits',
    name: 'has no clinic, and neither has its patient',
    becomes: 'unplaced',
    set: `clinic_id = null, patient_id = pg_temp.hid('patients', $unknown_clinic)`,
    rule: 'neither the visit nor its patient has a clinic',
  },
  {
    table: 'visits',
    name: 'has an unknown provider',
    set: `provider_id = pg_temp.hid('nobody', g)`,
    becomes: 'null, the name stays',
    rule: 'unknown',
  },
  {
    table: 'visits',
    name: 'has no time of check-in',
    set: 'check_in_timestamp = null',
    becomes: 'created_at',
    rule: 'createdAt',
  },
  {
    table: 'visits',
    name: 'is in an archived clinic',
    set: 'clinic_id = $archived',
    becomes: 'the same clinic',
  },
  {
    table: 'visits',
    name: 'is in a deleted clinic',
    set: 'clinic_id = $deleted_clinic',
    becomes: 'the same clinic',
  },
  {
    table: 'visits',
    name: 'is deleted, with live events',
    set: deleted,
    becomes: 'the events are deleted along',
    rule: 'deletedAlong',
  },
  {
    table: 'events',
    name: 'has {} as answers',
    set: `form_data = '{}'`,
    becomes: '[]',
    rule: 'noList',
  },
  {
    table: 'events',
    name: 'has null as answers',
    set: `form_data = 'null'`,
    becomes: '[]',
    rule: 'empty',
  },
  {
    table: 'events',
    name: 'has its answers as a text',
    set: 'form_data = to_jsonb(form_data::text)',
    becomes: 'parsed',
    rule: 'parsed',
  },
  {
    table: 'events',
    name: 'answers a question twice',
    set: 'form_data = form_data || form_data',
    becomes: 'both answers',
  },
  {
    table: 'events',
    name: 'is of a visit of another patient',
    set: `visit_id = pg_temp.hid('visits', g + 300)`,
    becomes: 'no visit',
    rule: 'otherPatient',
  },
  {
    table: 'events',
    name: 'has no patient',
    set: 'patient_id = null',
    becomes: 'unplaced',
    rule: 'no such patient',
  },
  { table: 'events', name: 'has no form', set: 'form_id = null', becomes: 'no form' },
  {
    table: 'events',
    name: 'was recorded by an unknown user',
    set: `recorded_by_user_id = pg_temp.hid('nobody', g)`,
    becomes: 'null',
    rule: 'unknown',
  },
  { table: 'events', name: 'is deleted', set: deleted, becomes: 'deleted; in the trash' },
  {
    table: 'patient_vitals',
    name: 'is implausible',
    set: 'weight_kg = 900, temperature_celsius = 3',
    becomes: 'kept, listed',
  },
  {
    table: 'patient_vitals',
    name: 'is of a visit of another patient',
    set: `visit_id = pg_temp.hid('visits', g + 300)`,
    becomes: 'no visit',
    rule: 'otherPatient',
  },
  { table: 'patient_vitals', name: 'is deleted', set: deleted, becomes: 'deleted' },
  {
    table: 'patient_problems',
    name: 'writes its code system otherwise',
    set: `problem_code_system = 'ICD-10'`,
    becomes: 'icd10',
    rule: 'codeSystem',
  },
  {
    table: 'patient_problems',
    name: 'is of an unknown code system',
    set: `problem_code_system = 'ICPC-2'`,
    becomes: 'uncoded; the system is kept',
    rule: 'unknownCodeSystem',
  },
  {
    table: 'patient_problems',
    name: 'has unknown statuses',
    set: `clinical_status = 'chronic', verification_status = 'maybe'`,
    becomes: 'unknown, unconfirmed; the words are kept',
    rule: 'unknownStatus',
  },
  {
    table: 'patient_problems',
    name: 'is entered in error',
    set: `clinical_status = 'active', verification_status = 'entered-in-error'`,
    becomes: 'deleted, and ruled out if it is restored',
    rule: 'withdrawn',
  },
  {
    table: 'patient_problems',
    name: 'is inactive, or a relapse of a differential diagnosis',
    set: `clinical_status = case g % 2 when 0 then 'inactive' else 'Relapse' end,
      verification_status = 'differential'`,
    becomes: 'inactive, or active; unconfirmed',
    rule: 'otherWord',
  },
  {
    table: 'patient_problems',
    name: 'began when it was pushed',
    set: 'onset_date = created_at::date',
    becomes: 'kept, listed as suspect',
  },
  {
    table: 'patient_problems',
    name: 'is of a visit of another patient',
    set: `visit_id = pg_temp.hid('visits', 3 * g + 300)`,
    becomes: 'no visit',
    rule: 'otherPatient',
  },
  // among the first, which have a reaction already
  {
    table: 'patient_allergies',
    name: 'has two reactions',
    becomes: 'both in one text, the highest severity',
    sql: extra(
      'patient_allergy_reactions',
      'id, allergy_id, reaction_manifestation_label, severity, created_at, updated_at',
      `pg_temp.hid('second_reaction', g), pg_temp.hid('patient_allergies', g), 'Anaphylaxis', 'severe',
       '2026-04-02Z', '2026-04-02Z'`,
    ),
    rule: 'reactions',
  },
  {
    table: 'patient_allergies',
    name: 'is refuted',
    set: `verification_status = 'refuted'`,
    becomes: 'refuted',
    rule: 'otherWord',
  },
  {
    table: 'patient_allergies',
    name: 'is severe in other words, or in an unknown one',
    set: `severity = (array['life-threatening', 'High', 'anaphylaxis', 'awful'])[g % 4 + 1]`,
    becomes: 'severe, or not known with the word in the notes',
    rule: 'otherWord',
  },
  {
    table: 'patient_allergies',
    name: 'is entered in error',
    set: `verification_status = 'entered-in-error'`,
    becomes: 'deleted, and ruled out if it is restored',
    rule: 'withdrawn',
  },
  {
    table: 'patient_allergies',
    name: 'has a code and no label',
    set: `allergen_label = null, allergen_code_system = 'RxNorm', allergen_code = '7980'`,
    becomes: 'the code is the substance',
    rule: 'codeAlone',
  },
  {
    table: 'patient_allergies',
    name: 'names its substance in 230 letters',
    set: `allergen_label = repeat('Dust of a mill ', 15) || 'and more'`,
    becomes: 'cut, the whole in metadata.hikma',
    rule: 'cut',
  },
  { table: 'patient_allergies', name: 'is deleted', set: deleted, becomes: 'deleted' },
  {
    table: 'appointments',
    name: 'has its departments as a text',
    set: 'departments = to_jsonb(departments::text)',
    becomes: 'parsed',
    rule: 'parsed',
  },
  {
    table: 'appointments',
    name: 'has a department without an id',
    set: `departments = '[{"name": "Old ward", "status": "pending"}]'`,
    becomes: 'in metadata.hikma',
    rule: 'noId',
  },
  {
    table: 'appointments',
    name: 'has a department with more keys',
    set: `departments = jsonb_build_array(jsonb_build_object('id', pg_temp.hid('clinic_departments', 1),
      'name', 'Department 1', 'seen_at', null, 'seen_by', null, 'status', 'pending', 'colour', 'blue'))`,
    becomes: 'kept',
  },
  {
    table: 'appointments',
    name: 'has an unknown status',
    set: `status = 'no_show'`,
    becomes: 'pending',
    rule: 'value',
  },
  {
    table: 'appointments',
    name: 'is of a visit of another patient',
    set: another('appointments'),
    becomes: 'no visit',
    rule: 'otherPatient',
  },
  {
    table: 'appointments',
    name: 'has NUL and a lone surrogate',
    set: `metadata = '{"note": "a\\u0000b\\ud800c"}'`,
    becomes: 'both removed',
    rule: 'characters',
  },
]

const pharmacy: Case[] = [
  {
    table: 'prescriptions',
    name: 'was picked up',
    set: `status = 'picked_up'`,
    becomes: 'picked-up',
    rule: 'pickedUp',
  },
  {
    table: 'prescriptions',
    name: 'is expired',
    set: `status = 'expired'`,
    becomes: 'other, the original in metadata.hikma',
    rule: 'value',
  },
  {
    table: 'prescriptions',
    name: 'has items of a phone beside items of its own',
    set: `items = json_build_array(json_build_object('id', pg_temp.hid('phone_item', g), 'name', 'Amoxicillin',
      'dose', 1, 'doseUnits', 'tablet', 'frequency', 'twice a day', 'quantity', 12,
      'medicationId', pg_temp.hid('drug_catalogue', 3)))`,
    becomes: 'stays as free text',
  },
  {
    table: 'prescriptions',
    name: 'is of a visit of another patient',
    becomes: 'no visit',
    set: `visit_id = pg_temp.hid('visits', 3 * g + 300)`,
    rule: 'otherPatient',
  },
  {
    table: 'prescriptions',
    name: 'has NUL and a lone surrogate',
    set: `metadata = '{"note": "a\\u0000b\\ud800c"}'`,
    becomes: 'both removed',
    rule: 'characters',
  },
  { table: 'prescriptions', name: 'is deleted', set: deleted, becomes: 'deleted' },
  {
    table: 'prescription_items',
    name: 'has a quantity of 0',
    set: 'quantity_prescribed = 0',
    becomes: '1, listed',
    rule: 'quantity',
  },
  {
    table: 'prescription_items',
    name: 'counts what it dispensed otherwise',
    set: 'quantity_dispensed = 99, refills_used = 7',
    becomes: 'derived here',
  },
  {
    table: 'dispensing_records',
    name: 'dispenses 0',
    set: 'quantity_dispensed = 0',
    becomes: 'unplaced',
    rule: 'nothing was dispensed',
  },
  {
    table: 'dispensing_records',
    name: 'names an unknown batch and user',
    set: `batch_id = pg_temp.hid('no batch', g), dispensed_by = pg_temp.hid('nobody', g)`,
    becomes: 'null',
    rule: 'unknown',
  },
  // the last third of the prescriptions has no items of its own
  {
    table: 'prescriptions',
    name: 'has an item of a phone that is in the catalogue',
    becomes: 'a row',
    rows: 20,
    sql: `update prescriptions set items = json_build_array(json_build_object('id', pg_temp.hid('phone_item', g),
        'name', 'Amoxicillin', 'route', 'oral', 'form', 'tablet', 'frequency', 'twice a day', 'intervals', '',
        'dose', 1, 'doseUnits', 'tablet', 'duration', 5, 'durationUnits', 'days', 'quantity', 10,
        'status', 'active', 'medicationId', pg_temp.hid('drug_catalogue', 3)))
      from generate_series(1, 20) g
      where id = pg_temp.hid('prescriptions', pg_temp.setting('patients') - g)`,
    rule: 'itemsBecomeRows',
  },
  {
    table: 'prescriptions',
    name: 'has an item of a phone that is not in the catalogue',
    becomes: 'free text',
    sql: `update prescriptions set items = json_build_array(json_build_object('id', 'no uuid', 'name',
        'Herbal tea' || chr(1), 'quantity', 3, 'medicationId', 'none'))
      from generate_series(21, 40) g
      where id = pg_temp.hid('prescriptions', pg_temp.setting('patients') - g)`,
  },
]

const noPlace: Case[] = [
  {
    table: 'patient_observations',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra(
      'patient_observations',
      'id, patient_id, timestamp, observation_code, value_numeric',
      `pg_temp.hid('patient_observations', g), pg_temp.hid('patients', g), '2026-01-01Z', '44261-6', 7`,
    ),
  },
  {
    table: 'patient_tobacco_history',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra(
      'patient_tobacco_history',
      'id, patient_id, smoking_status',
      `pg_temp.hid('patient_tobacco_history', g), pg_temp.hid('patients', g), 'former'`,
    ),
  },
  {
    table: 'education_content',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra(
      'education_content',
      'id, title, content_type',
      `pg_temp.hid('education_content', g), 'Wash hands', 'article'`,
    ),
  },
  {
    table: 'reports',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra('reports', 'id, name, time_range', `pg_temp.hid('reports', g), 'Monthly', '{}'`),
  },
  {
    table: 'report_components',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra(
      'report_components',
      'id, report_id, title, prql_source, compiled_sql, display',
      `pg_temp.hid('report_components', g), pg_temp.hid('reports', g), 'Visits', '-', '-', '{}'`,
    ),
  },
  {
    table: 'string_ids',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra('string_ids', 'id', `pg_temp.hid('string_ids', g)`),
  },
  {
    table: 'string_content',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra(
      'string_content',
      'id, language, content',
      `pg_temp.hid('string_ids', g), 'en', 'Word'`,
    ),
  },
  {
    table: 'hh_unique',
    name: 'has no place',
    becomes: 'unplaced',
    rule: 'Sanad has no table for it',
    sql: extra('hh_unique', 'tag, key, value', `'tag', 'key ' || g, 'value'`),
  },
  {
    table: 'devices',
    name: 'holds a secret',
    becomes: 'counted only',
    sql: extra(
      'devices',
      'id, name, device_type, api_key_hash',
      `pg_temp.hid('devices', g), 'Phone ' || g, 'phone', 'SECRET-key'`,
    ),
  },
  {
    table: 'device_pin_codes',
    name: 'holds a secret',
    becomes: 'counted only',
    sql: extra(
      'device_pin_codes',
      'id, device_id, pin_hash',
      `pg_temp.hid('device_pin_codes', g), pg_temp.hid('devices', g), 'SECRET-pin'`,
    ),
  },
  {
    table: 'server_variables',
    name: 'holds a secret',
    becomes: 'counted only',
    sql: extra(
      'server_variables',
      'id, key, value_type, value_data',
      `pg_temp.hid('server_variables', g), 'key ' || g, 'string', 'SECRET-variable'`,
    ),
  },
  {
    table: 'tokens',
    name: 'holds a secret',
    becomes: 'counted only',
    sql: extra('tokens', 'user_id, token', `pg_temp.hid('users', g), 'SECRET-token-' || g`),
  },
  {
    table: 'resources',
    name: 'is in another store',
    becomes: 'without --files, no file',
    sql: extra(
      'resources',
      'id, store, store_version, uri, mimetype',
      `pg_temp.hid('resources', g), 's3', '1', 'x/' || g || '.png', 'image/png'`,
    ),
  },
  {
    table: 'event_logs',
    name: 'is of an unknown user',
    set: `user_id = 'not a uuid ' || g`,
    becomes: 'kept, from no user',
  },
]

export const CASES: readonly Case[] = [
  clinics,
  users,
  forms,
  medicines,
  people,
  care,
  pharmacy,
  noPlace,
].flat()

export const bcryptHash = BCRYPT

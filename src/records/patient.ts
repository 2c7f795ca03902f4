import { forEachName } from '~/shared/object'
import type { DB } from '~/db/types'
import type { MessageKey } from '~/shared/language'
import { type RecordColumn, namesWith, type NamesWith, record } from './record'

/**
 * A column that registration forms ask for, exports print, and users choose from when they merge
 * two patients.
 */
type BaseColumn = {
  /**
   * The id of its field in every registration form of every installation: answers on phones refer
   * to it.
   */
  base: string
  /** What the field is called in a form that was stored before the column existed. */
  label: MessageKey
}

export type PatientColumn = RecordColumn & {
  /** No form asks for it, but users choose its value when they merge two patients. */
  mergeable?: true
  /**
   * Finds possible duplicates during registration; `likeness.ts` of the patients decides how much
   * it counts.
   */
  compared?: true
  /**
   * How a filter of the phones' online search compares it: a part of the text, its start, or the
   * whole value.
   */
  filter?: 'part' | 'start' | 'same' | 'id'
  /** Proposed of the mother's record when her newborn is registered. */
  ofMother?: true
  /** The type in SQL, if it is not text. */
  sql?: 'date' | 'uuid' | 'jsonb' | 'timestamptz(3)' | 'smallint'
  /** How other systems call it in the headings of their files: a text for each language. */
  headings?: readonly string[]
  /** The column of Synthea's patients.csv that fills it. */
  synthea?: string
} & (BaseColumn | { base?: never; label?: never })

const columns = {
  given_name: {
    device: 'text',
    base: 'e3d7615c-6ee6-11ee-b962-0242ac120002',
    label: 'devices.column_given_name',
    compared: true,
    synthea: 'FIRST',
    headings: [
      'given name|first name|firstname|forename|first|fname|name',
      'full name|patient name|name of patient',
      'patient|patientname|client name|beneficiary|beneficiary name|names|person name',
      'applicant|applicant name|participant|participant name|recipient name|member name|customer name|respondent name',
      'name of client|name of beneficiary|name of applicant|name of participant|name of person',
      'nombre|nombres|primer nombre|nombre completo|nombre del paciente|paciente',
      'nombre y apellido|nombre y apellidos|nombres y apellidos|apellidos y nombres|apellido y nombre',
      'nome|nome completo|nome do paciente|prenom|nom complet|nom et prenom|nom du patient',
      'الاسم|الاسم الأول|اسم المريض|الاسم الكامل|الاسم الثلاثي|الاسم الرباعي',
    ],
  },
  surname: {
    device: 'text',
    base: '128faebe-6ee7-11ee-b962-0242ac120002',
    label: 'devices.column_surname',
    compared: true,
    filter: 'part',
    synthea: 'LAST',
    headings: [
      'surname|last name|lastname|family name|family|last|lname',
      'apellido|apellidos',
      'sobrenome|nom|nom de famille',
      'اسم العائلة|العائلة|الكنية|اللقب|الشهرة',
    ],
  },
  date_of_birth: {
    device: 'day',
    base: '417d5df8-6eeb-11ee-b962-0242ac120002',
    label: 'devices.column_date_of_birth',
    compared: true,
    filter: 'start',
    sql: 'date',
    synthea: 'BIRTHDATE',
    headings: [
      'date of birth|birth date|birthdate|birthday|dob|born|birth|age',
      'year of birth|birth year|yob|age years|age in years|patient age',
      'fecha de nacimiento|nacimiento|f nac|edad',
      'fecha nacimiento|fecha nac|fec nac|fec nacimiento|f nacimiento',
      'data de nascimento|data nascimento|nascimento|idade|date de naissance|date naissance|date de naiss|naissance',
      'تاريخ الميلاد|الميلاد|تاريخ الولادة|العمر|السن|عمر المريض|العمر بالسنوات',
    ],
  },
  citizenship: {
    device: 'text',
    base: '33282fe0-6f76-11ee-b962-0242ac120002',
    label: 'devices.column_citizenship',
    filter: 'part',
    headings: ['citizenship|nationality', 'nacionalidad|ciudadania|pais', 'الجنسية'],
  },
  hometown: {
    device: 'text',
    base: '06108a10-bc84-11ee-a506-0242ac120002',
    ofMother: true,
    label: 'devices.column_hometown',
    compared: true,
    filter: 'part',
    synthea: 'CITY',
    headings: [
      'hometown|home town|city|town|village|city name|town name|village name|residence|place of residence',
      'ciudad|pueblo|lugar de origen|municipio|localidad|cidade|ville|commune',
      'مسقط الرأس|المدينة|البلدة|القرية|مكان الأصل',
    ],
  },
  phone: {
    device: 'text',
    base: 'fd328808-bc83-11ee-a506-0242ac120002',
    ofMother: true,
    label: 'devices.column_phone',
    compared: true,
    filter: 'part',
    headings: [
      'phone|phone number|telephone|tel|mobile|cell',
      'phone no|telephone number|tel no|mobile number|mobile no|mob number|mob no|cell phone|cell number',
      'contact|contact number|contact no|contact phone|whatsapp',
      'primary phone|phone primary|main phone|home phone|phone home|phone 1',
      'mobile phone|phone mobile|primary contact number',
      'telefono|celular|movil|numero de telefono|numero de celular|telefone|portable',
      'الهاتف|رقم الهاتف|الجوال|الموبايل|تلفون|هاتف|جوال|موبايل|رقم الجوال|رقم الموبايل',
    ],
  },
  sex: {
    device: 'text',
    base: '4b9190de-6eeb-11ee-b962-0242ac120002',
    label: 'devices.column_sex',
    compared: true,
    filter: 'same',
    synthea: 'GENDER',
    headings: ['sex|gender|patient gender|patient sex', 'sexo|genero|sexe|genre', 'الجنس|النوع'],
  },
  camp: {
    device: 'text?',
    base: 'f6024866-bc83-11ee-a506-0242ac120002',
    ofMother: true,
    label: 'devices.column_camp',
    filter: 'part',
    headings: ['camp', 'campamento|campo', 'المخيم|مخيم'],
  },
  additional_data: { device: 'json', sql: 'jsonb' },
  metadata: { device: 'json', sql: 'jsonb' },
  photo_url: { device: 'text?', mergeable: true },
  government_id: {
    device: 'text',
    base: 'be6e53d6-120a-11ef-9262-0242ac120002',
    label: 'devices.column_government_id',
    compared: true,
    filter: 'part',
    synthea: 'SSN',
    headings: [
      'government id|national id|id number|ssn|passport|passport number',
      'id card|id card number|identity number|identity card|national number|id national|nin|nid|cnic|aadhaar|aadhar',
      'aadhaar number|aadhar number|aadhar id|aadhaar id',
      'documento|documento de identidad|cedula|dni|curp|rut|nie|nif|numero de documento|nro documento|identificacion',
      'cpf|cin|carte d identite',
      'رقم الهوية|الهوية|الرقم الوطني|الرقم القومي|جواز السفر|الرقم المدني|رقم البطاقة',
    ],
  },
  external_patient_id: {
    device: 'text',
    base: 'b7671870-120a-11ef-9262-0242ac120002',
    label: 'devices.column_external_patient_id',
    compared: true,
    filter: 'part',
    synthea: 'ID',
    headings: [
      'external patient id|external id|patient id|patient number|patient no|file number|file no|mrn',
      'record number|record no|chart number|reg no|reg number|registration number|registration no',
      'card number|card no|patientid|hospital number|hospital no|uhid|opd no|case number|case no',
      'client id|beneficiary id',
      'numero de expediente|expediente|historia clinica|id paciente|codigo paciente|codigo del paciente|nhc',
      'numero de historia|numero de historia clinica|numero dossier',
      'رقم الملف|رقم المريض|رقم المريض الخارجي',
    ],
  },
  primary_clinic_id: { device: 'id?', mergeable: true, filter: 'id', sql: 'uuid' },
  last_modified_by: { device: 'id?', sql: 'uuid' },
  language: { mergeable: true, ofMother: true },
  died_on: { mergeable: true, sql: 'date', synthea: 'DEATHDATE' },
  weeks_at_birth: { mergeable: true, sql: 'smallint' },
  image_timestamp: { sql: 'timestamptz(3)' },
} as const satisfies { [Name in keyof DB['patients']]?: PatientColumn }

/** Here and not beside the registration form: the first screen needs what checks answers, and not the form. */
export const MOST_REGISTRATION_FIELDS = 200

export const patientRecord = record('patients', columns)
type PatientColumnName = keyof typeof columns

export const BASE_COLUMNS = namesWith(patientRecord, 'base')
export type BaseColumnName = NamesWith<typeof columns, { base: string }>
export const COMPARED_COLUMNS = namesWith(patientRecord, 'compared')
export const MERGEABLE_COLUMNS = namesWith(patientRecord, 'mergeable')
export const OF_MOTHER_COLUMNS = namesWith(patientRecord, 'ofMother')
export const SYNTHEA_COLUMNS = namesWith(patientRecord, 'synthea')
export const isBaseColumn = (column: string): column is BaseColumnName =>
  BASE_COLUMNS.some((name) => name === column)

/** What the record says of a column, whose name may be of another table. */
export const patientColumn = (name: string): PatientColumn =>
  Object.hasOwn(columns, name) ? columns[name as PatientColumnName] : {}

/** The type of each column in SQL. */
export const patientSqlTypes = <Name extends PatientColumnName>(names: readonly Name[]) =>
  forEachName(names, (name): string => patientColumn(name).sql ?? 'text')

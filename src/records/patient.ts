import { type Column, record } from './record'

/** What else is known of a patient's column. */
export type PatientColumn = Column & {
  /**
   * The id of its field in registration forms, the same in every installation because answers on phones refer to it. Forms
   * ask for such a column, exports print it, and merging two patients lets the user choose the value to keep.
   */
  base?: string
  /** Merging two patients lets the user choose the value to keep, although no form asks for the column. */
  mergeable?: true
  /** Typed while registering, it finds possible duplicates; src/features/patients/likeness.ts weighs it. */
  compared?: true
  /** How the search of the phones' online mode compares it: a part of the text, its start, or the whole value. */
  filter?: 'part' | 'start' | 'same' | 'id'
  /** The type in SQL, if it is not text. */
  sql?: 'date' | 'uuid' | 'jsonb' | 'timestamptz'
  /** The other names that headings of imported files use for it. */
  headings?: string
  /** The column of Synthea's patients.csv that holds it, if the text is taken over unchanged. */
  synthea?: string
}

const columns = {
  given_name: {
    device: 'text',
    base: 'e3d7615c-6ee6-11ee-b962-0242ac120002',
    compared: true,
    synthea: 'FIRST',
    headings:
      'given name|first name|firstname|forename|first|fname|name|nombre|nombres|primer nombre|الاسم|الاسم الأول|اسم المريض',
  },
  surname: {
    device: 'text',
    base: '128faebe-6ee7-11ee-b962-0242ac120002',
    compared: true,
    filter: 'part',
    synthea: 'LAST',
    headings:
      'surname|last name|lastname|family name|family|last|lname|apellido|apellidos|اسم العائلة|العائلة|الكنية|اللقب|الشهرة',
  },
  date_of_birth: {
    device: 'day',
    base: '417d5df8-6eeb-11ee-b962-0242ac120002',
    compared: true,
    filter: 'start',
    sql: 'date',
    headings:
      'date of birth|birth date|birthdate|birthday|dob|born|birth|age|fecha de nacimiento|nacimiento|f nac|edad|تاريخ الميلاد|الميلاد|تاريخ الولادة|العمر',
  },
  citizenship: {
    device: 'text',
    base: '33282fe0-6f76-11ee-b962-0242ac120002',
    filter: 'part',
    headings: 'citizenship|nationality|nacionalidad|ciudadania|pais|الجنسية',
  },
  hometown: {
    device: 'text',
    base: '06108a10-bc84-11ee-a506-0242ac120002',
    compared: true,
    filter: 'part',
    synthea: 'CITY',
    headings:
      'hometown|home town|city|town|village|ciudad|pueblo|lugar de origen|municipio|مسقط الرأس|المدينة|البلدة|القرية|مكان الأصل',
  },
  phone: {
    device: 'text',
    base: 'fd328808-bc83-11ee-a506-0242ac120002',
    compared: true,
    filter: 'part',
    headings:
      'phone|phone number|telephone|tel|mobile|cell|telefono|celular|movil|الهاتف|رقم الهاتف|الجوال|الموبايل|تلفون',
  },
  sex: {
    device: 'text',
    base: '4b9190de-6eeb-11ee-b962-0242ac120002',
    compared: true,
    filter: 'same',
    headings: 'sex|gender|sexo|genero|الجنس|النوع',
  },
  camp: {
    device: 'text?',
    base: 'f6024866-bc83-11ee-a506-0242ac120002',
    filter: 'part',
    headings: 'camp|campamento|campo|المخيم|مخيم',
  },
  additional_data: { device: 'json', sql: 'jsonb' },
  metadata: { device: 'json', sql: 'jsonb' },
  photo_url: { device: 'text?', mergeable: true },
  government_id: {
    device: 'text',
    base: 'be6e53d6-120a-11ef-9262-0242ac120002',
    compared: true,
    filter: 'part',
    synthea: 'SSN',
    headings:
      'government id|national id|id number|ssn|passport|passport number|documento|documento de identidad|cedula|dni|curp|رقم الهوية|الهوية|الرقم الوطني|الرقم القومي|جواز السفر',
  },
  external_patient_id: {
    device: 'text',
    base: 'b7671870-120a-11ef-9262-0242ac120002',
    compared: true,
    filter: 'part',
    headings:
      'external patient id|external id|patient id|patient number|file number|mrn|record number|chart number|numero de expediente|expediente|historia clinica|id paciente|رقم الملف|رقم المريض|رقم المريض الخارجي',
  },
  primary_clinic_id: { device: 'id?', mergeable: true, filter: 'id', sql: 'uuid' },
  last_modified_by: { device: 'id?', sql: 'uuid' },
  died_on: { mergeable: true, sql: 'date' },
  image_timestamp: { sql: 'timestamptz' },
} as const satisfies Record<string, PatientColumn>

export const patientRecord = record('patients', columns)

import { parseSex } from '~/fields/sex'
import { BASE_COLUMNS, patientColumn } from '~/records/patient'
import { stableId } from '../stable-id'
import { columns, type TableMapping, MOMENT, STAMPS } from './mapping'
import { deletedAlong, idOrStable, reader, type RowReader, type SourceRow } from './reading'

/** The columns of the registration form, but for the day of birth. */
const TEXTS = BASE_COLUMNS.filter((column) => patientColumn(column).sql !== 'date')

const KNOWN_SEX = new Set(['male', 'female', 'other', 'unknown'])

export const patientsMapping: TableMapping = {
  from: 'patients',
  to: {
    table: 'patients',
    columns: columns({
      text: `${TEXTS.join(' ')} photo_url`,
      date: 'date_of_birth',
      uuid: 'primary_clinic_id last_modified_by',
      jsonb: 'additional_data metadata',
      ...STAMPS,
      [MOMENT]: 'image_timestamp deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  // rows that an earlier run has read by other rules are read again
  extra: () => ({ _rules: '2' }),
  references: { primary_clinic_id: 'clinics' },
  map(row, known, { today }) {
    const read = reader(row)
    let born = read.day('date_of_birth')
    if (born !== null && (born < '1900-01-01' || born > today)) {
      read.note('dateOfBirth', 'date_of_birth', born)
      read.keep('date_of_birth', born)
      born = null
    }
    const sex = read.text('sex')
    // a word that names no sex stays as it is, and a clinician looks at it
    const plain = parseSex(sex) ?? sex?.trim().toLowerCase() ?? null
    if (plain !== sex) read.note('sex', 'sex', sex)
    // M is "male" in English and "mujer" in Spanish records
    if (plain && !KNOWN_SEX.has(plain)) read.forClinician('unknownSex', 'sex', sex)
    return read.done({
      id: String(row['id']),
      ...Object.fromEntries(TEXTS.map((column) => [column, read.text(column)])),
      date_of_birth: born,
      sex: plain,
      primary_clinic_id: read.reference('primary_clinic_id', 'clinics', known),
      last_modified_by: row['last_modified_by'] ?? null,
      additional_data: read.json('additional_data', {}),
      photo_url: read.text('photo_url'),
      image_timestamp: read.moment('image_timestamp'),
      ...read.stamps(),
      metadata: read.metadata(),
    })
  },
}

/** The source stored unreadable times of phones as the moment of the push. */
export function noteSuspect(read: RowReader, row: SourceRow, column: string) {
  const value = row[column]
  if (typeof value !== 'string') return
  const isDay = value.length === 10
  const pushed = [row['last_modified'], row['server_created_at']].filter(
    (at) => typeof at === 'string',
  )
  if (pushed.some((at) => (isDay ? at.slice(0, 10) === value : at === value)))
    read.note('suspectDate', column, value)
}

export const attributes: TableMapping = {
  from: 'patient_additional_attributes',
  to: {
    table: 'patient_additional_attributes',
    columns: columns({
      uuid: 'patient_id',
      text: 'attribute_id attribute string_value',
      numeric: 'number_value',
      jsonb: 'metadata',
      ...STAMPS,
      boolean: 'is_deleted boolean_value',
      [MOMENT]: 'date_value deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  extra: () => ({
    _rank: `row_number() over (partition by t.patient_id, lower(t.attribute_id::text)
      order by t.updated_at desc nulls last, t.id, t.attribute_id::text)`,
    _twin: `row_number() over (partition by t.id order by t.patient_id, t.attribute_id::text)`,
  }),
  idOf: ({ id, patient_id, attribute_id, _twin }) =>
    Number(_twin) > 1
      ? stableId('hikma.attribute.row', String(patient_id), String(attribute_id))
      : String(id),
  references: { patient_id: 'patients' },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    if (Number(row['_rank']) > 1)
      return { unplaced: 'a newer row has the same patient and attribute' }
    const read = reader(row)
    const attribute_id = idOrStable('hikma.attribute', row['attribute_id'])
    if (attribute_id !== row['attribute_id'])
      read.note('stableId', 'attribute_id', row['attribute_id'])
    if (Number(row['_twin']) > 1) read.note('sameId', 'id', row['id'])
    noteSuspect(read, row, 'date_value')
    return read.done({
      id: attributes.idOf!(row),
      patient_id: row['patient_id'],
      attribute_id,
      attribute: read.text('attribute') ?? '',
      number_value: read.number('number_value'),
      string_value: read.text('string_value'),
      date_value: read.moment('date_value'),
      boolean_value: row['boolean_value'] ?? null,
      ...deletedAlong(read, read.stamps(), [patient]),
      metadata: read.metadata(),
    })
  },
}

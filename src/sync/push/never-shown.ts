import { BASE_COLUMNS, patientRecord } from '~/records/patient'
import { type PushedName, tableNamed } from '../schema/tables'

/** The columns that no screen of the app shows: in each edit it may write an empty value into them. */
export const neverShown = (table: PushedName): string[] => [
  ...(table === 'patients' ? ['photo_url', 'additional_data'] : []),
  ...('metadata' in tableNamed(table).columns ? ['metadata'] : []),
]

/** The columns of patients that a registration form may show or hide. */
export const formColumns: readonly string[] = [
  ...BASE_COLUMNS.filter((column) => column in patientRecord.device),
  'primary_clinic_id',
]

import { sql } from 'kysely'
import type { Identifiers } from '../patient'

/**
 * What tells two patients of one name apart, as one column of a list: the date of birth and a number.
 * `patient` is the name of the patients' table in the statement.
 */
export const identifiersColumn = (patient: string) =>
  sql<Identifiers>`jsonb_build_object(
    'date_of_birth', ${sql.ref(`${patient}.date_of_birth`)},
    'precision', ${sql.ref(`${patient}.metadata`)} ->> 'date_of_birth_precision',
    'number', coalesce(nullif(${sql.ref(`${patient}.external_patient_id`)}, ''),
      nullif(${sql.ref(`${patient}.government_id`)}, '')))`

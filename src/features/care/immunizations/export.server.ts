import { sql } from 'kysely'
import { fileOfEntries } from '~/features/people/patients/search/entries-file.server'
import { immunizationRecord } from '~/records/immunization'
import { clinicNames } from './immunizations.server'

const { vaccine, given_on, dose_number, lot, notes, clinic_id } = immunizationRecord.fields

/** The doses of the patients of the list: of each patient the earliest first. */
export const immunizationFile = fileOfEntries<'immunizations', { clinic_id: string | null }>(
  'immunizations',
  {
    record: immunizationRecord,
    fields: { vaccine, dose_number, given_on, lot, notes, clinic: { ...clinic_id, kind: 'text' } },
    order: sql`entry.given_on, entry.vaccine`,
    async complete({ db }, doses) {
      const names = await clinicNames(db, doses)
      return doses.map((dose) => ({ ...dose, clinic: names.get(dose.clinic_id) ?? null }))
    },
  },
)
export const exportImmunizations = immunizationFile.operation

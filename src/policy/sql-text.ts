import { LINK_SOURCES, othersRows, type PatientRule } from './rules'

// COPY takes no parameters, so clinics stand in the text: they are UUIDs of our own.
export const uuids = (ids: readonly string[]) => `'{${ids.join(',')}}'::uuid[]`

/**
 * A rule of the kind `some` as SQL text over a row `l` of `patient_links`; `clinics`: those in
 * which the actor meets it.
 */
export function linkCounts({ links }: PatientRule, clinics: 'all' | readonly string[]): string {
  const inClinics = clinics === 'all' ? 'true' : `l.clinic_id = any(${uuids(clinics)})`
  if (links.length === LINK_SOURCES.length) return inClinics
  return `${inClinics} and l.source in (${links.map((source) => `'${source}'`).join(', ')})`
}

/**
 * `permitsRow` as SQL text over a row `row` of a history, without the check of the patient. `when`: which links `l`
 * count; emergency access never does.
 */
export const rowCounts = (
  row: string,
  { clinics, sharesHistory }: { clinics: readonly string[]; sharesHistory: boolean },
  when: string,
): string =>
  `(${row}.recorded_clinic_id = any(${uuids(clinics)}) or exists (select from patient_links l
    where l.patient_id = ${row}.patient_id and ${when}
      and ${linkCounts(othersRows({ sharesHistory }), clinics)}))`

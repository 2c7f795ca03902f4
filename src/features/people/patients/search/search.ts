import {
  day,
  id,
  oneOfOptions,
  page,
  type RouteSearch,
  defineSearch,
  trimmed,
  whole,
} from '~/shared/search-params'

/** The sort orders of the patient list; each has an index. */
export const PATIENT_SORTS = [
  'given_name',
  'surname',
  'date_of_birth',
  'sex',
  'created_at',
] as const
export type PatientSort = (typeof PATIENT_SORTS)[number]

const age = whole(0, 150)

/** The URL parameters of the list. Invalid ones are ignored. */
export const patientSearch = defineSearch({
  search: trimmed(200),
  clinicId: id,
  sex: trimmed(50),
  ageFrom: age,
  ageTo: age,
  registeredFrom: day,
  registeredTo: day,
  visitedFrom: day,
  visitedTo: day,
  seen: oneOfOptions(['only']),
  sort: oneOfOptions(PATIENT_SORTS),
  direction: oneOfOptions(['asc', 'desc']),
  page,
})
export type PatientSearch = RouteSearch<typeof patientSearch>

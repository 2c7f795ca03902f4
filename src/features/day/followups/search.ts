import { PROGRAM_CODES } from '~/features/care/programs/program-codes'
import {
  day,
  flag,
  id,
  matchingPattern,
  oneOfOptions,
  page,
  type RouteSearch,
  defineSearch,
} from '~/shared/search-params'
import { CALL_RESULTS } from '~/records/call-results'

/** The place in a list after which the next page begins, as `FollowUpList` has it. */
function after(value: unknown) {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 4)
    return undefined
  const given = value as Record<string, unknown>
  const [risk, agreed] = [flag(given['risk']), flag(given['agreed'])]
  const [overdueFrom, last] = [day(given['overdueFrom']), id(given['id'])]
  if (risk === undefined || agreed === undefined || !overdueFrom || !last) return undefined
  return { risk, agreed, overdueFrom, id: last }
}

/** What of the lists the address says; a mangled one shows the first page. */
export const followUpSearch = defineSearch({
  list: oneOfOptions(['due', 'called']),
  clinicId: id,
  program: oneOfOptions(PROGRAM_CODES),
  result: oneOfOptions([...CALL_RESULTS, 'none']),
  phone: oneOfOptions(['yes', 'no']),
  highRisk: oneOfOptions([true]),
  after,
  month: matchingPattern(/^\d{4}-(0[1-9]|1[0-2])$/),
  page,
})
export type FollowUpSearch = RouteSearch<typeof followUpSearch>

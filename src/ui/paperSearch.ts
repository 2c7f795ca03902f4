import { LANGUAGES } from '~/shared/language'
import { oneOfOptions, defineSearch } from '~/shared/search-params'

export const PAPERS = ['A5', 'A4'] as const
export type Paper = (typeof PAPERS)[number]
export const paperParams = { language: oneOfOptions(LANGUAGES), paper: oneOfOptions(PAPERS) }
/** What the address of a printed page says: its language need not be the user's. */
export const paperSearch = defineSearch(paperParams)

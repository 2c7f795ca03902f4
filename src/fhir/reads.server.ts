import * as z from 'zod'
import { query } from '~/server/operation'
import { notFound } from '~/shared/errors'
import { FhirError } from './outcome'
import type { Resource } from './resource'
import { findFhirResource } from './resources/all'
import { findOne, type FoundResource, type SearchPage, runSearch } from './pages.server'
import { mayShow } from './scope'
import { parseFhirSearch, type FhirSearch } from './search'

/**
 * Reads and searches, as operations: each is in the access log with the patients that it showed
 * (docs/decisions/0046). The rights are those of the rows: `Resource.where`.
 */
const typed = z.object({ type: z.string() })

/** Unknown types are answered before any operation is called. */
const known = ({ type }: { type: string }): Resource => findFhirResource(type)!

export const fhirRead = query('fhir.read', {
  input: typed.extend({ id: z.string() }),
  allow: ({ actor }, input) => mayShow(actor, known(input), 'r'),
  async run(ctx, input): Promise<FoundResource> {
    const resource = known(input)
    const row = await findOne(ctx, resource, input.id)
    // also for a row that the actor may not see
    if (!row) throw notFound('errors.notFound')
    if (row.fhir_deleted)
      throw new FhirError(410, 'deleted', `${resource.type}/${input.id} was deleted.`)
    return { resource, row }
  },
  shows: (found) => foundPatientIds([found]),
})

export const fhirSearch = query('fhir.search', {
  input: typed.extend({
    parameters: z.array(z.tuple([z.string(), z.string()])),
    isLenient: z.boolean(),
  }),
  allow: ({ actor }, input) => mayShow(actor, known(input), 's'),
  async run(ctx, { parameters, isLenient, ...input }) {
    const search = parseFhirSearch(known(input), parameters, ctx, { isLenient })
    return { search, page: await runSearch(ctx, search) }
  },
  shows: ({ search, page }) => patientsShown(search, page),
  names: ({ search: { numbers, changes } }) => ({ numbers, changes }),
  finds: ({ page }) => isFound(page),
})

/** The patients of a page; null if the search is about no patients. */
export const patientsShown = ({ isOfPatients }: FhirSearch, { found, included }: SearchPage) =>
  isOfPatients ? foundPatientIds([...found, ...included]).filter((id) => id !== null) : null

export const isFound = ({ found, total }: SearchPage) => found.length > 0 || (total ?? 0) > 0

const foundPatientIds = (found: readonly FoundResource[]) =>
  found.map(({ resource: { patient }, row }) =>
    patient === null ? null : (row[patient] as string | null),
  )

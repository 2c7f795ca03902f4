import * as z from 'zod'

/** DHIS2 leaves out what is empty, and later versions add to it. */
const count = z.number().int().catch(0).default(0)
const text = z.coerce.string().catch('')

const Conflict = z.looseObject({ object: text.default(''), value: text.default('') })

const Summary = z.looseObject({
  status: z.string().catch(''),
  importCount: z
    .looseObject({ imported: count, updated: count, ignored: count, deleted: count })
    .optional(),
  conflicts: z.array(Conflict).catch([]).default([]),
})

/** From 2.38 the summary is in an envelope, before it was the answer itself. */
const Answer = z.union([z.looseObject({ response: Summary }), Summary])

type Counts = { imported: number; updated: number; ignored: number; deleted: number }
export type ImportSummary = {
  /** Whether every value was taken. */
  isComplete: boolean
  counts: Counts | null
  conflicts: { object: string; value: string }[]
}

/** As many conflicts as are kept. */
const MOST_CONFLICTS = 100

/**
 * Reads the answer to `POST /api/dataValueSets` (docs.dhis2.org, Web API, "Data values"): counts and conflicts, with
 * status 200, or 409 if some values were refused. Null if it is no import summary.
 */
export function readImportSummary(status: number, body: unknown): ImportSummary | null {
  const read = Answer.safeParse(body)
  if (!read.success) return null
  const answer = read.data
  const summary = Summary.parse('response' in answer ? answer.response : answer)
  const { importCount, conflicts } = summary
  if (!importCount && conflicts.length === 0) return null
  const { imported, updated, ignored, deleted } = importCount ?? {
    imported: 0,
    updated: 0,
    ignored: 0,
    deleted: 0,
  }
  return {
    isComplete: status === 200 && summary.status === 'SUCCESS' && ignored === 0,
    counts: importCount ? { imported, updated, ignored, deleted } : null,
    conflicts: conflicts
      .slice(0, MOST_CONFLICTS)
      .map(({ object, value }) => ({ object: object.slice(0, 300), value: value.slice(0, 1000) })),
  }
}

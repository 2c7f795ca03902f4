import { streamTableChanges } from '~/server/live-stream.server'
import { operations } from './operations'

/** `/api/live?reads=patients.list,clinics.names`: the changes that concern a screen. */
export const followChanges = (request: Request): Promise<Response> =>
  streamTableChanges(request, tablesReadBy(new URL(request.url).searchParams.get('reads')))

/**
 * The tables whose changes a screen follows that shows what these operations answer ("patients.list,clinics.names").
 * All tables without a list, and if the list names an operation that does not exist or declares nothing: a screen of an
 * older version then reloads too often instead of never.
 */
export function tablesReadBy(names: string | null): ReadonlySet<string> | 'all' {
  const declared = names?.split(',').map((name) => operations.get(name)?.facts.reads)
  if (!declared?.every((tables) => tables !== undefined)) return 'all'
  return new Set(declared.flat())
}

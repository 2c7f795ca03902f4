import type pg from 'pg'
import { MARK } from '~/db/kept'
import type { Actor } from '~/shared/actor'
import { type Cursor, type Epoch, type Plan, buildPullPlan, type PullInput } from './plan'

/** Decides what to send; runs in the snapshot that the pull reads. */
export const loadPullPlan = async (
  client: pg.ClientBase,
  actor: Actor,
  input: PullInput,
): Promise<Plan> => buildPullPlan(actor, input, await readCursor(client, input.lastPulledAt))

type Found = { snapshot: string; epoch: Epoch | null; cursor: Cursor | null; isFormer: boolean }

async function readCursor(client: pg.ClientBase, pullId: number) {
  const { rows } = await client.query<Found>(
    `${MARK} select snapshot, epoch, cursor, is_former as "isFormer" from known_of_pull($1)`,
    [pullId],
  )
  return rows[0]!
}

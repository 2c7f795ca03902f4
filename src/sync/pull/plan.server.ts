import type pg from 'pg'
import type { Actor } from '~/shared/actor'
import { type Cursor, type Epoch, type Plan, planOf, type PullInput } from './plan'

/** Decides what to send; runs in the snapshot that the pull reads. */
export const planPull = async (
  client: pg.ClientBase,
  actor: Actor,
  input: PullInput,
): Promise<Plan> => planOf(actor, input, await readCursor(client, input.lastPulledAt))

/** After a restore, a device that was not uploaded receives everything after this time. */
const UPLOAD_WITHIN = '7 days'

const CURSOR = `select pg_current_snapshot()::text as snapshot,
  (select json_build_object('snapshot', e.snapshot::text, 'isLost', exists (
     select from sync_epochs l where $1 >= l.first_number and $1 < l.next_number))
   from sync_epochs e order by e.id desc limit 1) as epoch,
  (select row_to_json(c) from (
   select p.chain_id, p.user_id, p.snapshot::text as snapshot, p.withheld,
     p.withheld is not null and (c.opened_at < now() - interval '${UPLOAD_WITHIN}'
       or exists (select from sync_pushes q where q.is_upload and q.user_id = p.user_id
         and coalesce(q.chain_id, c.id) = c.id
         and q.at > (select max(began_at) from sync_epochs))) as is_uploaded,
     p.gone_snapshot::text as gone_snapshot,
     p.removed_snapshot::text as removed_snapshot, p.scope, p.held,
     c.pushed_snapshot::text as pushed_snapshot, c.base_pull,
     (select s.snapshot::text from sync_pulls s
      where s.id = c.base_before and s.chain_id = c.id) as settled_snapshot,
     (select s.snapshot::text from sync_pulls s
      where s.id = c.base_pull and s.chain_id = c.id and not pg_visible_in_snapshot((
        select q.xid from sync_pushes q where q.chain_id = c.id order by q.id desc limit 1),
        p.snapshot)) as followed_snapshot,
     (select q.xid::text from sync_pushes q
      where q.chain_id = c.id order by q.id desc limit 1) as last_push
   from sync_pulls p join sync_chains c on c.id = p.chain_id where p.id = $1) c) as cursor`

type Found = { snapshot: string; epoch: Epoch | null; cursor: Cursor | null }

async function readCursor(client: pg.ClientBase, pullId: number) {
  // a named statement is planned once for each connection: planning takes half of its time
  const { rows } = await client.query<Found>({
    name: 'cursor of a pull',
    text: CURSOR,
    values: [pullId],
  })
  return rows[0]!
}

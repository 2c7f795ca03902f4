// Snapshots as the text of PostgreSQL's `pg_snapshot`, xmin:xmax:xip_list
// (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT).

type Parsed = { xmin: number; xmax: number; running: ReadonlySet<number> }
const known = new Map<string, Parsed>()

function parsed(text: string): Parsed {
  let snapshot = known.get(text)
  if (!snapshot) {
    const [xmin, xmax, running] = text.split(':')
    snapshot = {
      xmin: Number(xmin),
      xmax: Number(xmax),
      running: new Set(running ? running.split(',').map(Number) : []),
    }
    if (known.size > 10_000) known.clear()
    known.set(text, snapshot)
  }
  return snapshot
}

export const snapshotText = (nextXid: number, running: readonly number[]) =>
  `${Math.min(nextXid, ...running)}:${nextXid}:${running.join(',')}`

/** `pg_visible_in_snapshot` */
export function isVisible(xid: number, text: string): boolean {
  const { xmin, xmax, running } = parsed(text)
  return xid < xmin || (xid < xmax && !running.has(xid))
}

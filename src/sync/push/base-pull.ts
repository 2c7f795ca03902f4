import type { LastPush } from './delivered'

/** The pulls that the last push of a device and the one before it have followed. */
type Followed = { base_pull: number | null; base_before: number | null }

/**
 * The newest pull whose rows the user of a device has certainly seen.
 * The app pulls, keeps the columns that were edited on it, and pushes a moment later. So the pull
 * before a push does not show what the user saw while editing. They have certainly seen the newest
 * pull that an earlier push followed: after that push the device held nothing unsent. If the answer
 * to that push was lost, the device sends all of it again, perhaps edited further; then the base of
 * that push still applies.
 */
export const basePullOf = (
  { base_pull, base_before }: Followed,
  delivered: LastPush,
  rows: readonly { table: string; id: string }[],
): number | null => (delivered.isWithin(rows) ? base_before : base_pull)

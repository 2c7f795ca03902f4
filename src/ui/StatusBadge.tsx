import type { ReactNode } from 'react'
import classes from './StatusBadge.module.css'

/**
 * One meaning each: `good` (green) is done or in order, `warning` (amber) waits for somebody, `bad` (red) is a danger
 * or must not be used, `now` (filled red) is an emergency of a person, and the greys say nothing of the kind: `plain`
 * for what goes on or is in use, `quiet` for what is over or beside the point.
 */
export type Tone = 'good' | 'warning' | 'bad' | 'now' | 'quiet' | 'plain'

/** `isLong`: several words, which go on in the next line where there is no room. */
type Props = {
  tone?: Tone
  isLong?: boolean
  leftSection?: ReactNode
  children: ReactNode
}

/** A state in a word. The colour only repeats what the word says. */
export const StatusBadge = ({ tone = 'plain', isLong, leftSection, children }: Props) => (
  <span className={classes.badge} data-tone={tone} data-long={isLong}>
    {leftSection}
    <span>{children}</span>
  </span>
)

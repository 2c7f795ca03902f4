import type { ReactNode } from 'react'
import classes from './StatusBadge.module.css'

export type Tone = 'good' | 'warning' | 'bad' | 'quiet' | 'plain'

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

import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './StatusBadge.module.css'

export type Tone = 'good' | 'warning' | 'bad' | 'quiet' | 'plain'

type Props = { tone?: Tone; rightSection?: ReactNode; children: ReactNode }

/** A state in a word. The colour only repeats what the word says. */
export const StatusBadge = ({ tone = 'plain', rightSection, children }: Props) => (
  <Badge className={classes.badge} data-tone={tone} rightSection={rightSection} tt="none" fw={500} radius="sm">
    {children}
  </Badge>
)

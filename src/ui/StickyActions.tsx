import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './StickyActions.module.css'

/** The buttons at the end of a screen's form, the save first: on a phone they stay in view. */
export const StickyActions = ({ children }: { children: ReactNode }) => (
  <Group gap="sm" className={classes.actions}>
    {children}
  </Group>
)

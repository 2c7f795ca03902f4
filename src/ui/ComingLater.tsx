import { Paper } from '@mantine/core'
import { IconCalendarTime } from '@tabler/icons-react'
import type { Sayable } from '~/shared/say'
import { EmptyState } from './EmptyState'
import { Page } from './Page'

/** An area that a later version brings. Its address works already, and it says so. */
export const ComingLater = ({ title }: { title: Sayable }) => (
  <Page title={title}>
    <Paper withBorder>
      <EmptyState icon={IconCalendarTime} title="shell.later" text="shell.laterText" />
    </Paper>
  </Page>
)

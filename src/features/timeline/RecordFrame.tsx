import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { useNow } from '~/ui/clock'
import classes from './Patient.module.css'

/** The page of one patient; printed, it says when. */
export function RecordFrame({ children }: { children: ReactNode }) {
  const say = useSay()
  const format = useFormatter()
  const time = format.dateTime(useNow(), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Stack gap="md" className={classes.page}>
      {children}
      <Text size="xs" c="dimmed" className={classes.printed}>
        {say({ key: 'patientPage.printedOn', values: { time } })}
      </Text>
    </Stack>
  )
}

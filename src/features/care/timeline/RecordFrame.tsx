import { Stack, Text } from '@mantine/core'
import { useRouteContext } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormatter } from 'use-intl'
import { Letterhead } from '~/features/office/clinics/Letterhead'
import { useSay } from '~/shared/say'
import { useNow } from '~/ui/clock'
import classes from './Patient.module.css'

/** The page of one patient; printed, it names the user and the time. */
export function RecordFrame({ children }: { children: ReactNode }) {
  const say = useSay()
  const { viewer } = useRouteContext({ from: '__root__' })
  const format = useFormatter()
  const time = format.dateTime(useNow(), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Stack gap="md" className={classes.page}>
      <div className={classes.printed}>
        <Letterhead organization={viewer.organization} />
      </div>
      {children}
      <Text size="xs" c="dimmed" className={classes.printed}>
        {say({ key: 'patientPage.printedOn', values: { time } })}
      </Text>
    </Stack>
  )
}

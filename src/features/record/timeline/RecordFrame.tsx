import { Stack, Text } from '@mantine/core'
import { useRouteContext } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormatter } from 'use-intl'
import { Letterhead } from '~/ui/Letterhead'
import { useSay } from '~/shared/say'
import { useNow } from '~/ui/clock'
import { OnEveryPage } from '~/ui/OnEveryPage'
import { PatientLine } from '~/features/people/patients/card/PatientLine'
import { Moment } from '~/ui/Moment'
import classes from './Patient.module.css'

type Props = {
  name: string
  patient: { date_of_birth: string | null; metadata: unknown }
  children: ReactNode
}

/** The page of one patient; printed, each page names the patient, and the last one the user and the time. */
export function RecordFrame({ name, patient, children }: Props) {
  const say = useSay()
  const { viewer } = useRouteContext({ from: '__root__' })
  const format = useFormatter()
  const now = useNow()
  const time = format.dateTime(now, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <OnEveryPage
      head={<PatientLine name={name} patient={patient} day={<Moment at={now} dayOnly />} />}
    >
      <Stack gap="md" className={classes.page}>
        <div className={classes.printed}>
          <Letterhead organization={viewer.organization} />
        </div>
        {children}
        <Text size="xs" c="dimmed" className={classes.printed}>
          {say({ key: 'patientPage.printedOn', values: { time } })}
        </Text>
      </Stack>
    </OnEveryPage>
  )
}

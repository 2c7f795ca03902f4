import { Paper, Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { drugName, type Form, strength } from '~/features/drugs/drug'
import { useSay } from '~/shared/say'
import classes from './Label.module.css'
import type { DispensingRecord } from './queue.server'

type Props = { record: DispensingRecord; patient: string; number: string; organization: string }

/** What is stuck on the box: who, what, how, how much, from which batch. Speaks the language of the provider around it. */
export function Label({ record, patient, number, organization }: Props) {
  const say = useSay()
  const format = useFormatter()
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const { quantity_dispensed, batch_number, expiry_date, dispensed_at, days_supply, dosage_instructions } = record
  return (
    <Paper withBorder className={classes.label}>
      <Text size="xs">
        {[organization, record.clinic].filter(Boolean).map((name, at) => (
          <span key={name}>
            {at > 0 && ' · '}
            <bdi>{name}</bdi>
          </span>
        ))}
        {record.clinic_phone && (
          <>
            {' · '}
            <bdi dir="ltr">{record.clinic_phone}</bdi>
          </>
        )}
      </Text>
      <Text fw={700} size="md">
        <bdi>{drugName(record)}</bdi> <bdi>{strength(record, say)}</bdi>
      </Text>
      <Text size="sm">
        {quantity_dispensed} × {say(`drugs.form_${record.form as Form}`)}
        {days_supply && ` · ${say({ key: 'dispensing.forDays', values: { count: days_supply } })}`}
      </Text>
      <Text size="lg" fw={600} my={4}>
        <bdi>{dosage_instructions}</bdi>
      </Text>
      <Text size="sm">
        <bdi>{patient}</bdi>
      </Text>
      <Text size="xs">
        {say({ key: 'dispensing.givenOn', values: { day: format.dateTime(new Date(dispensed_at), day) } })} ·{' '}
        {say('prescriptions.number')} <bdi dir="ltr">{number}</bdi>
      </Text>
      {batch_number && (
        <Text size="xs">
          {say('dispensing.batch')} <bdi dir="ltr">{batch_number}</bdi>
          {expiry_date && (
            <>
              ,{' '}
              {say({
                key: 'dispensing.expires',
                values: { day: format.dateTime(new Date(`${expiry_date}T00:00:00Z`), { ...day, timeZone: 'UTC' }) },
              })}
            </>
          )}
        </Text>
      )}
      <Text size="xs">{say('dispensing.keepAway')}</Text>
    </Paper>
  )
}

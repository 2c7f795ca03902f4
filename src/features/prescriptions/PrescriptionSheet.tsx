import { Box, Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { drugName, strength } from '~/features/drugs/drug'
import type { DoseUnit, Form, Route } from '~/features/drugs/drug'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import classes from './PrescriptionSheet.module.css'
import type { Prescription } from './prescriptions.server'

/** One prescription on paper: for whom, what and how, by whom. Speaks the language of the provider around it. */
export function PrescriptionSheet({
  prescription,
  organization,
}: {
  prescription: Prescription
  organization?: string
}) {
  const say = useSay()
  const { patient, date_of_birth, sex, provider, clinic, prescribed_at, expiration_date, notes } = prescription
  const items = prescription.items.filter(({ item_status }) => item_status !== 'cancelled')
  const line = (label: Parameters<typeof say>[0], value: ReactNode) => (
    <Text size="sm">
      <Text span c="dimmed">
        {say(label)}:{' '}
      </Text>
      <Text span fw={500}>
        {value}
      </Text>
    </Text>
  )
  return (
    <Paper withBorder p="lg" className={classes.sheet}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start">
          <div>
            {organization && (
              <Text fw={600} component="bdi">
                {organization}
              </Text>
            )}
            <Title order={2}>{say('prescriptions.one')}</Title>
          </div>
          <div>
            {line('prescriptions.prescribedAt', <Moment at={prescribed_at} dayOnly />)}
            {expiration_date &&
              line('prescriptions.expirationDate', <Moment at={`${expiration_date}T12:00:00Z`} dayOnly />)}
          </div>
        </Group>
        <Stack gap={2}>
          {line('prescriptions.patient', <bdi>{patient}</bdi>)}
          {date_of_birth && line('prescriptions.born', <Moment at={`${date_of_birth}T12:00:00Z`} dayOnly />)}
          {(sex === 'male' || sex === 'female') && line('patientSearch.sex', say(`patientPage.${sex}`))}
          {clinic && line('prescriptions.pickupClinic', <bdi>{clinic}</bdi>)}
        </Stack>
        <Box className={classes.scroller}>
          <Table withTableBorder className={classes.items}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{say('prescriptions.medication')}</Table.Th>
                <Table.Th>{say('prescriptions.dosageInstructions')}</Table.Th>
                <Table.Th ta="end">{say('prescriptions.quantity')}</Table.Th>
                <Table.Th ta="end">{say('prescriptions.refillsShort')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((item) => (
                <Table.Tr key={item.id}>
                  <Table.Td>
                    <Text fw={600} size="sm" component="bdi">
                      {drugName(item)} {strength({ ...item, dosage_units: item.dosage_units as DoseUnit }, say)}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {say(`drugs.form_${item.form as Form}`)} · {say(`drugs.route_${item.route as Route}`)}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <bdi>{item.dosage_instructions}</bdi>
                    {item.notes && (
                      <Text size="xs" c="dimmed">
                        <bdi>{item.notes}</bdi>
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td ta="end">{item.quantity_prescribed}</Table.Td>
                  <Table.Td ta="end">{item.refills_authorized}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Box>
        {notes && line('prescriptions.notes', <bdi>{notes}</bdi>)}
        <Group justify="space-between" align="flex-end" mt="xl">
          {line('prescriptions.provider', <bdi>{provider ?? '—'}</bdi>)}
          <div className={classes.signature}>
            <Text size="xs" c="dimmed">
              {say('prescriptions.signature')}
            </Text>
          </div>
        </Group>
      </Stack>
    </Paper>
  )
}

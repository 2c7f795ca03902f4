import { Box, Group, Paper, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { AllergyWords } from './AllergyWords'
import { Letterhead } from '~/ui/Letterhead'
import { drugTitle, printedForm } from '~/features/medicines/drugs/drug'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { PatientLine } from '~/features/people/patients/card/PatientLine'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { problemName } from '~/features/care/problems/ProblemStatus'
import { clinicContactValues } from '~/records/clinic'
import { useSay, useLanguage } from '~/shared/say'
import { Day } from '~/ui/Day'
import { EnteredLater } from '~/ui/EnteredLater'
import { Moment } from '~/ui/Moment'
import { OnEveryPage } from '~/ui/OnEveryPage'
import { RecordText } from '~/ui/RecordText'
import classes from './PrescriptionSheet.module.css'
import { doseText, formatQuantity } from './writing/dose'
import type { Prescription } from './prescriptions.server'

/**
 * One prescription on paper: patient, medicines, doses, prescriber; in the language of the
 * surrounding `Spoken`.
 */
export function PrescriptionSheet({
  prescription,
  organization,
}: {
  prescription: Prescription
  organization: string
}) {
  const say = useSay()
  const language = useLanguage()
  const {
    patient,
    date_of_birth,
    birth_precision,
    sex,
    weight,
    allergies,
    provider,
    clinic,
    prescribed_at,
    expiration_date,
    notes,
    problem,
  } = prescription
  const items = prescription.items.filter(({ item_status }) => item_status !== 'cancelled')
  const born = { date_of_birth, metadata: withBirthPrecision(null, birth_precision) }
  const day = <Moment at={prescribed_at} dayOnly />
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
      <OnEveryPage head={<PatientLine name={patient} patient={born} day={day} />}>
        <Stack gap="md">
          <Group justify="space-between" align="flex-start">
            <div>
              <Letterhead
                organization={organization}
                clinic={clinic}
                contact={clinicContactValues(prescription)}
              />
              <Title order={2} mt="sm">
                {say('prescriptions.one')}
              </Title>
            </div>
            <div>
              {line('prescriptions.number', <bdi dir="ltr">{prescription.number}</bdi>)}
              {line('prescriptions.prescribedAt', day)}
              <EnteredLater on={prescription.entered_on} by={prescription.entered_by} />
              {expiration_date &&
                line('prescriptions.expirationDate', <Day value={expiration_date} />)}
            </div>
          </Group>
          <Stack gap={2}>
            {line('prescriptions.patient', <bdi>{patient}</bdi>)}
            {line('patientSearch.age', <PatientAge patient={born} />)}
            {date_of_birth &&
              birth_precision === 'day' &&
              line('prescriptions.born', <Day value={date_of_birth} />)}
            {weight &&
              line(
                'vitals.weight_kg',
                <>
                  <bdi>{`${weight.kg} ${say('vitals.unitKg')}`}</bdi> (
                  <Moment at={weight.at} dayOnly />)
                </>,
              )}
            {line('allergies.title', <AllergyWords allergies={allergies} />)}
            {problem && line('prescriptions.problem', <bdi>{problemName(problem, language)}</bdi>)}
            {(sex === 'male' || sex === 'female') &&
              line('patientSearch.sex', say(`patientPage.${sex}`))}
          </Stack>
          <Box
            component="section"
            className={classes.scroller}
            aria-label={say('prescriptions.medications')}
            // on a phone it scrolls, also by keyboard
            tabIndex={0}
          >
            <Table withTableBorder className={classes.items}>
              <caption>
                <VisuallyHidden>{say('prescriptions.medications')}</VisuallyHidden>
              </caption>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{say('prescriptions.medication')}</Table.Th>
                  <Table.Th scope="col">{say('prescriptions.dosageInstructions')}</Table.Th>
                  <Table.Th ta="end" scope="col">
                    {say('prescriptions.quantity')}
                  </Table.Th>
                  <Table.Th ta="end" scope="col">
                    {say('prescriptions.refillsShort')}
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((item) => (
                  <Table.Tr key={item.id}>
                    <Table.Td>
                      <Text fw={600} size="sm">
                        {drugTitle(item, say)}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {printedForm(item.form) && `${say(printedForm(item.form)!)} · `}
                        {say(`drugs.route_${item.route}`)}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <RecordText>
                        {item.dose ? doseText(item.dose, item, say) : item.dosage_instructions}
                      </RecordText>
                      {item.notes && (
                        <Text size="xs" c="dimmed">
                          <RecordText>{item.notes}</RecordText>
                        </Text>
                      )}
                    </Table.Td>
                    <Table.Td ta="end">
                      <bdi>{formatQuantity(item.quantity_prescribed, item.form, say)}</bdi>
                    </Table.Td>
                    <Table.Td ta="end">{item.refills_authorized}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Box>
          {notes && line('prescriptions.notes', <RecordText>{notes}</RecordText>)}
          <Group justify="space-between" align="flex-end" mt="xl">
            {line(
              'prescriptions.provider',
              <>
                <bdi>{provider ?? '—'}</bdi>
                {prescription.provider_role && ` (${say(`roles.${prescription.provider_role}`)})`}
                {prescription.sent_by && (
                  <>
                    {' · '}
                    {say({ key: 'common.sentBy', values: { name: prescription.sent_by } })}
                  </>
                )}
              </>,
            )}
            <div className={classes.signature}>
              <Text size="xs" c="dimmed">
                {say('prescriptions.signature')}
              </Text>
            </div>
          </Group>
        </Stack>
      </OnEveryPage>
    </Paper>
  )
}

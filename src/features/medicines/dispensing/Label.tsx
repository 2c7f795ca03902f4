import { Paper, Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useExpiryText } from '~/features/medicines/inventory/ExpiryDay'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { BirthDate } from '~/features/people/patients/PatientIdentity'
import { doseText, formatQuantity } from '~/features/medicines/prescriptions/writing/dose'
import type { BirthPrecision } from '~/fields/birth'
import { clinicContactValues } from '~/records/clinic'
import { useSay } from '~/shared/say'
import { RecordText } from '~/ui/RecordText'
import classes from './Label.module.css'
import type { DispensingRecord } from './queue.server'

type Props = {
  record: DispensingRecord
  patient: {
    name: string
    date_of_birth: string | null
    birth_precision: BirthPrecision
    external_patient_id: string | null
  }
  number: string
  prescriber: string | null
  organization: string
}

/**
 * The label on the box: patient, medicine, dose, quantity and batch, in the language of the
 * surrounding `Spoken`.
 */
export function Label({ record, patient, number, prescriber, organization }: Props) {
  const say = useSay()
  const format = useFormatter()
  const expiryText = useExpiryText()
  const born = {
    date_of_birth: patient.date_of_birth,
    metadata: withBirthPrecision(null, patient.birth_precision),
  }
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const {
    quantity_dispensed,
    batch_number,
    expiry_date,
    dispensed_at,
    days_supply,
    dosage_instructions,
    dose,
  } = record
  return (
    <Paper withBorder className={classes.label}>
      <Text size="xs">
        {[organization, record.clinic, ...clinicContactValues(record)]
          .filter(Boolean)
          .map((text, at) => (
            <span key={text}>
              {at > 0 && ' · '}
              <bdi>{text}</bdi>
            </span>
          ))}
      </Text>
      <Text fw={700} size="md">
        {drugTitle(record, say)}
      </Text>
      <Text size="sm">
        <bdi>{formatQuantity(quantity_dispensed, record.form, say)}</bdi>
        {!dose && ` · ${say(`drugs.route_${record.route}`)}`}
        {/* what the dose says of its days is what the patient follows: a supply of more days would contradict it */}
        {days_supply &&
          !dose?.days &&
          ` · ${say({ key: 'dispensing.forDays', values: { count: days_supply } })}`}
      </Text>
      <Text size="lg" fw={600} my={4}>
        <RecordText>
          {(dose
            ? doseText({ ...dose, route: dose.route ?? record.route }, record, say)
            : dosage_instructions) ?? ''}
        </RecordText>
      </Text>
      {isMeasured(record) && <Text size="xs">{say('dose.measure')}</Text>}
      {record.cautions.map((caution) => (
        <Text key={caution} size="xs" fw={600}>
          {say(`dispensing.caution_${caution}`)}
        </Text>
      ))}
      <Text size="sm">
        <bdi>{patient.name}</bdi>
        {patient.date_of_birth && (
          <>
            {' · '}
            <PatientAge patient={born} />
            {' · '}
            {say('prescriptions.born')} <BirthDate patient={born} />
          </>
        )}
        {patient.external_patient_id && (
          <>
            {' · '}
            <bdi dir="ltr">{patient.external_patient_id}</bdi>
          </>
        )}
      </Text>
      {prescriber && (
        <Text size="xs">
          {say('prescriptions.provider')}: <bdi>{prescriber}</bdi>
        </Text>
      )}
      <Text size="xs">
        {say({
          key: 'dispensing.givenOn',
          values: { day: format.dateTime(new Date(dispensed_at), day) },
        })}{' '}
        · {say('prescriptions.number')}{' '}
        <bdi dir="ltr" style={{ whiteSpace: 'nowrap' }}>
          {number}
        </bdi>
      </Text>
      {batch_number && (
        <Text size="xs">
          {say('dispensing.batch')} <bdi dir="ltr">{batch_number}</bdi>
          {expiry_date && <>, {expiryText(expiry_date)}</>}
        </Text>
      )}
      <Text size="xs">{say('dispensing.keepAway')}</Text>
    </Paper>
  )
}

/**
 * A liquid by mouth, of which millilitres are measured, whether the dose is written in them or in
 * milligrams.
 */
const isMeasured = ({ dose, form, route }: DispensingRecord) =>
  dose !== null &&
  (dose.route ?? route) === 'oral' &&
  (dose.unit === 'mL' || (isLiquid(form) && dose.unit === 'mg'))
const isLiquid = (form: string) => form === 'syrup' || form === 'drops' || form === 'bottle'

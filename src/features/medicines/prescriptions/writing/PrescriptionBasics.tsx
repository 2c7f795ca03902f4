import {
  Button,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { Fragment, useId, useState } from 'react'
import { EarlierDay } from '~/features/rules/earlier/EarlierDay'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import { DayBox } from '~/fields/DayBox'
import { PickList } from '~/fields/PickList'
import { priorityLabel, statusLabel, prescriptionRecord } from '~/records/prescription'
import {
  PRIORITIES,
  type PrescriptionStatus,
  type Priority,
  PRESCRIPTION_STATUSES,
} from '~/records/prescription-status'
import { unusualDay } from '~/shared/planned-days'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import type { FieldErrors } from '~/ui/form'
import type { PrescriptionDraft } from './prescription-draft'

type Named = { id: string; name: string }
const { fields } = prescriptionRecord

const BASICS = [
  'patient_id',
  'provider_id',
  'pickup_clinic_id',
  'priority',
  'status',
  'expiration_date',
  'day',
  'notes',
] as const

type Props = {
  draft: PrescriptionDraft
  change: (values: Partial<PrescriptionDraft>) => void
  errors: FieldErrors
  isEdit: boolean
  prescribers: readonly Named[]
  clinics: readonly Named[]
  maySet: (status: PrescriptionStatus, clinicId: string | null) => boolean
  disabled: boolean
}

/** Patient, provider, pickup clinic and priority. */
export function PrescriptionBasics({
  draft,
  change,
  errors,
  isEdit,
  prescribers,
  clinics,
  maySet,
  disabled,
}: Props) {
  const say = useSay()
  const [titleId, bodyId] = [useId(), useId()]
  const today = useToday()
  const [kept] = useState(draft.expiration_date)
  const { patient, provider_id, pickup_clinic_id } = draft
  // where everything is filled in already, the medicines come first
  const [isFolded, setFolded] = useState(
    !isEdit && patient !== null && provider_id !== null && pickup_clinic_id !== null,
  )
  const isOpen = !isFolded || BASICS.some((name) => errors[name])
  const chosen = [
    patient,
    prescribers.find(({ id }) => id === provider_id),
    clinics.find(({ id }) => id === pickup_clinic_id),
  ].filter((one) => one !== undefined && one !== null)
  const doubt =
    draft.expiration_date && draft.expiration_date !== kept
      ? unusualDay('prescriptionExpiry', draft.expiration_date, today)
      : null
  const frame = (name: string) => ({
    error: errors[name] ? say(errors[name]) : undefined,
    'aria-invalid': Boolean(errors[name]) || undefined,
    disabled,
  })
  const required = { withAsterisk: true, 'aria-required': true } as const
  const asData = (named: readonly Named[]) =>
    named.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={titleId}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={2} id={titleId}>
            {say('prescriptions.patientAndProvider')}
          </Title>
          {!isEdit && (
            <Button
              variant="subtle"
              size="compact-sm"
              aria-expanded={isOpen}
              aria-controls={bodyId}
              onClick={() => setFolded(isOpen)}
            >
              {say(isOpen ? 'prescriptions.fewerOptions' : 'prescriptions.moreOptions')}
            </Button>
          )}
        </Group>
        {!isOpen && (
          <Text size="sm">
            {chosen.map(({ id, name }, at) => (
              <Fragment key={id}>
                {at > 0 && ' · '}
                <bdi>{name}</bdi>
              </Fragment>
            ))}
          </Text>
        )}
        {/* no Collapse: it hydrates by itself, and what was pressed before is lost */}
        <div id={bodyId} hidden={!isOpen}>
          <Stack gap="md">
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
              {isEdit ? (
                <TextInput
                  label={say(fields.patient_id.label)}
                  value={draft.patient?.name ?? ''}
                  readOnly
                  dir="auto"
                  variant="filled"
                />
              ) : (
                <PatientPicker
                  label={fields.patient_id.label}
                  value={draft.patient}
                  onChange={(chosenPatient) => change({ patient: chosenPatient })}
                  error={errors['patient_id'] && say(errors['patient_id'])}
                  required
                  disabled={disabled}
                />
              )}
              <PickList
                {...frame('provider_id')}
                {...required}
                label={say(fields.provider_id.label)}
                placeholder={say('prescriptions.searchProvider')}
                data={asData(prescribers)}
                value={draft.provider_id}
                onChange={(providerId) => change({ provider_id: providerId })}
                searchable
                nothingFoundMessage={say('form.nothingFound')}
                autoComplete="off"
              />
              <PickList
                {...frame('pickup_clinic_id')}
                {...required}
                label={say(fields.pickup_clinic_id.label)}
                placeholder={say('form.choose')}
                data={asData(clinics)}
                value={draft.pickup_clinic_id}
                onChange={(clinicId) => change({ pickup_clinic_id: clinicId })}
                searchable={clinics.length > 7}
                allowDeselect={false}
                autoComplete="off"
              />
              <PickList
                {...frame('priority')}
                label={say(fields.priority.label)}
                data={PRIORITIES.map((priority) => ({
                  value: priority,
                  label: say(priorityLabel(priority)),
                }))}
                value={draft.priority}
                onChange={(priority) => priority && change({ priority: priority as Priority })}
                allowDeselect={false}
              />
              <PickList
                {...frame('status')}
                label={say(fields.status.label)}
                data={PRESCRIPTION_STATUSES.map((status) => ({
                  value: status,
                  label: say(statusLabel(status)),
                  disabled: status !== draft.status && !maySet(status, draft.pickup_clinic_id),
                }))}
                value={draft.status}
                onChange={(status) => status && change({ status: status as PrescriptionStatus })}
                allowDeselect={false}
              />
              <DayBox
                {...frame('expiration_date')}
                label={say(fields.expiration_date.label)}
                description={say(doubt ?? 'prescriptions.expirationHint')}
                value={draft.expiration_date}
                onChange={(expiration_date) => change({ expiration_date })}
              />
            </SimpleGrid>
            {!isEdit && pickup_clinic_id && (
              <EarlierDay
                value={draft.day}
                onChange={(day) => change({ day })}
                clinicId={pickup_clinic_id}
                error={errors['day'] && say(errors['day'])}
                disabled={disabled}
              />
            )}
            <Textarea
              {...frame('notes')}
              label={say(fields.notes.label)}
              value={draft.notes}
              onChange={(event) => change({ notes: event.currentTarget.value })}
              rows={3}
              maxLength={4000}
              dir="auto"
            />
          </Stack>
        </div>
      </Stack>
    </Paper>
  )
}

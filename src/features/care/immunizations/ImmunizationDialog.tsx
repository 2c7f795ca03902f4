import { SimpleGrid } from '@mantine/core'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import type { Option } from '~/fields/field'
import { immunizationRecord } from '~/records/immunization'
import { type Actor, mayIn } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { useToday } from '~/ui/clock'
import { confirm } from '~/ui/confirm'
import { useDayText } from '~/ui/Day'
import { RecordDialog } from '~/ui/RecordDialog'
import type { Immunization } from './immunizations.server'

type Props = {
  patientId: string
  immunization?: Immunization
  /** The open visit: a new dose belongs to it. */
  visit?: { id: string; clinic_id: string }
  actor: Actor
  onClose: () => void
}

/** Records a dose, suggested for today and the clinic of the open visit, or corrects one. */
export function ImmunizationDialog({ patientId, immunization, visit, actor, onClose }: Props) {
  const today = useToday()
  const { data: clinics } = useQuery('clinics.names', {})
  const { clinic_id: stored, clinic } = immunization ?? {}
  const workplaces = (clinics ?? [])
    .filter(({ id }) => mayIn(actor, 'can_edit_records', id) && id !== stored)
    .map(asOption)
  const kept = stored ? [asOption({ id: stored, name: clinic ?? '—' })] : []
  const dayText = useDayText()
  /** Asks about a dose that is recorded twice or does not count. False for any other error. */
  const isMeant = async (error: unknown): Promise<boolean> => {
    if (!(error instanceof AppError)) return false
    const { key, values = {} } = error.text
    if (key === 'immunizations.alreadyRecorded')
      return confirm({
        title: 'immunizations.twiceTitle',
        text: key,
        action: 'immunizations.recordTwice',
      })
    if (!key.startsWith('immunizations.asks_')) return false
    const days = Object.entries(values).map(([name, day]) => [name, dayText(String(day))])
    return confirm({
      title: 'immunizations.asksTitle',
      text: { key, values: Object.fromEntries(days) },
      action: 'immunizations.recordAnyway',
    })
  }
  return (
    <RecordDialog
      title={immunization ? 'immunizations.edit' : 'immunizations.add'}
      fields={immunizationRecord.fields}
      record={immunization}
      suggested={{ given_on: today, clinic_id: visit?.clinic_id ?? null }}
      options={{ clinic_id: [...kept, ...workplaces] }}
      onSave={(values, version) => {
        // the dose of another day was not given in this visit
        const isOfVisit = visit && values.given_on === today && values.clinic_id === visit.clinic_id
        const visit_id = immunization ? immunization.visit_id : isOfVisit ? visit.id : null
        const dose = { ...values, ...version, patient_id: patientId, visit_id }
        return api.immunizations
          .save({ ...dose, check_repeated: true, check_counted: true })
          .catch(async (error: unknown) => {
            if (!(await isMeant(error))) throw error
            return api.immunizations.save(dose)
          })
      }}
      saved={() => 'immunizations.savedDone'}
      onClose={onClose}
    >
      {(Field) => (
        <>
          <Field name="vaccine" />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <Field name="given_on" />
            <Field name="dose_number" />
            <Field name="clinic_id" />
            <Field name="lot" />
          </SimpleGrid>
          <Field name="notes" />
        </>
      )}
    </RecordDialog>
  )
}

const asOption = ({ id, name }: { id: string; name: string }): Option => ({
  value: id,
  label: { text: name },
})

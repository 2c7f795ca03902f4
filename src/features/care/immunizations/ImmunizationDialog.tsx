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
  /** Asks what a refusal of one of the checks asks; the checks that are left if it is meant, null otherwise. */
  const leftAfter = async (error: unknown): Promise<object | null> => {
    if (!(error instanceof AppError)) return null
    const { key, values = {} } = error.text
    if (key === 'immunizations.alreadyRecorded') {
      const title = 'immunizations.twiceTitle'
      const isMeant = await confirm({ title, text: key, action: 'immunizations.recordTwice' })
      return isMeant ? { check_medicines: true } : null
    }
    const action = 'immunizations.recordAnyway'
    if (key === 'immunizations.weakened' || key === 'immunizations.steroid') {
      const isMeant = await confirm({ title: 'immunizations.liveTitle', text: error.text, action })
      return isMeant ? { check_counted: true } : null
    }
    if (!key.startsWith('immunizations.asks_')) return null
    const days = Object.entries(values).map(([name, day]) => [name, dayText(String(day))])
    const text = { key, values: Object.fromEntries(days) }
    return (await confirm({ title: 'immunizations.asksTitle', text, action })) ? {} : null
  }
  return (
    <RecordDialog
      title={immunization ? 'immunizations.edit' : 'immunizations.add'}
      fields={immunizationRecord.fields}
      record={immunization}
      suggested={{ given_on: today, clinic_id: visit?.clinic_id ?? null }}
      options={{ clinic_id: [...kept, ...workplaces] }}
      onSave={async (values, version) => {
        // the dose of another day was not given in this visit
        const isOfVisit = visit && values.given_on === today && values.clinic_id === visit.clinic_id
        const visit_id = immunization ? immunization.visit_id : isOfVisit ? visit.id : null
        const dose = { ...values, ...version, patient_id: patientId, visit_id }
        let checks: object = { check_repeated: true, check_medicines: true, check_counted: true }
        // each answer leaves fewer checks
        for (;;)
          try {
            return await api.immunizations.save({ ...dose, ...checks })
          } catch (error) {
            const left = await leftAfter(error)
            if (!left) throw error
            checks = left
          }
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

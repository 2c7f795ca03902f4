import { SimpleGrid } from '@mantine/core'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { immunizationRecord } from '~/records/immunization'
import { type Actor, mayIn } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { useToday } from '~/ui/clock'
import { confirm } from '~/ui/confirm'
import { useDayText } from '~/ui/Day'
import { RecordDialog } from '~/ui/RecordDialog'
import type { Immunization } from './immunizations.server'
import { asOption } from '~/fields/field'

type Props = {
  patientId: string
  immunization?: Immunization
  /** The open visit: a new dose belongs to it. */
  visit?: { id: string; clinic_id: string }
  actor: Actor
  onClose: () => void
}

const CHECKS = ['check_repeated', 'check_medicines', 'check_unknown', 'check_counted'] as const
type Check = (typeof CHECKS)[number]
const SPEAKS_AGAINST: ReadonlySet<string> = new Set([
  'immunizations.weakened',
  'immunizations.weakenedByDose',
  'immunizations.steroid',
])

/** Asks what a refusal of one of the checks asks: the checks that need not be made again. */
async function answered(
  error: unknown,
  dayText: (day: string) => string,
): Promise<readonly Check[]> {
  if (!(error instanceof AppError)) return []
  const { key, values = {} } = error.text
  if (key === 'immunizations.alreadyRecorded') {
    const title = 'immunizations.twiceTitle'
    const isMeant = await confirm({ title, text: key, action: 'immunizations.recordTwice' })
    // a second dose of one day does not count, which was said
    return isMeant ? ['check_repeated', 'check_counted'] : []
  }
  const action = 'immunizations.recordAnyway'
  if (SPEAKS_AGAINST.has(key)) {
    const isMeant = await confirm({ title: 'immunizations.liveTitle', text: error.text, action })
    return isMeant ? ['check_medicines'] : []
  }
  if (key === 'immunizations.medicineUnknown') {
    const title = 'immunizations.unknownTitle'
    return (await confirm({ title, text: error.text, action })) ? ['check_unknown'] : []
  }
  if (!key.startsWith('immunizations.asks_')) return []
  const days = Object.entries(values).map(([name, day]) => [name, dayText(String(day))])
  const text = { key, values: Object.fromEntries(days) }
  const isMeant = await confirm({ title: 'immunizations.asksTitle', text, action })
  return isMeant ? ['check_counted'] : []
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
        const newVisitId = isOfVisit ? visit.id : null
        const visit_id = immunization ? immunization.visit_id : newVisitId
        const dose = { ...values, ...version, patient_id: patientId, visit_id }
        let checks: readonly Check[] = CHECKS
        // each answer leaves fewer checks
        for (;;)
          try {
            return await api.immunizations.save({
              ...dose,
              ...Object.fromEntries(checks.map((check) => [check, true])),
            })
          } catch (error) {
            const meant = await answered(error, dayText)
            if (meant.length === 0) throw error
            checks = checks.filter((check) => !meant.includes(check))
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

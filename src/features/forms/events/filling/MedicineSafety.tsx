import { Stack } from '@mantine/core'
import { use, useCallback } from 'react'
import { api } from '~/client/api'
import { AllergiesFirst } from '~/features/care/banner/PatientBanner'
import { useSafety } from '~/features/medicines/prescriptions/writing/live-warnings'
import { distinctAnswers, NotOnLists } from '~/features/medicines/safety/Answers'
import { SafetyPanel } from '~/features/medicines/safety/SafetyPanel'
import type { GivenReason, GivenReasons } from '~/features/medicines/safety/second/given-reason'
import type { EarlierOverride } from '~/features/medicines/safety/overrides.server'
import { SecondPerson } from '~/features/medicines/safety/second/second-person'
import type { Medicine } from '~/forms/answers'
import type { EventFormField } from '~/forms/definition'
import { useSay } from '~/shared/say'
import { FormContext, useOwnField } from '~/ui/FormField'

type Props = {
  patientId: string
  /** Of the visit. */
  clinicId: string | null
  eventId: string
  questions: readonly EventFormField[]
  earlier: readonly EarlierOverride[]
  onEarlier: (earlier: readonly EarlierOverride[]) => void
  reasons: GivenReasons
  onReason: (key: string, reason: GivenReason) => void
  isAsked: boolean
  /** Why nobody asked about allergies. */
  allergiesReason: string
  onAllergiesReason: (reason: string) => void
}

/** A form holds doses as words. */
const NO_DOSES = [] as const

/** The safety check of the medicines that are typed into a form, as at prescribing. */
export function MedicineSafety({
  patientId,
  clinicId,
  eventId,
  questions,
  onEarlier,
  allergiesReason,
  onAllergiesReason,
  ...props
}: Props) {
  const say = useSay()
  const form = use(FormContext)
  const { error, corrected } = useOwnField('allergies_reason')
  const asked = questions.filter(({ fieldType }) => fieldType === 'medicine')
  const names = asked.flatMap((question) => namesIn(form?.draft[question.id], question))
  const ask = useCallback(
    async (of: string, wanted: string[]) => {
      const { earlier, ...answer } = await api.events.checkMedicines({
        patientId: of,
        eventId,
        names: wanted,
      })
      onEarlier(earlier)
      return answer
    },
    [eventId, onEarlier],
  )
  const safety = useSafety({
    patientId,
    drugIds: names,
    prescriptionId: eventId,
    doses: NO_DOSES,
    ask,
  })
  if (!safety.isChecked || names.length === 0) return null
  return (
    <Stack mt="md" gap="xs">
      {safety.asksAllergies && (
        <AllergiesFirst
          reason={allergiesReason}
          onReason={(reason) => {
            corrected()
            onAllergiesReason(reason)
          }}
          error={error && say(error)}
          onRecorded={safety.retry}
        />
      )}
      {distinctAnswers(safety.scope?.medicines ?? []).map(([key, answers]) => (
        <NotOnLists key={key} answers={answers} name={answers.drug} />
      ))}
      <SecondPerson value={safety.asksSecond ? { patientId, clinicId } : null}>
        <SafetyPanel
          warnings={safety.warnings}
          allergyState={safety.allergyState}
          scope={safety.scope}
          stage="recording"
          patientId={patientId}
          onRetry={safety.retry}
          {...props}
        />
      </SecondPerson>
    </Stack>
  )
}

/** As the check reads them: of a choice of the form its label, in one line. */
function namesIn(value: unknown, question: EventFormField): string[] {
  const options = 'options' in question ? question.options : []
  return (Array.isArray(value) ? (value as Medicine[]) : []).flatMap(({ name }) => {
    const text = typeof name === 'string' ? name.replaceAll(/\s+/g, ' ').trim() : ''
    return text ? [options.find((option) => option.value === text)?.label ?? text] : []
  })
}

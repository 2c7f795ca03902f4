import { Checkbox, SimpleGrid, Stack } from '@mantine/core'
import { type ReactNode, use, useState } from 'react'
import type * as z from 'zod'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { programName } from '~/features/care/programs/programs'
import { asksToCancel } from '~/features/rules/transitions/cancel-to-come'
import { boolean, date, type Field, longText, optional, select, text } from '~/fields/field'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import { useSay, useLanguage } from '~/shared/say'
import { addDays } from '~/shared/zone'
import type { FieldErrors } from '~/ui/form'
import { FormContext } from '~/ui/FormField'
import { Chosen, RecordDialog } from '~/ui/RecordDialog'
import { CALL_RESULTS } from '~/records/call-results'
import { BookingTime, REMIND_AFTER, REMOVAL_REASONS, type RemovalReason } from './followup'

/** Asked only where it is needed, and then required; the server says so of an empty one. */
const needed = <S extends z.ZodType>(field: Field<S>) => ({ ...optional(field), required: true })

const fields = {
  result: select(
    'followups.result',
    CALL_RESULTS,
    (result): MessageKey => `followups.result_${result}`,
  ),
  agreed_on: needed(date('followups.agreedOn')),
  is_booked: boolean('followups.book'),
  time: optional(text('followups.at', { max: 5 })),
  no_answer: boolean('followups.didNotAnswer'),
  remind_on: optional(date('followups.remindOn')),
  reason: needed(
    select('followups.why', REMOVAL_REASONS, (reason): MessageKey => `followups.why_${reason}`),
  ),
  died_on: needed(date('followups.diedOn', { hint: 'followups.diedHint' })),
  notes: optional(longText('followups.notes', { max: 1000 })),
}

type Props = {
  patient: { id: string; name: string }
  /** Those that list the patient; the call is about the first, and about others if the user says so. */
  programs: readonly string[]
  today: string
  /** The user may record a death. */
  mayEdit: boolean
  onClose: () => void
}

/** Records what a call to a patient came to; only what the result needs is asked. */
export function CallDialog({ patient, programs, today, mayEdit, onClose }: Props) {
  const say = useSay()
  const language = useLanguage()
  const [program = '', ...others] = programs
  const [also, setAlso] = useState<string[]>([])
  // a save that is sent again is about the same calls
  const [ids] = useState(() => new Map(programs.map((code) => [code, newId()])))
  const reasons = REMOVAL_REASONS.filter((reason) => reason !== 'died' || mayEdit)
  const options = reasons.map((value) => ({
    value,
    label: `followups.why_${value}` satisfies MessageKey as MessageKey,
  }))
  return (
    <RecordDialog
      title={{ key: 'followups.recordOf', values: { name: patient.name } }}
      size="md"
      before={
        others.length > 0 && (
          <>
            {also.length > 0 && <Chosen />}
            <Checkbox.Group
              label={say({
                key: 'followups.alsoAbout',
                values: { program: programName(program, language) },
              })}
              value={also}
              onChange={setAlso}
              mb="md"
            >
              <Stack gap="xs" mt="xs">
                {others.map((code) => (
                  <Checkbox key={code} value={code} label={programName(code, language)} />
                ))}
              </Stack>
            </Checkbox.Group>
          </>
        )
      }
      fields={fields}
      suggested={{
        is_booked: true,
        time: '09:00',
        no_answer: false,
        remind_on: addDays(today, REMIND_AFTER),
      }}
      options={{ reason: options }}
      between={timeError}
      onSave={async (
        { is_booked, time, result, agreed_on, remind_on, reason, died_on, ...rest },
        { id },
      ) => {
        const isDeath = result === 'removed_from_overdue_list' && reason === 'died'
        const cancel_appointments =
          isDeath && died_on !== null && (await asksToCancel(patient.id, patient.name))
        const call = {
          ...rest,
          cancel_appointments,
          id,
          patient_id: patient.id,
          program,
          also: also.map((code) => ({ id: ids.get(code) ?? newId(), program: code })),
          result,
          called_at: null,
          agreed_on: result === 'agreed_to_visit' ? agreed_on : null,
          remind_on: result === 'remind_to_call_later' ? remind_on : null,
          reason: result === 'removed_from_overdue_list' ? (reason as RemovalReason | null) : null,
          died_on: isDeath ? died_on : null,
          appointment:
            result === 'agreed_to_visit' && is_booked ? { id: newId(), time: time ?? '' } : null,
        }
        return saveAsking((confirmed) => api.followups.call({ ...call, confirmed }))
      }}
      saved={() => 'followups.recorded'}
      onClose={onClose}
    >
      {(Field) => (
        <>
          <Field name="result" />
          <Needed when={({ result }) => result === 'agreed_to_visit'}>
            <Field name="agreed_on" />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <Field name="is_booked" />
              <Needed when={({ is_booked }) => is_booked === true}>
                <Field name="time" />
              </Needed>
            </SimpleGrid>
          </Needed>
          <Needed when={({ result }) => result === 'remind_to_call_later'}>
            <Field name="no_answer" />
            <Field name="remind_on" />
          </Needed>
          <Needed when={({ result }) => result === 'removed_from_overdue_list'}>
            <Field name="reason" />
            <Needed when={({ reason }) => reason === 'died'}>
              <Field name="died_on" />
            </Needed>
          </Needed>
          <Field name="notes" />
        </>
      )}
    </RecordDialog>
  )
}

type Draft = Record<string, unknown>

/** The server knows the time as part of the appointment: its error would stand apart from the field. */
const timeError = ({ result, is_booked, time }: Draft): FieldErrors =>
  result !== 'agreed_to_visit' || is_booked !== true || BookingTime.safeParse(time).success
    ? {}
    : { time: { key: 'followups.time' } }

function Needed({ when, children }: { when: (draft: Draft) => boolean; children: ReactNode }) {
  const form = use(FormContext)
  return form && when(form.draft) ? children : null
}

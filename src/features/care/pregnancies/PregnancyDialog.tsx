import { SimpleGrid, Text } from '@mantine/core'
import { type ReactNode, use, useState } from 'react'
import { api } from '~/client/api'
import { date, number, optional, select } from '~/fields/field'
import { newId } from '~/shared/id'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { useToday } from '~/ui/clock'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { PREGNANCY_STATES } from './pregnancy'

const fields = {
  state: select(
    'pregnancies.state',
    PREGNANCY_STATES,
    (state): MessageKey => `pregnancies.states.${state}`,
    {
      hint: 'pregnancies.stateHint',
    },
  ),
  last_period_on: optional(date('pregnancies.last_period_on')),
  due_on: optional(date('pregnancies.due_on')),
  weeks: optional(number('pregnancies.weeks', { min: 1, max: 45 })),
  ended_on: optional(date('pregnancies.ended_on')),
  asked_on: date('pregnancies.asked_on'),
}
const DATINGS = ['last_period_on', 'due_on', 'weeks'] as const

const isEnded = (state: unknown) => state === 'after_birth' || state === 'breastfeeding'

type Props = { patientId: string; onClose: () => void; onSaved: () => unknown }

/**
 * Records whether the patient is pregnant or breastfeeding; only what the answer needs is asked.
 * The line that opened it shows the answer and is read out: a note of success would lie over the
 * medicines on a phone.
 */
export function PregnancyDialog({ patientId, onClose, onSaved }: Props) {
  const say = useSay()
  const [id] = useState(newId)
  const today = useToday()
  return (
    <Dialog onClose={onClose} size="md" title={say('pregnancies.change')}>
      <FieldForm
        fields={fields}
        suggested={{ asked_on: today }}
        submit="common.save"
        cancel={<CancelButton onClick={onClose} />}
        between={({ state, ended_on, ...draft }) => {
          const found: Record<string, Message> = {}
          const given = state === 'pregnant' ? DATINGS.filter((name) => draft[name]) : []
          if (given[1]) found[given[1]] = { key: 'pregnancies.oneDating' }
          if (state === 'after_birth' && !ended_on)
            found['ended_on'] = { key: 'pregnancies.endedRequired' }
          return found
        }}
        onSubmit={async ({ state, asked_on, last_period_on, due_on, weeks, ended_on }) => {
          const dated = state === 'pregnant' ? { last_period_on, due_on, weeks } : {}
          const ended = isEnded(state) ? { ended_on } : {}
          await api.pregnancies.record({ id, patientId, state, asked_on, ...dated, ...ended })
          await onSaved()
          onClose()
        }}
      >
        {(Field) => (
          <>
            <Field name="state" />
            <Needed when={(state) => state === 'pregnant'}>
              <Text size="sm">{say('pregnancies.dating')}</Text>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                <Field name="last_period_on" />
                <Field name="due_on" />
                <Field name="weeks" />
              </SimpleGrid>
            </Needed>
            <Needed when={isEnded}>
              <Field name="ended_on" />
            </Needed>
            <Field name="asked_on" />
          </>
        )}
      </FieldForm>
    </Dialog>
  )
}

function Needed({ when, children }: { when: (state: unknown) => boolean; children: ReactNode }) {
  const form = use(FormContext)
  return form && when(form.draft['state']) ? children : null
}

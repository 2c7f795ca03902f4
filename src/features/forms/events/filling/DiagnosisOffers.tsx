import { Button, Text } from '@mantine/core'
import { IconVirus } from '@tabler/icons-react'
import { api } from '~/client/api'
import { runAsking } from '~/features/rules/earlier/save-asking'
import type { Problem } from '~/features/care/problems/problems.server'
import type { Diagnosis } from '~/forms/answers'
import { newId } from '~/shared/id'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import type { WholeEvent } from '../events.server'

type Props = {
  diagnoses: readonly Diagnosis[]
  event: WholeEvent
  /** Of the patient, whatever their state. */
  problems: readonly Problem[]
  mayWrite: boolean
  language: Language
}

/**
 * A diagnosis whose code the product knows goes to the patient's problems with one press, unless it
 * is there already.
 */
export function DiagnosisOffers({ diagnoses, event, problems, mayWrite, language }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const offered = diagnoses.flatMap(({ code }) =>
    event.codes.filter((known) => known.code === code),
  )

  function add({ system, code, labels }: (typeof offered)[number]) {
    const id = newId()
    const name = translated(labels, language)
    void runAsking(
      run,
      (confirmed) =>
        api.problems.save({
          id,
          patient_id: event.patient_id,
          visit_id: event.visit_id,
          problem_code_system: system,
          problem_code: code,
          problem_label: name,
          clinical_status: 'active',
          verification_status: 'provisional',
          onset_date: null,
          end_date: null,
          severity_score: null,
          confirmed,
        }),
      {
        success: { key: 'problems.savedDone', values: { name } },
        undo: () => api.problems.delete({ id }),
      },
    )
  }

  return offered.map((known) =>
    problems.some(({ problem_code }) => problem_code === known.code) ? (
      <Text key={known.code} size="xs" c="dimmed" data-print="no">
        {say({ key: 'events.amongProblems', values: { name: translated(known.labels, language) } })}
      </Text>
    ) : (
      mayWrite && (
        <Button
          key={known.code}
          size="compact-xs"
          variant="default"
          mt={4}
          loading={pending}
          leftSection={<IconVirus size={14} aria-hidden />}
          data-print="no"
          onClick={() => add(known)}
        >
          {say({ key: 'events.addProblem', values: { name: translated(known.labels, language) } })}
        </Button>
      )
    ),
  )
}

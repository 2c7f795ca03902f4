import { Button, SimpleGrid, Stack } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from 'sonner'
import { newId } from '~/shared/id'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { CodePicker } from './CodePicker'
import type { FoundCode } from './codes.server'
import { problemFields } from './problem'
import { saveProblem } from './problems.functions'
import type { Problem } from './problems.server'

type Props = {
  patientId: string
  problem?: Problem
  /** The open visit that a new problem belongs to. */
  visitId: string | null
  language: Language
  onClose: () => void
}

/** Records a problem from the code list or in one's own words, or changes one. */
export function ProblemDialog({ patientId, problem, visitId, language, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const [id] = useState(() => problem?.id ?? newId())
  const [picked, setPicked] = useState<FoundCode>()
  const suggested = {
    problem_code_system: picked?.system ?? ('icd10' as const),
    problem_code: picked?.code ?? null,
    problem_label: picked ? translated(picked.labels, language) : null,
    clinical_status: 'active' as const,
    verification_status: 'provisional' as const,
  }
  return (
    <Dialog onClose={onClose} size="lg" title={say(problem ? 'problems.edit' : 'problems.add')}>
      <Stack gap="md">
        {!problem && <CodePicker language={language} onPick={setPicked} />}
        <FieldForm
          // what was picked from the list fills the form anew
          key={picked ? `${picked.system} ${picked.code}` : 'own words'}
          fields={problemFields}
          values={problem}
          suggested={suggested}
          submit="common.save"
          cancel={
            <Button variant="default" onClick={onClose}>
              {say('common.cancel')}
            </Button>
          }
          onSubmit={async (values) => {
            await saveProblem({
              data: {
                id,
                patient_id: patientId,
                visit_id: problem ? problem.visit_id : visitId,
                last_modified: problem?.last_modified,
                ...values,
              },
            })
            await router.invalidate()
            toast.success(
              say({ key: 'problems.savedDone', values: { name: values.problem_label } }),
            )
            onClose()
          }}
        >
          {(Field) => (
            <>
              <Field name="problem_label" />
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                <Field name="problem_code_system" />
                <Field name="problem_code" />
                <Field name="clinical_status" />
                <Field name="verification_status" />
                <Field name="onset_date" />
                <Field name="end_date" />
              </SimpleGrid>
              <Field name="severity_score" />
            </>
          )}
        </FieldForm>
      </Stack>
    </Dialog>
  )
}

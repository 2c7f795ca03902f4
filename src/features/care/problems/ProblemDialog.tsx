import { SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { CodePicker } from '~/features/care/problem-codes/CodePicker'
import { fieldsOfProblem } from '~/features/care/problem-codes/code'
import type { FoundCode } from '~/features/care/problem-codes/codes.server'
import { type Language, translated } from '~/shared/language'
import { RecordDialog } from '~/ui/RecordDialog'
import type { Problem } from './problems.server'

type Props = {
  patientId: string
  problem?: Problem
  /** The open visit that a new problem belongs to. */
  visitId: string | null
  language: Language
  onClose: () => void
}

/** Records a problem from the code list or in the user's own words, or changes one. */
export function ProblemDialog({ patientId, problem, visitId, language, onClose }: Props) {
  const [picked, setPicked] = useState<FoundCode>()
  const belongs = { patient_id: patientId, visit_id: problem ? problem.visit_id : visitId }
  return (
    <RecordDialog
      title={problem ? 'problems.edit' : 'problems.add'}
      before={!problem && <CodePicker language={language} onPick={setPicked} />}
      fields={fieldsOfProblem(problem)}
      record={problem}
      startedBy={picked && `${picked.system} ${picked.code}`}
      suggested={{
        problem_code_system: picked?.system ?? 'icd10',
        problem_code: picked?.code ?? null,
        problem_label: picked ? translated(picked.labels, language) : null,
        clinical_status: 'active',
        verification_status: 'provisional',
      }}
      onSave={(values, version) =>
        saveAsking((confirmed) =>
          api.problems.save({ ...values, ...version, ...belongs, confirmed }),
        )
      }
      saved={({ problem_label: name }) => ({ key: 'problems.savedDone', values: { name } })}
      onClose={onClose}
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
            <Field name="laterality" />
          </SimpleGrid>
          <Field name="severity_score" />
        </>
      )}
    </RecordDialog>
  )
}

import { Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { api } from '~/client/api'
import { codeText } from '~/features/care/problem-codes/code'
import { useDelete } from '~/ui/delete'
import { isOver, problemRecord } from '~/records/problem'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { clinicToday } from '~/shared/zone'
import { useAction } from '~/ui/action'
import { type Column, fieldColumns } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { RecordedBy } from '~/ui/RecordedBy'
import { deleteAction, editAction, rowMenu } from '~/ui/rowMenu'
import { ProblemStatus, problemName } from './ProblemStatus'
import type { Problem } from './problems.server'

type Props = {
  rows: Problem[]
  language: Language
  mayEdit: boolean
  mayDelete: boolean
  onEdit: (problem: Problem) => void
  add?: ReactNode
}

/** Every problem of a patient, active ones first. */
export function ProblemsTable({ rows, language, mayEdit, mayDelete, onEdit, add }: Props) {
  const say = useSay()
  const { run } = useAction()
  const { remove } = useDelete()
  const localizedName = (problem: Problem) => problemName(problem, language)

  const resolve = (row: Problem) => {
    const end_date = row.end_date ?? clinicToday()
    const data = { ...row, clinical_status: 'resolved', end_date } as const
    const success = { key: 'problems.savedDone', values: { name: row.problem_label } } as const
    return run(() => api.problems.save(data), { success })
  }
  const shown = (...names: (keyof typeof problemRecord.fields)[]) =>
    fieldColumns<typeof problemRecord.fields, Problem>(problemRecord.fields, names)
  const columns: Column<Problem>[] = [
    {
      key: 'problem_label',
      label: 'problems.label',
      cell: (problem) => (
        <>
          <bdi>{localizedName(problem)}</bdi>
          <Text size="xs" c="dimmed">
            <bdi dir="ltr">{codeText(problem, say('problems.uncoded'))}</bdi>
          </Text>
        </>
      ),
    },
    {
      key: 'clinical_status',
      card: 'badge',
      label: 'problems.clinicalStatus',
      cell: (problem) => <ProblemStatus problem={problem} />,
    },
    ...shown('verification_status', 'onset_date', 'end_date', 'severity_score'),
    {
      key: 'recorded_by',
      label: 'vitals.by',
      cell: (row) => (
        <RecordedBy name={row.recorded_by} sentBy={row.sent_by} from={row.from_document} />
      ),
    },
  ]
  return (
    <DataTable
      label="problems.title"
      columns={columns}
      rows={rows}
      nameOf={localizedName}
      empty="problems.empty"
      emptyAction={add}
      actions={rowMenu<Problem>([
        mayEdit && editAction(onEdit),
        mayEdit && {
          label: 'problems.resolve',
          icon: IconCheck,
          run: resolve,
          isFor: ({ clinical_status }) => !isOver(clinical_status),
        },
        mayDelete &&
          deleteAction('problems.delete', (problem) =>
            remove('problems', problem.id, { name: localizedName(problem) }),
          ),
      ])}
    />
  )
}

import { Menu, Text } from '@mantine/core'
import { IconCheck, IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { restoreDeletion } from '~/features/trash/trash.functions'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { useAction } from '~/ui/action'
import { type Column, columnsOf, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Day } from '~/ui/Day'
import { ProblemStatus, problemName } from './ProblemStatus'
import { CODE_SYSTEM_NAMES, problemFields } from './problem'
import { deleteProblem, saveProblem } from './problems.functions'
import type { Problem } from './problems.server'

type Props = {
  rows: Problem[]
  language: Language
  mayEdit: boolean
  mayDelete: boolean
  onEdit: (problem: Problem) => void
  add?: ReactNode
}

/** Every problem of a patient: what is active stands first. */
export function ProblemsTable({ rows, language, mayEdit, mayDelete, onEdit, add }: Props) {
  const say = useSay()
  const { run } = useAction()
  const nameOf = (problem: Problem) => problemName(problem, language)

  async function remove(problem: Problem) {
    const isMeant = await confirm({
      title: 'problems.delete',
      text: { key: 'problems.deleteAsks', values: { name: nameOf(problem) } },
      action: 'problems.delete',
      destructive: true,
    })
    if (!isMeant) return
    await run(() => deleteProblem({ data: { id: problem.id } }), {
      success: { key: 'problems.deletedDone', values: { name: nameOf(problem) } },
      undo: ({ deletionId }) => restoreDeletion({ data: { id: deletionId } }),
    })
  }

  const resolve = ({ labels: _labels, recorded_by: _by, created_at: _at, ...problem }: Problem) =>
    run(
      () =>
        saveProblem({
          data: {
            ...problem,
            clinical_status: 'resolved',
            end_date: problem.end_date ?? dayIn(new Date(), clinicTimeZone()),
          },
        }),
      { success: { key: 'problems.savedDone', values: { name: problem.problem_label } } },
    )

  const columns: Column<Problem>[] = [
    {
      key: 'problem_label',
      label: 'problems.label',
      cell: (problem) => (
        <>
          <bdi>{nameOf(problem)}</bdi>
          <Text size="xs" c="dimmed">
            <bdi dir="ltr">
              {CODE_SYSTEM_NAMES[problem.problem_code_system]} {problem.problem_code}
            </bdi>
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
    ...columnsOf<typeof problemFields, Problem>(problemFields, ['verification_status']),
    {
      key: 'onset_date',
      label: 'problems.onset',
      cell: ({ onset_date }) => <DayOrNothing value={onset_date} />,
    },
    {
      key: 'end_date',
      label: 'problems.end',
      cell: ({ end_date }) => <DayOrNothing value={end_date} />,
    },
    ...columnsOf<typeof problemFields, Problem>(problemFields, ['severity_score']),
    {
      key: 'recorded_by',
      label: 'vitals.by',
      cell: ({ recorded_by }) => (recorded_by ? <bdi>{recorded_by}</bdi> : <Nothing />),
    },
  ]
  return (
    <DataTable
      label="problems.title"
      columns={columns}
      rows={rows}
      nameOf={nameOf}
      empty="problems.empty"
      emptyAction={add}
      actions={
        mayEdit || mayDelete
          ? (problem) => (
              <>
                {mayEdit && (
                  <Menu.Item
                    leftSection={<IconPencil size={16} aria-hidden />}
                    onClick={() => onEdit(problem)}
                  >
                    {say('common.edit')}
                  </Menu.Item>
                )}
                {mayEdit && problem.clinical_status !== 'resolved' && (
                  <Menu.Item
                    leftSection={<IconCheck size={16} aria-hidden />}
                    onClick={() => void resolve(problem)}
                  >
                    {say('problems.resolve')}
                  </Menu.Item>
                )}
                {mayDelete && (
                  <Menu.Item
                    color="red"
                    leftSection={<IconTrash size={16} aria-hidden />}
                    onClick={() => remove(problem)}
                  >
                    {say('problems.delete')}
                  </Menu.Item>
                )}
              </>
            )
          : undefined
      }
    />
  )
}

const DayOrNothing = ({ value }: { value: string | null }) =>
  value ? <Day value={value} /> : <Nothing />

import { isCurrent } from '~/records/problem'
import { useQuery } from '~/client/query'
import { problemName } from '~/features/care/problems/ProblemStatus'
import type { Problem } from '~/features/care/problems/problems.server'
import { PickList } from '~/fields/PickList'
import { useSay, useLanguage } from '~/shared/say'

type Named = Pick<Problem, 'id' | 'problem_label' | 'labels'>

type Props = {
  patientId: string
  value: string | null
  /** The problem of the stored prescription, which is kept although it may be over or deleted. */
  stored: Named | null
  onChange: (problemId: string | null) => void
  error: string | undefined
  disabled: boolean
}

/** The problem that a prescription is for, of those that the patient has; left out where the list cannot be read. */
export function ProblemPicker({ patientId, value, stored, onChange, error, disabled }: Props) {
  const say = useSay()
  const language = useLanguage()
  const problems = useQuery('problems.list', { patientId })
  const active: Named[] = (problems.data ?? []).filter(isCurrent)
  const listed = stored && !active.some(({ id }) => id === stored.id) ? [...active, stored] : active
  if (listed.length === 0 && !error) return null
  return (
    <PickList
      label={say('prescriptions.problem')}
      placeholder={say('prescriptions.noProblem')}
      data={listed.map((problem) => ({ value: problem.id, label: problemName(problem, language) }))}
      value={value}
      onChange={onChange}
      error={error}
      aria-invalid={Boolean(error) || undefined}
      disabled={disabled}
      clearable
      searchable={listed.length > 7}
      nothingFoundMessage={say('form.nothingFound')}
      autoComplete="off"
      name="problem_id"
    />
  )
}

import { isCurrent } from '~/records/problem'
import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useQuery } from '~/client/query'
import { problemName } from '~/features/care/problems/ProblemStatus'
import { CurrentMedicinesList } from '~/features/medicines/taken/CurrentMedicinesList'
import { MedicineReview } from '~/features/medicines/taken/MedicineReview'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import classes from './Beside.module.css'

type Props = {
  patientId: string
  language: Language
  /** Where the current medicines are decided about; absent for users who may not. */
  review?: { visitId: string | null }
}

/**
 * Current medicines and active problems beside what is being prescribed; on a phone they are folded. What cannot be
 * loaded is said: an empty list would look like "none".
 */
export function Beside({ patientId, language, review }: Props) {
  const say = useSay()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const medicines = useQuery('medicines.current', { patientId })
  const problems = useQuery('problems.list', { patientId })
  const active = problems.data?.filter(isCurrent)
  const failed = (
    <Text size="sm" fw={600}>
      {say('patientPage.partFailed')}
    </Text>
  )
  return (
    <Paper withBorder p="sm" component="section" aria-label={say('patientPage.beside')}>
      <Button
        className={classes.button}
        variant="subtle"
        size="compact-sm"
        leftSection={<IconChevronDown size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {say('patientPage.beside')}
      </Button>
      <Stack gap="sm" id={id} className={classes.content} data-open={isOpen || undefined}>
        <div>
          <Title order={3} size="h5" mb={4}>
            {say('medicines.current')}
          </Title>
          {medicines.error !== null
            ? failed
            : medicines.data && <CurrentMedicinesList medicines={medicines.data} />}
          {review && <MedicineReview patientId={patientId} {...review} />}
        </div>
        <div>
          <Title order={3} size="h5" mb={4}>
            {say('patientPage.activeProblems')}
          </Title>
          {problems.error !== null
            ? failed
            : active && (
                <>
                  {active.length === 0 && (
                    <Text size="sm" c="dimmed">
                      {say(problems.data?.length === 0 ? 'problems.empty' : 'problems.noActive')}
                    </Text>
                  )}
                  <ul className={classes.list}>
                    {active.map((problem) => (
                      <li key={problem.id}>
                        <Text size="sm">
                          <bdi>{problemName(problem, language)}</bdi>
                        </Text>
                      </li>
                    ))}
                  </ul>
                </>
              )}
        </div>
      </Stack>
    </Paper>
  )
}

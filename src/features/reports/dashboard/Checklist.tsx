import { Button, Group, Paper, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { use, useDeferredValue } from 'react'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import type { getChecklist } from './administration.server'
import classes from './Dashboard.module.css'
import { type Coming, ListLink } from './Part'
import { CHECKLIST, FIRST_STEPS } from './summary'

type Steps = Awaited<ReturnType<typeof getChecklist>>

/**
 * The first steps of a new clinic. Each is ticked automatically; the list disappears when all are
 * done or it is dismissed.
 */
export function Checklist({ coming }: { coming: Coming<Steps> }) {
  const say = useSay()
  const { run, pending } = useAction()
  const { data: steps } = use(useDeferredValue(coming))
  if (!steps) return null
  const done = steps.filter(({ isDone }) => isDone).length
  const notice = { notice: CHECKLIST } as const
  const dismiss = () =>
    run(() => api.checklist.dismiss(notice), {
      success: 'dashboard.dismissed',
      undo: () => api.checklist.recall(notice),
    })
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={CHECKLIST}>
      <Group justify="space-between" gap="xs" mb="xs">
        <div>
          <Title order={2} id={CHECKLIST}>
            {say('dashboard.firstDay')}
          </Title>
          <Text size="sm" c="dimmed">
            {say({ key: 'dashboard.firstDayText', values: { done, all: steps.length } })}
          </Text>
        </div>
        <Button variant="subtle" size="xs" loading={pending} onClick={() => void dismiss()}>
          {say('dashboard.dismiss')}
        </Button>
      </Group>
      <ul className={classes.list}>
        {steps.map(({ name, isDone }) => (
          <li key={name}>
            {isDone ? (
              <IconCircleCheckFilled size={18} color="var(--mantine-color-sanad-6)" aria-hidden />
            ) : (
              <IconCircle size={18} color="var(--mantine-color-dimmed)" aria-hidden />
            )}
            <span className={classes.what}>
              <VisuallyHidden>{say(isDone ? 'dashboard.done' : 'dashboard.toDo')}: </VisuallyHidden>
              <ListLink to={FIRST_STEPS[name]}>{say(`dashboard.step_${name}`)}</ListLink>
            </span>
          </li>
        ))}
      </ul>
    </Paper>
  )
}

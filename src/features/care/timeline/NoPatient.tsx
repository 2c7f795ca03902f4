import { Button, Group, Paper } from '@mantine/core'
import { IconUserQuestion } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type Actor, can } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { Page } from '~/ui/Page'

/** The address names no patient, or one who is not registered yet. */
export function NoPatient({ actor }: { actor: Actor }) {
  const say = useSay()
  return (
    <Page title="patients.one" crumbs={[{ label: 'patients.title', to: '/app/patients' }]}>
      <Paper withBorder>
        <EmptyState
          icon={IconUserQuestion}
          title="patientPage.noneTitle"
          text="patientPage.noneText"
          action={
            <Group mt="sm" gap="xs" justify="center">
              <Button
                variant="default"
                renderRoot={(props) => <Link to="/app/patients" {...props} />}
              >
                {say('patientPage.toList')}
              </Button>
              {can(actor, 'create_patient') && (
                <Button renderRoot={(props) => <Link to="/app/patients/register" {...props} />}>
                  {say('patientPage.register')}
                </Button>
              )}
            </Group>
          }
        />
      </Paper>
    </Page>
  )
}

import { Group, Paper } from '@mantine/core'
import { IconUserQuestion } from '@tabler/icons-react'
import { LinkButton } from '~/client/links'
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
              <LinkButton variant="default" to="/app/patients">
                {say('patientPage.toList')}
              </LinkButton>
              {can(actor, 'create_patient') && (
                <LinkButton to="/app/patients/register">{say('patientPage.register')}</LinkButton>
              )}
            </Group>
          }
        />
      </Paper>
    </Page>
  )
}

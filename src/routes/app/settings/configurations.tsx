import { SimpleGrid, Stack, Title } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { nameOf } from '~/features/settings/configuration'
import { ConfigurationForm } from '~/features/settings/ConfigurationForm'
import { listConfigurations } from '~/features/settings/configurations.functions'
import { isSuperAdmin } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/settings/configurations')({
  beforeLoad: ({ context }) => {
    if (!isSuperAdmin(context.actor)) throw forbidden()
  },
  loader: () => listConfigurations(),
  component: ConfigurationsPage,
})

const SECTIONS = ['organization', 'system', 'auth'] as const

function ConfigurationsPage() {
  const say = useSay()
  const configurations = Route.useLoaderData()
  useLive('app_config')
  return (
    <Page title="settings.title" lead={say('settings.lead')}>
      {SECTIONS.map((namespace) => (
        <Stack key={namespace} component="section" gap="sm" aria-label={say(`settings.${namespace}`)}>
          <Title order={2}>{say(`settings.${namespace}`)}</Title>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            {configurations
              .filter((row) => row.namespace === namespace)
              .map((row) => {
                const name = nameOf(row)
                return name && <ConfigurationForm key={name} name={name} row={row} />
              })}
          </SimpleGrid>
        </Stack>
      ))}
    </Page>
  )
}

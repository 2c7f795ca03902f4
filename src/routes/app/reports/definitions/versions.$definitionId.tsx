import { List, Paper, Stack, Text, Title } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { translatedName } from '~/features/reports/definitions/editor/definition-draft'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { page, defineSearch } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { Paging } from '~/ui/Paging'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ page })

export const Route = createFileRoute('/app/reports/definitions/versions/$definitionId')({
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  beforeLoad: onlyFor(isAdmin),
  loader: async ({ params: { definitionId }, deps: { page: pageNumber } }) => {
    const [definition, versions] = await Promise.all([
      api.reportDefinitions.get({ id: definitionId }),
      api.reportDefinitions.versions({ id: definitionId, page: pageNumber }),
    ])
    return { definition, versions }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: VersionsPage,
})

function VersionsPage() {
  const { definition, versions } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const say = useSay()
  useLive('reportDefinitions.get', 'reportDefinitions.versions')
  return (
    <Page
      title={{ text: translatedName(definition.body.names, viewer.language) }}
      lead={say('reportDefinitions.versionsLead')}
      crumbs={[
        { label: 'reports.title', to: '/app/reports' },
        { label: 'reportDefinitions.title', to: '/app/reports/definitions' },
      ]}
      actions={
        <LinkButton
          variant="default"
          leftSection={<IconPencil size={16} aria-hidden />}
          to="/app/reports/definitions/edit/{-$definitionId}"
          params={{ definitionId: definition.id }}
        >
          {say('common.edit')}
        </LinkButton>
      }
    >
      <Stack gap="sm">
        {versions.rows.map(({ version, saved_at, saved_by, changes }) => (
          <Paper key={version} withBorder p="md">
            <Title order={2} size="h4">
              {say({ key: 'eventForms.versionNumber', values: { number: version } })}
            </Title>
            <Text size="sm" c="dimmed">
              <Moment at={saved_at} /> · <bdi>{saved_by ?? 'Sanad'}</bdi>
            </Text>
            {changes.length > 0 ? (
              <List size="sm" mt="xs">
                {changes.map(({ what, names, id }) => (
                  <List.Item key={`${what} ${id}`}>
                    {say({
                      key: `reportDefinitions.diff_${what}`,
                      values: { name: translatedName(names, viewer.language) },
                    })}
                  </List.Item>
                ))}
              </List>
            ) : (
              <Text size="sm" mt="xs">
                {say(version === 1 ? 'eventForms.firstVersion' : 'eventForms.noChanges')}
              </Text>
            )}
          </Paper>
        ))}
        <Paging {...versions.pagination} />
      </Stack>
    </Page>
  )
}

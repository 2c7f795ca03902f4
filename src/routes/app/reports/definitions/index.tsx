import { Badge, Group } from '@mantine/core'
import {
  IconCopy,
  IconHistory,
  IconPencil,
  IconPlugConnected,
  IconPlus,
  IconServer,
  IconVariable,
} from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import type { ListedDefinition } from '~/features/reports/definitions/definitions.server'
import { translatedName } from '~/features/reports/definitions/editor/definition-draft'
import { ImportDataSet } from '~/features/reports/exchange/ImportDataSet'
import { isAdmin, isSuperAdmin } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { page, defineSearch } from '~/shared/search-params'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useDelete } from '~/ui/delete'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { deleteAction, rowMenu } from '~/ui/rowMenu'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ page })

export const Route = createFileRoute('/app/reports/definitions/')({
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  beforeLoad: onlyFor(isAdmin),
  loader: ({ deps: { page: pageNumber } }) => api.reportDefinitions.list({ page: pageNumber }),
  component: DefinitionsPage,
})

function DefinitionsPage() {
  const { rows, pagination } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  const { remove } = useDelete()
  useLive('reportDefinitions.list')
  const definitionName = ({ names }: ListedDefinition) =>
    translatedName(names as { en: string }, viewer.language)
  const add = (
    <Group gap="xs">
      <LinkButton
        leftSection={<IconPlus size={16} aria-hidden />}
        to="/app/reports/definitions/edit/{-$definitionId}"
        params={{ definitionId: 'new' }}
      >
        {say('reportDefinitions.add')}
      </LinkButton>
      <ImportDataSet />
      {isSuperAdmin(actor) && (
        <LinkButton
          variant="default"
          leftSection={<IconServer size={16} aria-hidden />}
          to="/app/settings/dhis2"
        >
          {say('dhis2.title')}
        </LinkButton>
      )}
      <LinkButton
        variant="default"
        leftSection={<IconVariable size={16} aria-hidden />}
        to="/app/reports/bindings"
      >
        {say('reportBindings.title')}
      </LinkButton>
    </Group>
  )
  return (
    <Page title="reportDefinitions.title" lead={say('reportDefinitions.lead')} actions={add}>
      <DataTable
        label="reportDefinitions.title"
        columns={columnsFor(viewer.language)}
        rows={rows}
        pagination={pagination}
        rowLink={({ id }) => `/app/reports/definitions/edit/${id}`}
        nameOf={definitionName}
        empty="reportDefinitions.empty"
        actions={rowMenu<ListedDefinition>([
          {
            label: 'common.edit',
            icon: IconPencil,
            link: ({ id }) => `/app/reports/definitions/edit/${id}`,
          },
          {
            label: 'reportDefinitions.copy',
            icon: IconCopy,
            link: ({ id }) => `/app/reports/definitions/edit/new?from=${id}`,
          },
          {
            label: 'reportDefinitions.versions',
            icon: IconHistory,
            link: ({ id }) => `/app/reports/definitions/versions/${id}`,
          },
          {
            label: 'externalCodes.title',
            icon: IconPlugConnected,
            link: ({ id }) => `/app/reports/definitions/codes/${id}`,
          },
          deleteAction('reportDefinitions.delete', (row) =>
            remove('reportDefinitions', row.id, { name: definitionName(row) }),
          ),
        ])}
      />
    </Page>
  )
}

const columnsFor = (language: Language): Column<ListedDefinition>[] => [
  {
    key: 'name',
    label: 'reportDefinitions.name',
    cell: ({ names }) => <bdi>{translatedName(names as { en: string }, language)}</bdi>,
  },
  {
    key: 'period',
    label: 'reportEditor.period',
    cell: ({ period }) => <PeriodName period={period} />,
  },
  { key: 'rows', label: 'reportEditor.rows', cell: ({ rows }) => rows, align: 'end' },
  {
    key: 'version',
    label: 'reportDefinitions.version',
    cell: ({ version }) => version,
    align: 'end',
  },
  {
    key: 'starter',
    label: 'reportDefinitions.origin',
    cell: ({ isStarter }) => <Origin isStarter={isStarter} />,
  },
  {
    key: 'saved',
    label: 'reportDefinitions.savedAt',
    cell: ({ last_modified }) => <Moment at={last_modified} />,
  },
]

function PeriodName({ period }: { period: string }) {
  return useSay()(`reportEditor.period_${period as 'month'}`)
}

function Origin({ isStarter }: { isStarter: boolean }) {
  const say = useSay()
  return (
    <Badge variant="default" tt="none" fw={500} radius="sm">
      {say(isStarter ? 'reportDefinitions.starter' : 'reportDefinitions.own')}
    </Badge>
  )
}

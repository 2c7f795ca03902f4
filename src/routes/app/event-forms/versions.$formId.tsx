import { Grid, Stack, Title } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api, type OperationResult } from '~/client/api'
import { mayAdminister } from '~/features/forms/event-forms/event-form'
import { ChangeList } from '~/features/forms/event-forms/ChangeList'
import { FormTryout } from '~/features/forms/event-forms/builder/FormTryout'
import { PickList } from '~/fields/PickList'
import { localized } from '~/forms/translations'
import { useSay } from '~/shared/say'
import { page, defineSearch, whole } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { withSearch } from '~/ui/search'

const aVersion = whole(1)

const readSearch = defineSearch({ page, version: aVersion, against: aVersion })

export const Route = createFileRoute('/app/event-forms/versions/$formId')({
  /** `version` is what is shown, `against` what it is compared with; the newest and the one before by themselves. */
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { formId }, deps: { page: pageNumber, version, against } }) => {
    const form = await api.eventForms.get({ id: formId })
    const shown = Math.min(version ?? form.version, form.version)
    const before = Math.min(against ?? Math.max(shown - 1, 1), form.version)
    const [versions, definition, changes] = await Promise.all([
      api.eventForms.versions({ id: formId, page: pageNumber }),
      api.eventForms.version({ id: formId, version: shown }),
      api.eventForms.diff({ id: formId, from: before, to: shown }),
    ])
    return { form, versions, definition, changes, shown, before }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: VersionsPage,
})

type Row = OperationResult<'eventForms.versions'>['rows'][number]

function VersionsPage() {
  const { form, versions, definition, changes, shown, before } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  const navigate = useNavigate()
  useLive('eventForms.get', 'eventForms.versions', 'eventForms.version', 'eventForms.diff')
  const numbers = versions.rows.map(({ version }) => version).filter((version) => version !== shown)
  return (
    <Page
      title={{ text: localized(definition, viewer.language).name }}
      lead={say('eventForms.versionsLead')}
      crumbs={[{ label: 'eventForms.title', to: '/app/event-forms' }]}
      actions={
        mayAdminister(actor, form.clinic_ids) && (
          <LinkButton
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            to="/app/event-forms/edit/{-$formId}"
            params={{ formId: form.id }}
          >
            {say('common.edit')}
          </LinkButton>
        )
      }
    >
      <DataTable
        label="eventForms.versions"
        columns={columns}
        rows={versions.rows.map((row) => ({ ...row, id: String(row.version) }))}
        pagination={versions.pagination}
        rowLink={({ version }) => `/app/event-forms/versions/${form.id}?version=${version}`}
        empty="eventForms.empty"
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="sm" component="section" aria-labelledby="changes">
            <Title order={2} id="changes">
              {shown === before
                ? say('eventForms.firstVersion')
                : say({ key: 'eventForms.compare', values: { from: before, to: shown } })}
            </Title>
            {numbers.length > 0 && (
              <PickList
                label={say('eventForms.compareTo')}
                value={String(before)}
                onChange={(value) =>
                  void navigate({
                    to: '.',
                    search: withSearch({ version: shown, against: Number(value) }),
                    replace: true,
                    resetScroll: false,
                  })
                }
                data={numbers.map((version) => ({
                  value: String(version),
                  label: say({ key: 'eventForms.versionNumber', values: { number: version } }),
                }))}
                allowDeselect={false}
                maw="16rem"
              />
            )}
            {shown !== before && <ChangeList changes={changes} language={viewer.language} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="sm" component="section" aria-labelledby="shown">
            <Title order={2} id="shown">
              {say({ key: 'eventForms.versionNumber', values: { number: shown } })}
            </Title>
            <FormTryout key={shown} form={definition} language={viewer.language} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

const columns: Column<Row & { id: string }>[] = [
  {
    key: 'version',
    label: 'eventForms.version',
    cell: ({ version }) => <VersionNumber version={version} />,
  },
  {
    key: 'saved_at',
    label: 'eventForms.savedAt',
    cell: ({ saved_at }) => <Moment at={saved_at} />,
  },
  {
    key: 'saved_by',
    label: 'eventForms.savedBy',
    cell: ({ saved_by }) => <bdi>{saved_by ?? '—'}</bdi>,
  },
  { key: 'fields', label: 'eventForms.fields', cell: ({ fields }) => fields, align: 'end' },
  { key: 'answers', label: 'eventForms.answers', cell: ({ answers }) => answers, align: 'end' },
]

function VersionNumber({ version }: { version: number }) {
  return useSay()({ key: 'eventForms.versionNumber', values: { number: version } })
}

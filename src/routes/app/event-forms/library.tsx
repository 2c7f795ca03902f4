import { Button, Grid, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type OperationResult } from '~/client/api'
import { eventFormColumns } from '~/features/forms/event-forms/event-form'
import { FormTryout } from '~/features/forms/event-forms/builder/FormTryout'
import { PickSeveral } from '~/fields/PickList'
import { clinicsWhere, isAdmin, mayAnywhere } from '~/shared/actor'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { defineSearch, textParam } from '~/shared/search-params'
import { useAction } from '~/ui/action'
import { type Column, fieldColumns } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ show: textParam(100) })

export const Route = createFileRoute('/app/event-forms/library')({
  /** The form that is looked at. */
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'is_clinic_admin')),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { show }, context: { actor } }) => {
    const [starters, names] = await Promise.all([
      api.eventForms.starters({}),
      api.clinics.names({}),
    ])
    const shown = starters.find(({ id }) => id === show) ?? starters[0]
    const own = clinicsWhere(actor, 'is_clinic_admin')
    return {
      starters,
      shown,
      form: shown && (await api.eventForms.starter({ key: shown.id })),
      clinics: own === 'all' ? names : names.filter(({ id }) => own.includes(id)),
    }
  },
  pendingComponent: PageSkeleton,
  component: LibraryPage,
})

type Starter = OperationResult<'eventForms.starters'>[number]

function LibraryPage() {
  const { starters, shown, form } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const isChosen = Route.useSearch().show !== undefined
  const say = useSay()
  return (
    <Page
      title="eventForms.library"
      lead={say('eventForms.libraryLead')}
      crumbs={[{ label: 'eventForms.title', to: '/app/event-forms' }]}
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <DataTable
            label="eventForms.library"
            columns={columns}
            rows={starters}
            rowLink={({ id }) => `/app/event-forms/library?show=${id}`}
            nameOf={({ name }) => name}
            empty="eventForms.empty"
          />
        </Grid.Col>
        {/* on a phone the form that was chosen stands above the long list, not a dozen rows below it */}
        <Grid.Col span={{ base: 12, lg: 6 }} order={{ base: isChosen ? -1 : 0, lg: 0 }}>
          {shown && form && (
            <Stack
              gap="sm"
              component="section"
              aria-labelledby="shown"
              style={{ position: 'sticky', top: '4.5rem' }}
            >
              <Title order={2} id="shown">
                {shown.name}
              </Title>
              <Install key={shown.id} starter={shown} />
              <FormTryout key={`form ${shown.id}`} form={form} language={viewer.language} />
            </Stack>
          )}
        </Grid.Col>
      </Grid>
    </Page>
  )
}

const columns: Column<Starter>[] = [
  {
    key: 'name',
    label: 'eventForms.name',
    cell: ({ name, description }) => (
      <span>
        {name}
        <Text component="span" display="block" size="sm" c="dimmed" fw={400}>
          {description}
        </Text>
      </span>
    ),
  },
  ...fieldColumns({ fields: eventFormColumns.fields }),
]

/** For which clinics, and into the builder with it. */
function Install({ starter }: { starter: Starter }) {
  const { clinics } = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  const router = useRouter()
  const { run, pending } = useAction()
  const mayGiveToAll = isAdmin(actor)
  const [chosen, setChosen] = useState(() => (mayGiveToAll ? [] : clinics.map(({ id }) => id)))
  // chosen once, so that pressing twice makes one form
  const [id] = useState(newId)

  async function install() {
    const installed = await run(
      () => api.eventForms.installStarter({ key: starter.id, id, clinic_ids: chosen }),
      {
        success: { key: 'eventForms.installed', values: { name: starter.name } },
      },
    )
    if (installed)
      await router.navigate({ to: '/app/event-forms/edit/{-$formId}', params: { formId: id } })
  }

  return (
    <Stack gap="xs">
      <PickSeveral
        label={say('eventForms.clinics')}
        value={chosen}
        onChange={setChosen}
        data={clinics.map((clinic) => ({ value: clinic.id, label: clinic.name }))}
        placeholder={
          chosen.length > 0
            ? ''
            : say(mayGiveToAll ? 'eventForms.everyClinic' : 'formBuilder.chooseClinic')
        }
        searchable
        hidePickedOptions
        nothingFoundMessage={say('form.nothingFound')}
      />
      <Button
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => void install()}
        disabled={pending || (chosen.length === 0 && !mayGiveToAll)}
        style={{ alignSelf: 'start' }}
      >
        {say('eventForms.install')}
      </Button>
    </Stack>
  )
}

import { Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import type { ListedOverride } from '~/features/medicines/safety/overrides.server'
import { OverridesSheet } from '~/features/medicines/safety/overrides/OverridesSheet'
import { PickList } from '~/fields/PickList'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { day, id, defineSearch } from '~/shared/search-params'
import { dayIn } from '~/shared/zone'
import { GoToDay } from '~/ui/GoToDay'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperParams } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ ...paperParams, clinic: id, day })

export const Route = createFileRoute('/app/prescriptions/overrides-of-day')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) =>
    mayAnywhere(actor, 'is_clinic_admin', 'can_prescribe_medications'),
  ),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { language, clinic, day: askedDay }, context: { actor, viewer } }) => {
    if (language) await loadMessages(language)
    const on = askedDay ?? dayIn(new Date(), viewer.timeZone)
    const clinics = (await api.clinics.names({})).filter(
      ({ id: clinicId }) =>
        mayIn(actor, 'is_clinic_admin', clinicId) ||
        mayIn(actor, 'can_prescribe_medications', clinicId),
    )
    return { clinics, on, rows: await everyOverride(on, clinic) }
  },
  pendingComponent: PageSkeleton,
  component: OverridesOfDay,
})

/** All pages of the list: paper has no next one. */
async function everyOverride(
  onDay: string,
  clinicId: string | undefined,
): Promise<ListedOverride[]> {
  let all: ListedOverride[] = []
  for (let page = 1; ; page += 1) {
    const { rows, pagination } = await api.safety.overrides({
      state: 'all',
      clinicId,
      day: onDay,
      page,
    })
    all = [...all, ...rows]
    if (rows.length < pagination.pageSize) return all
  }
}

function OverridesOfDay() {
  const { clinics, on, rows } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  const choose = (values: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, ...values }), replace: true })
  const chosen = clinics.find(({ id: clinicId }) => clinicId === search.clinic)
  return (
    <PrintPage
      title="safety.overridesOfDay"
      lead={say('safety.overridesLead')}
      crumbs={[
        { label: 'prescriptions.title', to: '/app/prescriptions' },
        { label: 'safety.overrides', to: '/app/prescriptions/overrides' },
      ]}
      viewer={viewer}
      search={search}
      isLandscape
      patientIds={[...new Set(rows.flatMap(({ patient_id }) => patient_id ?? []))]}
      choices={
        <Group align="flex-start">
          <PickList
            label={say('clinics.one')}
            placeholder={say('users.allClinics')}
            value={search.clinic ?? null}
            onChange={(clinic) => choose({ clinic: clinic ?? undefined })}
            data={clinics.map(({ id: clinicId, name }) => ({ value: clinicId, label: name }))}
          />
          <GoToDay
            label={say('paper.day')}
            day={on}
            onGo={(chosenDay) => choose({ day: chosenDay })}
          />
        </Group>
      }
    >
      <OverridesSheet
        organization={viewer.organization}
        clinic={chosen?.name}
        day={on}
        rows={rows}
      />
    </PrintPage>
  )
}

import { Group } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { PROGRAM_CODES } from '~/features/care/programs/program-codes'
import { programName } from '~/features/care/programs/programs'
import { DayRegisterSheet, ProgramRegisterSheet } from '~/features/record/registers/RegisterSheets'
import { PickList } from '~/fields/PickList'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { day, id, oneOfOptions, defineSearch } from '~/shared/search-params'
import { dayIn } from '~/shared/zone'
import { EmptyState } from '~/ui/EmptyState'
import { loadMessages } from '~/ui/messages'
import { GoToDay } from '~/ui/GoToDay'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperParams } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

const readSearch = defineSearch({
  ...paperParams,
  clinic: id,
  day,
  // without one: the day's register
  program: oneOfOptions(PROGRAM_CODES),
})

export const Route = createFileRoute('/app/registers')({
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({
    deps: { language, clinic, program, day: askedDay },
    context: { actor, viewer },
  }) => {
    if (!mayAnywhere(actor, 'can_view_history')) throw forbidden()
    if (language) await loadMessages(language)
    const clinics = (await api.clinics.names({})).filter(({ id: clinicId }) =>
      mayIn(actor, 'can_view_history', clinicId),
    )
    const chosen =
      clinics.find(({ id: clinicId }) => clinicId === (clinic ?? actor.clinicId)) ??
      clinics[0] ??
      null
    const of = chosen && { clinicId: chosen.id }
    const on = askedDay ?? dayIn(new Date(), viewer.timeZone)
    return {
      clinics,
      chosen,
      on,
      ofProgram:
        of && program
          ? await api.registers.program({ ...of, program, language: language ?? viewer.language })
          : null,
      ofDay: of && !program ? await api.registers.day({ ...of, day: on }) : null,
    }
  },
  pendingComponent: PageSkeleton,
  component: RegistersPage,
})

function RegistersPage() {
  const { clinics, chosen, on, ofProgram, ofDay } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  const language = search.language ?? viewer.language
  const choose = (values: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, ...values }), replace: true })
  const rows = ofProgram?.rows ?? ofDay?.rows ?? []
  const isOfProgram = ofProgram && search.program
  const head = { organization: viewer.organization, clinic: chosen?.name ?? '' }
  return (
    <PrintPage
      title="paper.registers"
      lead={say('paper.registersLead')}
      viewer={viewer}
      search={search}
      isLandscape
      patientIds={[...new Set(rows.map(({ patient_id }) => patient_id))]}
      choices={
        <Group align="flex-start">
          <PickList
            label={say('clinics.one')}
            value={chosen?.id ?? null}
            onChange={(clinic) => clinic && choose({ clinic })}
            data={clinics.map(({ id: clinicId, name }) => ({ value: clinicId, label: name }))}
            allowDeselect={false}
          />
          <PickList
            label={say('paper.register')}
            value={search.program ?? 'day'}
            onChange={(value) =>
              choose({ program: value === 'day' ? undefined : (value ?? undefined) })
            }
            data={[
              { value: 'day', label: say('paper.dayRegister') },
              ...PROGRAM_CODES.map((value) => ({
                value,
                label: programName(value, viewer.language),
              })),
            ]}
            allowDeselect={false}
          />
          {!search.program && (
            <GoToDay
              label={say('paper.day')}
              day={on}
              onGo={(chosenDay) => choose({ day: chosenDay })}
            />
          )}
        </Group>
      }
    >
      {ofProgram && search.program && (
        <ProgramRegisterSheet
          {...head}
          program={search.program}
          language={language}
          rows={ofProgram.rows}
        />
      )}
      {!isOfProgram && ofDay && <DayRegisterSheet {...head} day={on} rows={ofDay.rows} />}
      {!isOfProgram && !ofDay && <EmptyState title="paper.registerEmpty" />}
    </PrintPage>
  )
}

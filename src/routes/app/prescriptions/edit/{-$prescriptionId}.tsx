import { Alert } from '@mantine/core'
import { IconLock, IconPrinter } from '@tabler/icons-react'
import { createFileRoute, linkOptions, useRouter } from '@tanstack/react-router'
import { id, defineSearch, textParam } from '~/shared/search-params'
import { toast } from '~/ui/toast'
import { useMemo, useState } from 'react'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { loadBanner } from '~/features/care/banner/load-banner'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import {
  itemsToPrescribe,
  medicinesToPrescribe,
} from '~/features/forms/events/filling/medicines-to-prescribe'
import { patientName } from '~/features/people/patients/patient'
import { FreeText } from '~/features/medicines/prescriptions/writing/FreeText'
import { PrescriptionForm } from '~/features/medicines/prescriptions/writing/PrescriptionForm'
import { isDispensingStatus } from '~/features/medicines/prescriptions/prescription'
import {
  toPrescriptionDraft,
  newItem,
  type PrescriptionDraft,
  repeatPrescription,
} from '~/features/medicines/prescriptions/writing/prescription-draft'
import { UnusualMark } from '~/features/medicines/prescriptions/PrescriptionStatus'
import { Arrived } from '~/features/medicines/safety/Arrived'
import type { PrescriptionStatus } from '~/records/prescription-status'
import { type Actor, mayAnywhere, mayIn } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { Beside } from '~/features/record/timeline/Beside'
import { asNotFound } from '~/ui/asNotFound'
import { useOwnId } from '~/ui/ownId'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

const readSearch = defineSearch({
  patientId: id,
  visitId: id,
  eventId: id,
  repeat: id,
  changes: textParam(300, 1),
})

export const Route = createFileRoute('/app/prescriptions/edit/{-$prescriptionId}')({
  /**
   * `patientId` and `visitId` fill a new one in, `eventId` with the medicines of a form; `repeat`
   * is an earlier one to write again, and `changes` a current medicine that the new one replaces.
   */
  validateSearch: readSearch,
  beforeLoad: ({ context: { actor }, params: { prescriptionId = 'new' } }) => {
    // users who dispense may read an existing one
    if (prescriptionId === 'new' && !mayAnywhere(actor, 'can_prescribe_medications'))
      throw forbidden()
  },
  loaderDeps: ({ search }) => search,
  gcTime: 0,
  loader: async ({ params: { prescriptionId = 'new' }, deps, context: { actor } }) => {
    const [clinics, found] = await Promise.all([
      api.clinics.names({}),
      prescriptionId === 'new' ? undefined : api.prescriptions.get({ id: prescriptionId }),
    ])
    if (found) {
      const banner = await loadBanner(found.patient_id)
      const start = toPrescriptionDraft(found)
      return {
        id: found.id,
        clinics,
        prescription: found,
        start,
        recorded: [],
        banner,
        replaces: undefined,
      }
    }
    const [recorded, start, changed] = await Promise.all([
      deps.eventId ? medicinesToPrescribe(deps.eventId) : [],
      newDraft(actor, deps, clinics),
      loadChanged(deps),
    ])
    const banner = start.patient ? await loadBanner(start.patient.id) : undefined
    return {
      id: newId(),
      clinics,
      prescription: undefined,
      start: changed ? { ...start, items: changed.items } : start,
      recorded,
      banner,
      replaces: changed?.replaces,
    }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: EditPrescriptionPage,
})

type Wanted = { patientId?: string; visitId?: string; repeat?: string; changes?: string }

/** A new prescription: by the user, for the user's clinic, for the patient of the address. */
async function newDraft(
  actor: Actor,
  wanted: Wanted,
  clinics: readonly { id: string }[],
): Promise<PrescriptionDraft> {
  if (wanted.repeat)
    return repeatPrescription(await api.prescriptions.get({ id: wanted.repeat }), actor.userId)
  const patient = wanted.patientId
    ? (await api.patients.get({ id: wanted.patientId })).patient
    : null
  const own = clinics.filter(({ id: clinicId }) =>
    mayIn(actor, 'can_prescribe_medications', clinicId),
  )
  return {
    patient: patient && { id: patient.id, name: patientName(patient) },
    provider_id: actor.userId,
    pickup_clinic_id:
      own.find(({ id: clinicId }) => clinicId === actor.clinicId)?.id ??
      (own.length === 1 ? own[0]!.id : null),
    visit_id: patient ? (wanted.visitId ?? null) : null,
    problem_id: null,
    priority: 'normal',
    status: 'pending',
    day: null,
    expiration_date: null,
    notes: '',
    // for a known patient the first medicine is there to be chosen
    items: patient ? [newItem()] : [],
  }
}

/** The current medicine that is being changed, and the items of the prescription that begins with it. */
async function loadChanged({ patientId, visitId, changes }: Wanted) {
  if (!patientId || !changes) return undefined
  const { rows } = await api.reconciliations.list({ patientId, visitId: visitId ?? null })
  const medicine = rows.find(({ id: line }) => line === changes)
  // it was stopped or changed meanwhile
  if (!medicine) return undefined
  const { id: line, name, instructions, prescriptionId } = medicine
  const before = prescriptionId ? await api.prescriptions.get({ id: prescriptionId }) : undefined
  const items = before
    ? repeatPrescription(
        { ...before, items: before.items.filter(({ id: item }) => item === line) },
        '',
      ).items
    : // the name and the dose as they were stand above the form: of another medicine they would be wrong
      [newItem()]
  return { items, replaces: { id: newId(), line, name, dose: instructions } }
}

function EditPrescriptionPage() {
  const {
    id: loaded,
    clinics,
    prescription,
    start: begun,
    recorded,
    banner,
    replaces: loadedReplaces,
  } = Route.useLoaderData()
  const [chosenId, setChosenId] = useState(begun.patient?.id ?? null)
  const { actor, viewer } = Route.useRouteContext()
  const search = Route.useSearch()
  const { patientId } = search
  const ownId = useOwnId(loaded, prescription ? null : search)
  // a screen that is read again after the old one was stopped still saves the one that takes its place
  const [first, setFirst] = useState({ id: ownId, replaces: loadedReplaces })
  if (first.id !== ownId) setFirst({ id: ownId, replaces: loadedReplaces })
  const { replaces } = first
  const say = useSay()
  const router = useRouter()
  // the ids of its items stay the same from one drawing to the next
  const start = useMemo(
    () => (recorded.length > 0 ? { ...begun, items: itemsToPrescribe(recorded, say) } : begun),
    [begun, recorded, say],
  )
  const back = patientId
    ? linkOptions({
        to: '/app/patients/$patientId',
        params: { patientId },
        search: { tab: 'prescriptions' },
      })
    : linkOptions({ to: '/app/prescriptions' })
  const mayChange = mayAnywhere(actor, 'can_prescribe_medications')
  const maySet = (status: PrescriptionStatus, clinicId: string | null) =>
    !isDispensingStatus(status) ||
    (clinicId !== null && mayIn(actor, 'can_dispense_medications', clinicId))
  return (
    <AboutPatient patientId={chosenId} loaded={banner}>
      <Page
        title={prescription ? 'prescriptions.edit' : 'prescriptions.new'}
        lead={prescription && <UnusualMark prescription={prescription} />}
        crumbs={[{ label: 'prescriptions.title', to: '/app/prescriptions' }]}
        actions={
          prescription && (
            <LinkButton
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              to="/app/prescriptions/print/$prescriptionId"
              params={{ prescriptionId: prescription.id }}
            >
              {say('prescriptions.print')}
            </LinkButton>
          )
        }
      >
        {!mayChange && (
          <Alert color="gray" icon={<IconLock size={18} aria-hidden />}>
            {say('prescriptions.readOnly')}
          </Alert>
        )}
        {prescription && <Arrived {...prescription} />}
        {prescription && <FreeText lines={prescription.freeText} />}
        {replaces && chosenId === patientId && (
          <Alert color="sanad">
            {say({ key: 'reconciliations.replaces', values: { name: replaces.name } })}
          </Alert>
        )}
        <PrescriptionForm
          // another one in the same place is another form
          key={ownId}
          id={ownId}
          start={start}
          onPatient={setChosenId}
          prescription={prescription}
          replacedId={chosenId === patientId ? replaces?.line : undefined}
          alwaysPrescribers={withProvider([{ id: actor.userId, name: actor.name }], prescription)}
          clinics={withClinic(clinics, prescription)}
          maySet={maySet}
          mayChange={mayChange}
          administers={(clinicId) => mayIn(actor, 'is_clinic_admin', clinicId)}
          mayRecord={mayAnywhere(actor, 'can_edit_records')}
          onSave={(given) =>
            saveAsking((confirmed) =>
              replaces && given.patient_id === patientId
                ? api.reconciliations.change({
                    id: ownId,
                    prescribed_at: null,
                    ...given,
                    confirmed,
                    replaces,
                  })
                : api.prescriptions.save({ id: ownId, prescribed_at: null, ...given, confirmed }),
            )
          }
          onSaved={async () => {
            await router.invalidate()
            toast.success(
              say(prescription ? 'prescriptions.updatedDone' : 'prescriptions.createdDone'),
            )
            await router.navigate(back)
          }}
          beside={
            chosenId && (
              <Beside
                patientId={chosenId}
                language={viewer.language}
                review={
                  mayAnywhere(actor, 'can_edit_records')
                    ? { visitId: chosenId === patientId ? (search.visitId ?? null) : null }
                    : undefined
                }
              />
            )
          }
          onStale={() => router.invalidate()}
          cancel={
            <LinkButton variant="default" {...back}>
              {say(mayChange ? 'common.cancel' : 'common.back')}
            </LinkButton>
          }
        />
      </Page>
    </AboutPatient>
  )
}

type Named = { id: string; name: string }
type Was = {
  provider_id: string | null
  provider: string | null
  pickup_clinic_id: string | null
  clinic: string | null
}

/** A provider who has left, or an archived clinic, is still shown. */
const withProvider = (users: readonly Named[], was: Was | undefined) =>
  withOne(users, was?.provider_id, was?.provider)
const withClinic = (clinics: readonly Named[], was: Was | undefined) =>
  withOne(clinics, was?.pickup_clinic_id, was?.clinic)
const withOne = (
  named: readonly Named[],
  clinicId: string | null | undefined,
  name: string | null | undefined,
) =>
  clinicId && name && !named.some((one) => one.id === clinicId)
    ? [...named, { id: clinicId, name }]
    : named

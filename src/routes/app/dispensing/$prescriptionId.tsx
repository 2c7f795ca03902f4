import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { loadBanner } from '~/features/care/banner/load-banner'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { AllergySummary } from '~/features/care/allergies/AllergyLine'
import { DispenseForm } from '~/features/medicines/dispensing/DispenseForm'
import { RecordsTable } from '~/features/medicines/dispensing/RecordsTable'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { PatientFactsLine } from '~/features/medicines/safety/PatientFactsLine'
import {
  PriorityText,
  PrescriptionStatusMenu,
} from '~/features/medicines/prescriptions/PrescriptionStatus'
import { maySetStatus } from '~/features/medicines/prescriptions/PrescriptionsTable'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { Day } from '~/ui/Day'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/dispensing/$prescriptionId')({
  loader: async ({ params: { prescriptionId } }) => {
    const prescription = await api.dispensing.get({ id: prescriptionId })
    return {
      prescription,
      banner: await loadBanner(prescription.patient_id),
    }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: DispensePage,
})

function DispensePage() {
  const { prescription, banner } = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  useLive('dispensing.get', 'patients.banner')
  const {
    id,
    patient,
    date_of_birth,
    birth_precision,
    clinic,
    provider,
    prescribed_at,
    priority,
    notes,
    is_expired,
  } = prescription
  return (
    <AboutPatient patientId={prescription.patient_id} loaded={banner}>
      <Page
        title={{ text: patient || '—' }}
        crumbs={[{ label: 'dispensing.title', to: '/app/dispensing' }]}
        lead={
          <>
            {date_of_birth && (
              <>
                {birth_precision === 'day' ? (
                  <>
                    {say('prescriptions.born')} <Day value={date_of_birth} />
                  </>
                ) : (
                  <PatientAge
                    patient={{ date_of_birth, metadata: withBirthPrecision(null, birth_precision) }}
                  />
                )}{' '}
                ·{' '}
              </>
            )}
            <bdi>{clinic}</bdi> · <bdi>{provider ?? '—'}</bdi> · <Moment at={prescribed_at} />
          </>
        }
        actions={
          <LinkButton
            variant="default"
            leftSection={<IconPrinter size={16} aria-hidden />}
            to="/app/prescriptions/print/$prescriptionId"
            params={{ prescriptionId: id }}
          >
            {say('prescriptions.print')}
          </LinkButton>
        }
      >
        <Group gap="md">
          <PrescriptionStatusMenu
            prescription={prescription}
            maySet={maySetStatus(actor, prescription.pickup_clinic_id)}
          />
          <PriorityText priority={priority} />
        </Group>
        {is_expired && <Alert color="red">{say('prescriptions.expired')}</Alert>}
        <AllergySummary allergies={prescription.allergies} />
        <PatientFactsLine facts={prescription.facts} />
        {notes && (
          <Text size="sm">
            {say('prescriptions.notes')}: <bdi>{notes}</bdi>
          </Text>
        )}
        <DispenseForm key={id} prescription={prescription} />
        {prescription.records.length > 0 && (
          <Stack gap="xs">
            <Title order={2}>{say('dispensing.history')}</Title>
            <RecordsTable rows={prescription.records} />
          </Stack>
        )}
      </Page>
    </AboutPatient>
  )
}

import { Group, Paper, Text, Timeline as Line, VisuallyHidden } from '@mantine/core'
import {
  IconClipboardText,
  IconHeartbeat,
  IconPill,
  IconStethoscope,
  IconVaccine,
  IconVirus,
} from '@tabler/icons-react'
import { LinkAnchor } from '~/client/links'
import { doseName } from '~/features/care/immunizations/PatientImmunizations'
import { VisitEvents } from '~/features/forms/events/VisitEvents'
import { StatusText } from '~/features/medicines/prescriptions/PrescriptionStatus'
import { problemName, ProblemStatus } from '~/features/care/problems/ProblemStatus'
import { VitalReadings } from '~/features/care/vitals/VitalReadings'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { EmptyState } from '~/ui/EmptyState'
import { Moment } from '~/ui/Moment'
import { type Pagination, Paging } from '~/ui/Paging'
import type { TimelineEntry } from './timeline.server'

const kinds = {
  visits: { label: 'visits.one', icon: IconStethoscope },
  patient_vitals: { label: 'vitals.one', icon: IconHeartbeat },
  patient_problems: { label: 'problems.one', icon: IconVirus },
  patient_immunizations: { label: 'immunizations.one', icon: IconVaccine },
  events: { label: 'events.one', icon: IconClipboardText },
  prescriptions: { label: 'prescriptions.one', icon: IconPill },
} as const

type Props = { rows: TimelineEntry[]; pagination: Pagination; language: Language }

/** Everything that happened, by date, newest first. */
export function Timeline({ rows, pagination, language }: Props) {
  const say = useSay()
  if (rows.length === 0) {
    return (
      <Paper withBorder>
        <EmptyState title="patientPage.timelineEmpty" />
      </Paper>
    )
  }
  return (
    <Paper withBorder>
      {/* the entries of forms have headings below it */}
      <VisuallyHidden component="h2">{say('patientPage.timeline')}</VisuallyHidden>
      <Line bulletSize={28} lineWidth={2} p="md" active={rows.length}>
        {rows.map((entry) => {
          const { label, icon: Icon } = kinds[entry.kind]
          return (
            <Line.Item
              key={`${entry.kind} ${entry.id}`}
              bullet={<Icon size={16} aria-hidden />}
              title={say(label)}
            >
              <Text size="xs" c="dimmed">
                {entry.immunization ? (
                  <Day value={entry.immunization.given_on} />
                ) : (
                  <Moment at={entry.at} dayOnly={entry.kind === 'patient_problems'} />
                )}
              </Text>
              <Told entry={entry} language={language} />
            </Line.Item>
          )
        })}
      </Line>
      {pagination.total > pagination.pageSize && <Paging {...pagination} />}
    </Paper>
  )
}

function Told({
  entry: { visit, vital, problem, immunization, event, prescription },
  language,
}: {
  entry: TimelineEntry
  language: Language
}) {
  const say = useSay()
  if (vital) return <VitalReadings vital={vital} />
  if (problem) {
    return (
      <Group gap="xs">
        <Text size="sm" component="bdi">
          {problemName(problem, language)}
        </Text>
        <ProblemStatus problem={problem} />
      </Group>
    )
  }
  if (immunization) {
    return (
      <Text size="sm">
        <bdi>{doseName(immunization, say)}</bdi>
        {immunization.clinic && (
          <>
            {' · '}
            <bdi>{immunization.clinic}</bdi>
          </>
        )}
      </Text>
    )
  }
  if (event) return <VisitEvents events={[event]} />
  if (prescription) {
    return (
      <Group gap="xs">
        <LinkAnchor
          size="sm"
          to="/app/prescriptions/edit/{-$prescriptionId}"
          params={{ prescriptionId: prescription.id }}
        >
          <bdi>{prescription.medications.join(', ') || '—'}</bdi>
        </LinkAnchor>
        <StatusText status={prescription.status} />
      </Group>
    )
  }
  if (!visit) return null
  return (
    <Text size="sm">
      <bdi>{visit.clinic}</bdi> · <bdi>{visit.provider_name || say('visits.noProvider')}</bdi>
      {visit.reason && <> · {visit.reason}</>}
    </Text>
  )
}

import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconPhone } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { LinkAnchor } from '~/client/links'
import { ProgramName } from '~/features/care/programs/Program'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { DialogAboutPatient } from '~/features/care/banner/PatientBanner'
import { patientName } from '~/features/people/patients/patient'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { parseSex } from '~/fields/sex'
import { type Actor, mayIn } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Day } from '~/ui/Day'
import { StatusBadge } from '~/ui/StatusBadge'
import { CallDialog } from './CallDialog'
import { CallResult } from './CallResult'
import { DueDays } from './DueDays'
import type { ListedFollowUp } from './followups.server'
import { MessageDialog } from './messages/MessageDialog'
import { MessageStateText } from './messages/MessageStateText'
import { useStepName } from '~/features/care/programs/StepName'

type Props = {
  rows: readonly ListedFollowUp[]
  today: string
  list: 'overdue' | 'due'
  actor: Actor
  empty: MessageKey
  emptyAction?: ReactNode
}

/** Patients who should have come: why, since when, and what the last call came to. */
export function FollowUpTable({ rows, today, list, actor, empty, emptyAction }: Props) {
  const say = useSay()
  const [calling, setCalling] = useState<ListedFollowUp | null>(null)
  const [writing, setWriting] = useState<ListedFollowUp | null>(null)
  const columns: Column<ListedFollowUp>[] = [
    { key: 'patient', label: 'followups.patient', card: 'title', cell: (row) => <Who row={row} /> },
    {
      key: 'due',
      label: 'followups.dueOn',
      cell: ({ due_on, overdue_from }) => (
        <DueDays dueOn={due_on} overdueFrom={overdue_from} today={today} />
      ),
    },
    { key: 'phone', label: 'followups.phone', cell: ({ phone }) => <Phone number={phone} /> },
    {
      key: 'reason',
      label: 'followups.reason',
      cell: (row) => <Reasons row={row} today={today} />,
    },
    {
      key: 'lastVisit',
      label: 'followups.lastVisit',
      cell: ({ care }) =>
        care?.last_visit_on || care?.pressure ? (
          <Stack gap={0}>
            {care.last_visit_on && (
              <Text size="sm">
                <Day value={care.last_visit_on} />
              </Text>
            )}
            {care.pressure && (
              <Text size="sm" c="dimmed">
                {say({ key: 'followups.pressure', values: { value: care.pressure } })}
              </Text>
            )}
          </Stack>
        ) : (
          <Nothing />
        ),
    },
    {
      key: 'lastCall',
      label: 'followups.lastResult',
      cell: ({ care }) => (care?.call ? <CallResult call={care.call} withCaller /> : <Nothing />),
    },
    ...(list === 'overdue'
      ? [
          {
            key: 'call',
            label: 'followups.contact',
            card: 'action',
            cell: (row) => (
              <Group gap="xs">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={say({
                    key: 'followups.recordOf',
                    values: { name: patientName(row) },
                  })}
                  onClick={() => setCalling(row)}
                >
                  {say('followups.record')}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={say({ key: 'messages.writeTo', values: { name: patientName(row) } })}
                  onClick={() => setWriting(row)}
                >
                  {say('messages.write')}
                </Button>
                {listedFor(row).map(
                  ({ id, message }) =>
                    message && <MessageStateText key={id} message={message} dayOnly />,
                )}
              </Group>
            ),
          } satisfies Column<ListedFollowUp>,
        ]
      : []),
  ]
  return (
    <>
      <DataTable
        label="followups.title"
        columns={columns}
        rows={rows}
        empty={empty}
        emptyAction={emptyAction}
      />
      {calling && (
        <DialogAboutPatient patientId={calling.patient_id}>
          <CallDialog
            patient={{ id: calling.patient_id, name: patientName(calling) }}
            programs={listedPrograms(calling)}
            today={today}
            mayEdit={mayIn(actor, 'can_edit_records', calling.clinic_id)}
            onClose={() => setCalling(null)}
          />
        </DialogAboutPatient>
      )}
      {writing && (
        <DialogAboutPatient patientId={writing.patient_id}>
          <MessageDialog
            patient={{ id: writing.patient_id, name: patientName(writing) }}
            programs={listedPrograms(writing)}
            onClose={() => setWriting(null)}
          />
        </DialogAboutPatient>
      )}
    </>
  )
}

/** The items that list a patient: the most urgent one, and those of other programs. */
const listedFor = (row: ListedFollowUp) => [row, ...row.others]

const listedPrograms = (row: ListedFollowUp) => listedFor(row).map(({ program }) => program)

function Who({ row }: { row: ListedFollowUp }) {
  const say = useSay()
  const { care, patient_id } = row
  const sex = care && parseSex(care.sex)
  return (
    <Stack gap={2} align="flex-start">
      <LinkAnchor size="sm" to="/app/patients/$patientId" params={{ patientId: patient_id }}>
        <bdi>{patientName(row)}</bdi>
      </LinkAnchor>
      {care && (
        <Text size="sm" c="dimmed">
          {sex && `${say(`patientPage.${sex}`)} · `}
          <PatientAge patient={care} />
        </Text>
      )}
      {care && <SecondIdentifier of={care.identifiers} />}
      {care?.camp && (
        <Text size="xs" c="dimmed">
          {say({ key: 'followups.camp', values: { camp: care.camp } })}
        </Text>
      )}
      {care?.is_high_risk && <StatusBadge tone="bad">{say('followups.highRisk')}</StatusBadge>}
    </Stack>
  )
}

/** A press calls the number. */
function Phone({ number }: { number: string | null }) {
  const say = useSay()
  if (!number?.trim())
    return (
      <Text size="sm" c="dimmed">
        {say('followups.noPhone')}
      </Text>
    )
  return (
    <Anchor href={`tel:${number.replaceAll(/[^\p{Nd}+]/gu, '')}`} size="sm" dir="ltr">
      <Group gap={6} wrap="nowrap" component="span" display="inline-flex">
        <IconPhone size={16} aria-hidden />
        {number}
      </Group>
    </Anchor>
  )
}

/** More than a line of doses is cut: the patient's page has them all. */
const STEPS_SHOWN = 3

/** Why the patient should come: the program of the date beside it, then the others with their dates. */
function Reasons({ row, today }: { row: ListedFollowUp; today: string }) {
  if (!row.care) return <Nothing />
  return (
    <Stack gap="xs">
      <Reason item={row} clinic={row.care.clinic} />
      {row.others.map((other) => (
        <Stack gap={0} key={other.id}>
          <Reason
            item={other}
            clinic={other.care.clinic === row.care?.clinic ? undefined : other.care.clinic}
          />
          <DueDays dueOn={other.due_on} overdueFrom={other.overdue_from} today={today} />
        </Stack>
      ))}
    </Stack>
  )
}

type Listed = ReturnType<typeof listedFor>[number]

/** `clinic`: unless it is that of the row. */
function Reason({
  item: { program, care },
  clinic,
}: {
  item: Listed
  clinic?: string | undefined
}) {
  const stepName = useStepName()
  const steps = care?.steps ?? []
  const more = steps.length - STEPS_SHOWN
  return (
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        <ProgramName code={program} />
      </Text>
      <Text size="sm" c="dimmed">
        {steps.slice(0, STEPS_SHOWN).map(stepName).join(' · ')}
        {more > 0 && <bdi> +{more}</bdi>}
      </Text>
      {clinic && (
        <Text size="xs" c="dimmed">
          <bdi>{clinic}</bdi>
        </Text>
      )}
    </Stack>
  )
}

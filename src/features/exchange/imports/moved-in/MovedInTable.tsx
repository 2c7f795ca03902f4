import { Button, Stack, Text } from '@mantine/core'
import { api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { SecondIdentifier } from '~/features/people/patients/card/SecondIdentifier'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import type { MovedInReview } from './moved-in.server'

type Props = { rows: readonly MovedInReview[]; pagination: Pagination }

/** The part of the patient's page where an entry is corrected. */
const TABS = {
  patient_problems: 'problems',
  patient_allergies: 'allergies',
  prescriptions: 'prescriptions',
  prescription_items: 'prescriptions',
} as const
const patientTab = (table: string) =>
  Object.hasOwn(TABS, table) ? TABS[table as keyof typeof TABS] : 'details'

/** What a clinician looks at after a move, with who has looked at it. */
export function MovedInTable({ rows, pagination }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const settle = (id: string, done: boolean) =>
    run(() => api.movedIn.settle({ id, done }), {
      success: done ? 'movedIn.doneToast' : 'movedIn.reopened',
      undo: () => api.movedIn.settle({ id, done: !done }),
    })
  const columns: Column<MovedInReview>[] = [
    {
      key: 'patient',
      card: 'title',
      label: 'movedIn.patient',
      cell: ({ patient, patient_id, table_name, identifiers }) => (
        <Stack gap={2} align="flex-start">
          <LinkAnchor
            size="sm"
            to="/app/patients/$patientId"
            params={{ patientId: patient_id }}
            search={{ tab: patientTab(table_name) }}
          >
            <bdi>{patient}</bdi>
          </LinkAnchor>
          <SecondIdentifier of={identifiers} />
        </Stack>
      ),
    },
    { key: 'what', label: 'movedIn.what', cell: ({ rule }) => say(`movedIn.rules.${rule}`) },
    {
      key: 'word',
      label: 'movedIn.word',
      cell: ({ word }) => (word ? <bdi>{word}</bdi> : <Nothing />),
    },
    {
      key: 'state',
      card: 'action',
      label: 'movedIn.state',
      cell: ({ id, patient, done_at, done_by }) =>
        done_at ? (
          <Stack gap={2} align="flex-start">
            <Moment at={done_at} />
            {done_by && (
              <Text size="xs">{say({ key: 'movedIn.doneBy', values: { who: done_by } })}</Text>
            )}
            <Button
              size="compact-sm"
              variant="subtle"
              disabled={pending}
              aria-label={`${say('movedIn.reopen')}: ${patient}`}
              onClick={() => void settle(id, false)}
            >
              {say('movedIn.reopen')}
            </Button>
          </Stack>
        ) : (
          <Button
            size="xs"
            variant="default"
            disabled={pending}
            aria-label={`${say('movedIn.markDone')}: ${patient}`}
            onClick={() => void settle(id, true)}
          >
            {say('movedIn.markDone')}
          </Button>
        ),
    },
  ]
  return (
    <DataTable
      label="movedIn.title"
      columns={columns}
      rows={rows}
      pagination={pagination}
      empty="movedIn.empty"
    />
  )
}

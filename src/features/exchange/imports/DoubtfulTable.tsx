import { Stack, Text, Title } from '@mantine/core'
import { LinkAnchor } from '~/client/links'
import { strengthText } from '~/features/people/patients/duplicates/duplicates'
import { patientName } from '~/features/people/patients/patient'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useComma } from '~/ui/comma'
import { DataTable } from '~/ui/DataTable'
import type { Doubtful } from './imports.server'

/** Rows that may be registered patients, each with the likeliest patient and the evidence. */
export function DoubtfulTable({ rows }: { rows: readonly Doubtful[] }) {
  const comma = useComma()
  const say = useSay()
  if (rows.length === 0) return null
  return (
    <Stack gap="xs">
      <div>
        <Title order={2} size="h3">
          {say('imports.doubtful')}
        </Title>
        <Text c="dimmed" size="sm">
          {say('imports.doubtfulLead')}
        </Text>
      </div>
      <DataTable
        label="imports.doubtful"
        rows={rows.map((row) => ({ ...row, id: String(row.line) }))}
        empty="imports.doubtful"
        columns={[
          { key: 'line', label: 'imports.line', align: 'end', cell: ({ line }) => line },
          {
            key: 'name',
            card: 'title',
            label: 'imports.inFile',
            cell: ({ name }) => <bdi>{name}</bdi>,
          },
          { key: 'who', label: 'imports.alreadyHere', cell: (row) => <Who row={row} /> },
          {
            key: 'strength',
            label: 'imports.strength',
            cell: ({ strength }) => say(strengthText(strength)),
          },
          {
            key: 'reasons',
            label: 'imports.reason',
            cell: ({ reasons }) =>
              reasons.map((reason) => say(`duplicates.${reason}` as MessageKey)).join(comma),
          },
        ]}
      />
    </Stack>
  )
}

const Who = ({ row }: { row: Doubtful }) => (
  <LinkAnchor to="/app/patients/$patientId" params={{ patientId: row.patient_id }}>
    <bdi>{patientName(row)}</bdi> {row.date_of_birth?.slice(0, 4)}
  </LinkAnchor>
)

import { List, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Changes } from './audit'
import type { listAudit } from './audit.functions'

type Trail = Awaited<ReturnType<typeof listAudit>>
type Entry = Trail['rows'][number]

/** Who changed what, when, from what to what and by which way in. */
export function AuditTable({ rows, pagination }: Trail) {
  const say = useSay()
  const columns: Column<Omit<Entry, 'id'> & { id: string }>[] = [
    { key: 'at', label: 'audit.when', cell: ({ at }) => <Moment at={at} seconds /> },
    { key: 'user', label: 'audit.who', cell: ({ user }) => <bdi>{user ?? say('audit.nobody')}</bdi> },
    {
      key: 'action',
      label: 'audit.what',
      cell: ({ action }) => (
        <Text size="sm" ff="monospace" dir="ltr">
          {action}
        </Text>
      ),
    },
    { key: 'via', label: 'audit.how', cell: ({ via }) => say(`audit.via_${via}`) },
    { key: 'clinic', label: 'clinics.one', cell: ({ clinic }) => <bdi>{clinic ?? '—'}</bdi> },
    { key: 'changes', label: 'audit.changes', cell: ({ changes }) => <ChangeList changes={changes} /> },
  ]
  return (
    <DataTable
      label="audit.title"
      columns={columns}
      rows={rows.map((row) => ({ ...row, id: String(row.id) }))}
      pagination={pagination}
      empty="audit.empty"
    />
  )
}

/** Column names are the record's own, as in the database: the trail is read by those who check it. */
function ChangeList({ changes }: { changes: Changes }) {
  return (
    <List size="xs" listStyleType="none" dir="ltr">
      {Object.entries(changes).map(([name, [before, after]]) => (
        <List.Item key={name}>
          <Text span size="xs" c="dimmed">
            {name}:{' '}
          </Text>
          {before !== null && (
            <Text span size="xs" td="line-through">
              <bdi>{asText(before)}</bdi>
            </Text>
          )}{' '}
          <bdi>{asText(after)}</bdi>
        </List.Item>
      ))}
    </List>
  )
}

const asText = (value: Changes[string][0]) =>
  value === null ? '—' : typeof value === 'string' ? value : JSON.stringify(value)

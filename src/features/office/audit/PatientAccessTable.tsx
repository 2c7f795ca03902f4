import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { AccessVia, AccessWords } from './AccessWords'
import type { PatientAccess } from './accesses.server'

type Props = {
  rows: readonly PatientAccess[]
  pagination: Pagination
  empty: MessageKey
  emptyAction?: ReactNode
}

/** Who saw the record of a patient: a row for what a user did within ten minutes. */
export function PatientAccessTable({ rows, pagination, empty, emptyAction }: Props) {
  const say = useSay()
  const columns: Column<PatientAccess & { id: string }>[] = [
    {
      key: 'until',
      card: 'badge',
      label: 'audit.when',
      cell: ({ until }) => <Moment at={until} />,
    },
    {
      key: 'user',
      card: 'title',
      label: 'audit.who',
      cell: ({ user, outcome }) => (
        <bdi>
          {say(
            outcome === 'lost'
              ? 'accesses.unknownUsers'
              : { text: user ?? say('audit.notSignedIn') },
          )}
        </bdi>
      ),
    },
    {
      key: 'did',
      label: 'accesses.did',
      cell: (row) => (
        <>
          <AccessWords {...row} />
          {row.outcome === 'lost' && <Text size="sm">{say('accesses.maybeThisPatient')}</Text>}
        </>
      ),
    },
    { key: 'via', label: 'audit.how', cell: (row) => <AccessVia {...row} /> },
  ]
  return (
    <DataTable
      label="accesses.ofPatient"
      columns={columns}
      rows={rows.map((row) => ({
        ...row,
        id: [
          row.user_id,
          row.via,
          row.outcome,
          row.app_password_id,
          row.hub_phone_id,
          row.chain_id,
          row.until,
        ].join(),
      }))}
      pagination={pagination}
      empty={empty}
      emptyAction={emptyAction}
    />
  )
}

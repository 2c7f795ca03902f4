import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { OperationResult } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import { AccessVia, AccessWords } from './AccessWords'
import type { ListedAccess } from './accesses.server'

type Props = OperationResult<'audit.accesses'> & { empty: MessageKey; emptyAction?: ReactNode }

/** The accesses: user, patients, time, and the way in. */
export function AccessTable({ rows, pagination, names, empty, emptyAction }: Props) {
  const say = useSay()
  const columns: Column<ListedAccess>[] = [
    { key: 'at', card: 'badge', label: 'audit.when', cell: ({ at }) => <Moment at={at} seconds /> },
    {
      key: 'user',
      card: 'badge',
      label: 'audit.who',
      cell: ({ user, outcome }) =>
        outcome === 'lost' ? <Nothing /> : <bdi>{user ?? say('audit.notSignedIn')}</bdi>,
    },
    {
      key: 'did',
      card: 'title',
      label: 'accesses.did',
      cell: ({ operation, ...entry }) => <AccessWords operations={[operation]} {...entry} />,
    },
    {
      key: 'patients',
      label: 'patients.title',
      cell: (entry) => <Patients {...entry} names={names} />,
    },
    {
      key: 'clinic',
      label: 'clinics.one',
      cell: ({ clinic }) => (clinic ? <bdi>{clinic}</bdi> : <Nothing />),
    },
    { key: 'via', label: 'audit.how', cell: (entry) => <AccessVia {...entry} /> },
  ]
  return (
    <DataTable
      label="accesses.title"
      columns={columns}
      rows={rows}
      pagination={pagination}
      empty={empty}
      emptyAction={emptyAction}
    />
  )
}

type Shown = Pick<ListedAccess, 'patientIds' | 'patients'> & { names: Record<string, string> }

function Patients({ patientIds, patients, names }: Shown) {
  const say = useSay()
  if (patients === 0) return <Nothing />
  const more = patients - patientIds.length
  return (
    <>
      {patientIds.map((id) => (
        <LinkAnchor
          key={id}
          display="block"
          w="fit-content"
          size="sm"
          to="/app/patients/$patientId"
          params={{ patientId: id }}
        >
          <bdi>{names[id] || say('patientSearch.unnamed')}</bdi>
        </LinkAnchor>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {say({ key: 'accesses.morePatients', values: { count: more } })}
        </Text>
      )}
    </>
  )
}

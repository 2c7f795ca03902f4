import { List, Menu, Text } from '@mantine/core'
import { IconArrowsSplit } from '@tabler/icons-react'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { listMerges } from './merge.server'

type Merges = Awaited<ReturnType<typeof listMerges>>
type Merge = Merges['rows'][number]

/** The merges that are not undone, the values that each did not keep, and a button to undo it. */
export function MergeList({ rows, pagination }: Merges) {
  const say = useSay()
  const { run } = useAction()

  async function takeApart({ id, winner, loser }: Merge) {
    const isMeant = await confirm({
      title: 'merge.unmergeTitle',
      text: { key: 'merge.unmergeText', values: { winner, loser } },
      action: 'merge.unmerge',
    })
    if (isMeant)
      await run(() => api.patients.unmerge({ mergeId: id }), { success: 'merge.unmerged' })
  }

  return (
    <DataTable
      label="merge.list"
      rows={rows}
      pagination={pagination}
      rowLink={({ winner_id }) => `/app/patients/${winner_id}`}
      nameOf={({ winner }) => winner}
      empty="merge.none"
      columns={[
        { key: 'winner', label: 'merge.winner', cell: ({ winner }) => <bdi>{winner}</bdi> },
        { key: 'loser', label: 'merge.loser', cell: ({ loser }) => <bdi>{loser}</bdi> },
        {
          key: 'merged_by',
          label: 'merge.mergedBy',
          cell: ({ merged_by }) => (merged_by ? <bdi>{merged_by}</bdi> : <Nothing />),
        },
        {
          key: 'merged_at',
          card: 'badge',
          label: 'merge.mergedAt',
          cell: ({ merged_at }) => <Moment at={merged_at} />,
        },
        { key: 'notKept', label: 'merge.notKept', cell: (merge) => <NotKept merge={merge} /> },
      ]}
      actions={(merge) => (
        <Menu.Item
          leftSection={<IconArrowsSplit size={16} aria-hidden />}
          onClick={() => void takeApart(merge)}
        >
          {say('merge.unmerge')}
        </Menu.Item>
      )}
    />
  )
}

function NotKept({ merge: { notKept } }: { merge: Merge }) {
  if (notKept.length === 0) return <Nothing />
  return (
    <List size="xs" listStyleType="none">
      {notKept.map(({ name, value }) => (
        <List.Item key={name}>
          <Text span size="xs" c="dimmed">
            {name}:{' '}
          </Text>
          <bdi>{String(value)}</bdi>
        </List.Item>
      ))}
    </List>
  )
}

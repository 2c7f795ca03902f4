import { Button, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { type OperationResult, api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import { RecordDialog } from '~/ui/RecordDialog'
import { rowMenu } from '~/ui/rowMenu'
import { AccountSection } from '../AccountSection'
import { renameFields } from '../session'
import { AppPasswordDialog } from './AppPasswordDialog'

type AppPassword = OperationResult<'appPasswords.list'>[number]

const columns: Column<AppPassword>[] = [
  { key: 'name', label: 'appPasswords.phone', cell: ({ name }) => <bdi>{name}</bdi> },
  {
    key: 'last_used_at',
    label: 'appPasswords.lastUsed',
    cell: ({ last_used_at }) => <LastUse at={last_used_at} />,
  },
  {
    key: 'last_address',
    label: 'sessions.address',
    cell: ({ last_address }) => (last_address ? <bdi>{last_address}</bdi> : <Nothing />),
  },
  {
    key: 'created_at',
    label: 'appPasswords.created',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
]

/** The phones that have a password of their own; each can be renamed and revoked. */
export function AppPasswords({ passwords }: { passwords: AppPassword[] }) {
  const say = useSay()
  const { run } = useAction()
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<AppPassword | null>(null)

  async function revoke({ id, name }: AppPassword) {
    const isSure = await confirm({
      title: { key: 'appPasswords.revokeTitle', values: { name } },
      text: 'appPasswords.revokeText',
      action: 'appPasswords.revoke',
      destructive: true,
    })
    if (isSure)
      await run(() => api.appPasswords.revoke({ id }), {
        success: { key: 'appPasswords.revoked', values: { name } },
      })
  }

  const add = <Button onClick={() => setAdding(true)}>{say('appPasswords.add')}</Button>
  return (
    <AccountSection title="appPasswords.title" lead={say('appPasswords.text')} aside={add}>
      <DataTable
        label="appPasswords.table"
        columns={columns}
        rows={passwords}
        empty="appPasswords.empty"
        nameOf={({ name }) => name}
        actions={rowMenu<AppPassword>([
          { label: 'appPasswords.rename', icon: IconPencil, run: setRenamed },
          { label: 'appPasswords.revoke', icon: IconTrash, run: revoke, destructive: true },
        ])}
      />
      {isAdding && <AppPasswordDialog onClose={() => setAdding(false)} />}
      {renamed && <RenameDialog password={renamed} onClose={() => setRenamed(null)} />}
    </AccountSection>
  )
}

function LastUse({ at }: { at: Date | null }) {
  const say = useSay()
  return at ? (
    <Moment at={at} />
  ) : (
    <Text size="sm" c="dimmed">
      {say('appPasswords.neverUsed')}
    </Text>
  )
}

function RenameDialog({ password, onClose }: { password: AppPassword; onClose: () => void }) {
  const { id, name, created_at } = password
  return (
    <RecordDialog
      title={{ key: 'appPasswords.renameTitle', values: { name } }}
      size="md"
      fields={renameFields}
      record={{ id, name, last_modified: created_at }}
      onSave={(values) => api.appPasswords.rename({ id, ...values })}
      saved={(values) => ({ key: 'appPasswords.renamed', values: { name: values.name } })}
      onClose={onClose}
    />
  )
}

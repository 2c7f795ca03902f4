import { Button, Code, Group, Text } from '@mantine/core'
import { IconBan, IconPlus } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type OperationResult } from '~/client/api'
import { ApiClientDialog } from '~/features/office/api-clients/ApiClientDialog'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { CopyText } from '~/ui/CopyText'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { refreshedRow } from '~/ui/newest'
import { Page } from '~/ui/Page'
import { editAction, rowMenu } from '~/ui/rowMenu'
import { StatusBadge } from '~/ui/StatusBadge'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/settings/api-clients')({
  beforeLoad: onlyFor(isAdmin),
  loader: async () => {
    const [clients, users] = await Promise.all([api.apiClients.list(), api.users.names({})])
    return { clients, users }
  },
  component: ApiClientsPage,
})

type Client = OperationResult<'apiClients.list'>[number]

const columns: Column<Client>[] = [
  { key: 'name', label: 'apiClients.name', cell: ({ name }) => <bdi>{name}</bdi> },
  {
    key: 'status',
    card: 'badge',
    label: 'apiClients.status',
    cell: (client) => <Status client={client} />,
  },
  { key: 'user', label: 'apiClients.user_id', cell: ({ user }) => <bdi>{user}</bdi> },
  {
    key: 'scopes',
    label: 'apiClients.scopes',
    cell: ({ scopes }) => (
      <Text size="sm" dir="ltr" style={{ overflowWrap: 'anywhere' }}>
        {scopes}
      </Text>
    ),
  },
  {
    key: 'last_token_at',
    label: 'apiClients.lastToken',
    cell: ({ last_token_at }) => (last_token_at ? <Moment at={last_token_at} /> : <Nothing />),
  },
  { key: 'id', label: 'apiClients.clientId', cell: ({ id }) => <ClientId id={id} /> },
]

function ApiClientsPage() {
  const { clients, users } = Route.useLoaderData()
  const say = useSay()
  const { run } = useAction()
  const [edited, setEdited] = useState<Client | 'new' | null>(null)
  useLive('apiClients.list', 'users.names')

  async function revoke({ id, name }: Client) {
    const isSure = await confirm({
      title: { key: 'apiClients.revokeTitle', values: { name } },
      text: 'apiClients.revokeText',
      action: 'apiClients.revoke',
      destructive: true,
    })
    if (isSure)
      await run(() => api.apiClients.revoke({ id }), {
        success: { key: 'apiClients.revokedDone', values: { name } },
      })
  }

  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {say('apiClients.add')}
    </Button>
  )
  return (
    <Page
      title="apiClients.title"
      lead={say('apiClients.lead')}
      actions={clients.length > 0 && add}
    >
      <DataTable
        label="apiClients.title"
        columns={columns}
        rows={clients}
        nameOf={({ name }) => name}
        empty="apiClients.empty"
        emptyAction={add}
        actions={rowMenu<Client>([
          editAction(setEdited),
          {
            label: 'apiClients.revoke',
            icon: IconBan,
            run: revoke,
            destructive: true,
            isFor: ({ is_active }) => is_active,
          },
        ])}
      />
      {edited && (
        <ApiClientDialog
          client={edited === 'new' ? undefined : refreshedRow(clients, edited)}
          users={users}
          onClose={() => setEdited(null)}
        />
      )}
    </Page>
  )
}

function Status({ client: { is_active, is_user_deleted } }: { client: Client }) {
  const say = useSay()
  if (is_active && is_user_deleted)
    return <StatusBadge tone="warning">{say('apiClients.userDeleted')}</StatusBadge>
  return (
    <StatusBadge tone={is_active ? 'good' : 'quiet'}>
      {say(is_active ? 'apiClients.active' : 'apiClients.revoked')}
    </StatusBadge>
  )
}

/** What the program's operator enters beside its key. */
const ClientId = ({ id }: { id: string }) => (
  <Group gap="xs" wrap="nowrap">
    <Code dir="ltr">{id}</Code>
    <CopyText value={id} size="compact-xs" />
  </Group>
)

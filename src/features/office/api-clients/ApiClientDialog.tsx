import { api } from '~/client/api'
import { apiClientRecord } from '~/records/api-client'
import { RecordDialog } from '~/ui/RecordDialog'
import type { ApiClient } from './api-clients.server'

type Props = {
  client: ApiClient | undefined
  users: readonly { id: string; name: string }[]
  onClose: () => void
}

/** Adds a program, or changes one. */
export function ApiClientDialog({ client, users, onClose }: Props) {
  const isListed = users.some(({ id }) => id === client?.user_id)
  const kept = client && !isListed ? [{ id: client.user_id, name: client.user }] : []
  return (
    <RecordDialog
      title={client ? 'apiClients.edit' : 'apiClients.add'}
      fields={apiClientRecord.fields}
      record={client}
      suggested={{ is_active: true }}
      options={{
        user_id: [...kept, ...users].map(({ id, name }) => ({ value: id, label: { text: name } })),
      }}
      onSave={(values, version) => api.apiClients.save({ ...values, ...version })}
      saved={({ name }) =>
        client ? 'common.saved' : { key: 'apiClients.addedDone', values: { name } }
      }
      onClose={onClose}
    />
  )
}

import { Text } from '@mantine/core'
import { IconBan, IconDeviceMobileDown, IconPlugConnected } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { api, type OperationResult } from '~/client/api'
import { shortKey } from '~/features/office/hub/hub'
import { PhoneTabs } from '~/features/office/devices/PhoneTabs'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { page, defineSearch } from '~/shared/search-params'
import { useAction } from '~/ui/action'
import { TIME_OF_DAY } from '~/ui/clock'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { listParams } from '~/ui/listSearch'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { rowMenu } from '~/ui/rowMenu'
import { SearchBox } from '~/ui/SearchBox'
import { StatusBadge } from '~/ui/StatusBadge'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ search: listParams.search, page })

export const Route = createFileRoute('/app/settings/phones')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'is_clinic_admin')),
  loaderDeps: ({ search: { search, page: pageNumber } }) => ({ search, page: pageNumber }),
  loader: ({ deps }) => api.devices.list(deps),
  component: PhonesPage,
})

type Phone = OperationResult<'devices.list'>['rows'][number]

const columns: Column<Phone>[] = [
  { key: 'name', label: 'devices.person', cell: (phone) => <WhoseAndWhat phone={phone} /> },
  { key: 'connection', label: 'hub.connection', cell: (phone) => <Connection phone={phone} /> },
  {
    key: 'last_pull_at',
    label: 'devices.lastPull',
    cell: (phone) => <LastPull phone={phone} />,
  },
  {
    key: 'last_push_at',
    label: 'devices.lastPush',
    cell: (phone) => <LastPush phone={phone} />,
  },
  { key: 'rows', label: 'devices.rows', cell: (phone) => <Rows phone={phone} />, align: 'end' },
  { key: 'refused', label: 'devices.refusedShort', cell: ({ refused }) => refused, align: 'end' },
  {
    key: 'conflicts',
    label: 'devices.conflictsShort',
    cell: ({ conflicts }) => conflicts,
    align: 'end',
  },
  { key: 'quotas', label: 'devices.quotas', cell: (phone) => <Quotas phone={phone} /> },
]

function PhonesPage() {
  const { rows, pagination } = Route.useLoaderData()
  const say = useSay()
  const { run } = useAction()
  useLive('devices.list')

  async function revoke({ hub_phone_id: id, name }: Phone) {
    const isSure = await confirm({
      title: { key: 'hub.revokeTitle', values: { name } },
      text: 'hub.revokeText',
      action: 'hub.revoke',
      destructive: true,
    })
    if (isSure && id)
      await run(() => api.hub.revoke({ id }), { success: { key: 'hub.revoked', values: { name } } })
  }

  async function allow({ hub_phone_id: id, name }: Phone) {
    if (id)
      await run(() => api.hub.allow({ id }), { success: { key: 'hub.allowed', values: { name } } })
  }

  async function giveState({ id, name }: Phone) {
    const isSure = await confirm({
      title: { key: 'devices.giveStateTitle', values: { name } },
      text: 'devices.giveStateText',
      action: 'devices.giveState',
      destructive: true,
    })
    if (isSure)
      await run(() => api.devices.giveState({ id }), {
        success: { key: 'devices.stateGiven', values: { name } },
      })
  }

  return (
    <Page title="devices.title" lead={say('devices.lead')}>
      <PhoneTabs current="/app/settings/phones" isAdministrator />
      <SearchBox label="devices.search" />
      <DataTable
        label="devices.title"
        columns={columns}
        rows={rows}
        pagination={pagination}
        empty="devices.empty"
        nameOf={({ name }) => name}
        actions={rowMenu<Phone>([
          {
            label: 'devices.giveState',
            icon: IconDeviceMobileDown,
            run: giveState,
            destructive: true,
            isFor: ({ may_give, since_restore }) => may_give && since_restore === 'waits',
          },
          {
            label: 'hub.revoke',
            icon: IconBan,
            run: revoke,
            destructive: true,
            isFor: ({ may_revoke, hub_revoked_at }) => may_revoke && !hub_revoked_at,
          },
          {
            label: 'hub.allow',
            icon: IconPlugConnected,
            run: allow,
            isFor: ({ may_revoke, hub_revoked_at }) => may_revoke && !!hub_revoked_at,
          },
        ])}
      />
    </Page>
  )
}

/** A phone that had synced after the restored backup may hold what the server lost. */
function LastPull({ phone: { last_pull_at, since_restore } }: { phone: Phone }) {
  const say = useSay()
  return (
    <>
      <At at={last_pull_at} />
      {since_restore && (
        <StatusBadge tone={since_restore === 'waits' ? 'warning' : 'plain'} isLong>
          {say(
            since_restore === 'waits' ? 'devices.waitsSinceRestore' : 'devices.willReceiveState',
          )}
        </StatusBadge>
      )}
    </>
  )
}

/** A push that was too large: the phone keeps its rows until the limit is raised. */
function LastPush({ phone: { last_push_at, refused_bytes, refused_at } }: { phone: Phone }) {
  const say = useSay()
  return (
    <>
      <At at={last_push_at} />
      {refused_bytes !== null && refused_at && (
        <Text size="xs" c="red" component="div">
          {say({
            key: 'devices.pushTooLarge',
            values: { megabytes: Math.ceil(refused_bytes / 1024 / 1024) },
          })}{' '}
          <Moment at={refused_at} />
        </Text>
      )}
    </>
  )
}

/** In two lines: seven other columns need the width. */
function At({ at }: { at: Date | null }) {
  const format = useFormatter()
  if (!at) return <Nothing />
  return (
    <>
      <Moment at={at} dayOnly />
      <Text size="xs" c="dimmed" component="div">
        {format.dateTime(at, TIME_OF_DAY)}
      </Text>
    </>
  )
}

/** The key is that of the last connection: the app makes a new one for each. */
function Connection({ phone }: { phone: Phone }) {
  const { hub_phone_id, hub_key, hub_revoked_at, address } = phone
  const say = useSay()
  return (
    <>
      <Text size="sm">{say(hub_phone_id ? 'hub.byNetwork' : 'hub.byAddress')}</Text>
      {address && (
        <Text size="xs" c="dimmed">
          <bdi dir="ltr">{address}</bdi>
        </Text>
      )}
      {hub_key && (
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {say({ key: 'hub.phoneKey', values: { key: shortKey(hub_key) } })}
        </Text>
      )}
      {hub_revoked_at && <StatusBadge tone="bad">{say('hub.isRevoked')}</StatusBadge>}
    </>
  )
}

function Rows({ phone: { rows_pulled, rows_pushed } }: { phone: Phone }) {
  const format = useFormatter()
  return (
    <bdi dir="ltr">
      {format.number(rows_pulled)} / {format.number(rows_pushed)}
    </bdi>
  )
}

/** Almost full, or with entries that were not stored: an administrator should look. */
const HIGH = 0.8

function Quotas({ phone: { quotas } }: { phone: Phone }) {
  const say = useSay()
  const { quarantine, logs, logsDropped } = quotas
  const isHigh = quarantine >= HIGH || logs >= HIGH || logsDropped > 0
  return (
    <>
      <Text size="sm" c={isHigh ? 'red' : undefined}>
        {say({ key: 'devices.quotaShares', values: { quarantine, logs } })}
      </Text>
      {logsDropped > 0 && (
        <Text size="xs" c="red">
          {say({ key: 'devices.logsDropped', values: { count: logsDropped } })}
        </Text>
      )}
    </>
  )
}

/** Without an app password, a phone that syncs has a number, in the order in which the phones were first seen. */
function WhoseAndWhat({ phone }: { phone: Phone }) {
  const { name, phone_name, number, schema_version, user_agent } = phone
  const say = useSay()
  return (
    <>
      <bdi>{name}</bdi>
      {(phone_name ?? number) !== null && (
        <Text size="sm">
          <bdi>
            {phone_name ?? say({ key: 'devices.phoneNumber', values: { number: number ?? 0 } })}
          </bdi>
        </Text>
      )}
      {schema_version && (
        <Text size="xs" c="dimmed" title={user_agent ?? undefined}>
          {say({ key: 'devices.schema', values: { version: schema_version } })}
        </Text>
      )}
    </>
  )
}

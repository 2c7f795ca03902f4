import { Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkButton } from '~/client/links'
import { api, type OperationResult } from '~/client/api'
import { AskForPasswords } from '~/features/office/users/AskForPasswords'
import { mayManageUsers, mayReadUsers } from '~/features/office/users/reach'
import { ResetPasswordDialog } from '~/features/office/users/ResetPasswordDialog'
import { userSearch } from '~/features/office/users/user-search'
import { hasActions, UserActions } from '~/features/office/users/UserActions'
import { UserFilters } from '~/features/office/users/UserFilters'
import { userRecord } from '~/records/user'
import { isSuperAdmin, mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { type Column, fieldColumns } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { PersonAvatar } from '~/ui/PersonAvatar'
import { SaveAsFile } from '~/ui/SaveAsFile'
import { StatusBadge } from '~/ui/StatusBadge'
import { ClearFilters } from '~/ui/filters'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/users/')({
  validateSearch: userSearch,
  beforeLoad: onlyFor(mayReadUsers),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { clinic, ...rest } }) => {
    const [users, clinics] = await Promise.all([
      api.users.list({ ...rest, clinicId: clinic }),
      api.clinics.names({}),
    ])
    return { ...users, clinics }
  },
  component: UsersPage,
})

type User = OperationResult<'users.list'>['rows'][number]

function UsersPage() {
  const { rows, pagination, clinics } = Route.useLoaderData()
  const say = useSay()
  const { search, role, clinic } = Route.useSearch()
  const { actor, viewer } = Route.useRouteContext()
  const [resetting, setResetting] = useState<User | null>(null)
  useLive('users.list', 'clinics.names')
  const isFiltered = Boolean(role || clinic)
  return (
    <Page
      title="users.title"
      actions={
        <>
          {mayAnywhere(actor, 'can_download_patient_reports') && (
            <SaveAsFile
              from="/api/users/export"
              filter={{ search, role, clinicId: clinic }}
              language={viewer.language}
              name={say('users.title')}
            />
          )}
          {isSuperAdmin(actor) && <AskForPasswords />}
          {mayManageUsers(actor) && <AddUser />}
        </>
      }
    >
      <UserFilters role={role} clinic={clinic} clinics={clinics} />
      <DataTable
        label="users.title"
        columns={columnsFor(actor.userId)}
        rows={rows}
        pagination={pagination}
        rowLink={({ id }) => `/app/users/edit/${id}`}
        nameOf={({ name }) => name}
        actions={(user) =>
          hasActions(user.may) && (
            <UserActions user={user} may={user.may} onResetPassword={() => setResetting(user)} />
          )
        }
        empty={isFiltered ? 'users.noMatch' : 'users.empty'}
        emptyAction={
          isFiltered ? (
            <ClearFilters filters={['role', 'clinic']} />
          ) : (
            mayManageUsers(actor) && <AddUser />
          )
        }
      />
      {resetting && <ResetPasswordDialog user={resetting} onClose={() => setResetting(null)} />}
    </Page>
  )
}

const columnsFor = (viewerId: string): Column<User>[] => [
  {
    key: 'name',
    label: 'users.name',
    sortable: true,
    cell: (user) => <Name user={user} isViewer={user.id === viewerId} />,
  },
  {
    key: 'role',
    card: 'badge',
    label: 'users.role',
    sortable: true,
    cell: ({ role }) => <RoleName role={role} />,
  },
  ...fieldColumns(userRecord.fields, ['email'], { sortable: ['email'] }),
  { key: 'clinics', label: 'users.clinics', cell: (user) => <Clinics user={user} /> },
  {
    key: 'last_sign_in',
    label: 'users.lastSignIn',
    cell: (user) => <LastSignIn at={user.last_sign_in} />,
  },
]

function Name({ user, isViewer }: { user: User; isViewer: boolean }) {
  const say = useSay()
  return (
    <Group component="span" gap="xs" wrap="nowrap">
      <PersonAvatar name={user.name} size="sm" />
      {/* in one line of text, so that a narrow screen puts the badge below the name */}
      <span>
        <bdi>{user.name}</bdi>{' '}
        {isViewer && <StatusBadge tone="quiet">{say('users.you')}</StatusBadge>}
        {user.password_to_replace && (
          <StatusBadge tone="warning" isLong>
            {say('users.passwordToReplace')}
          </StatusBadge>
        )}
      </span>
    </Group>
  )
}

const RoleName = ({ role }: Pick<User, 'role'>) => useSay()(`roles.${role}`)

function Clinics({ user }: { user: User }) {
  const say = useSay()
  if (user.role === 'admin' || user.role === 'super_admin') return say('users.allClinics')
  if (user.clinics.length === 0)
    return (
      <Text span fz="inherit" c="dimmed">
        {say('users.noClinic')}
      </Text>
    )
  return user.clinics.map(({ id, name }, index) => (
    <span key={id}>
      {index > 0 && ' · '}
      <bdi>{name}</bdi>
    </span>
  ))
}

function LastSignIn({ at }: { at: Date | null }) {
  const say = useSay()
  return at ? (
    <Moment at={at} />
  ) : (
    <Text span fz="inherit" c="dimmed">
      {say('users.never')}
    </Text>
  )
}

function AddUser() {
  const say = useSay()
  return (
    <LinkButton
      leftSection={<IconPlus size={16} aria-hidden />}
      to="/app/users/edit/{-$userId}"
      params={{ userId: 'new' }}
    >
      {say('users.add')}
    </LinkButton>
  )
}

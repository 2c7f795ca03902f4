import { Alert } from '@mantine/core'
import { createFileRoute, redirect } from '@tanstack/react-router'
import { api } from '~/client/api'
import { PermissionCards } from '~/features/office/users/PermissionCards'
import { isUserId } from '~/features/office/users/user'
import { isSuperAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/users/manage-permissions/{-$userId}')({
  beforeLoad: ({ context }) => {
    if (!isSuperAdmin(context.actor)) throw redirect({ to: '/app', replace: true })
  },
  gcTime: 0,
  loader: async ({ params: { userId } }) => {
    const found = isUserId(userId) ? await api.users.find({ id: userId }) : null
    if (!found) throw redirect({ to: '/app/users', replace: true })
    const { user } = found
    const [rows, clinics] = await Promise.all([
      api.permissions.list({ userId: user.id }),
      api.clinics.names({}),
    ])
    return { user, rows, clinics }
  },
  pendingComponent: PageSkeleton,
  component: PermissionsPage,
})

function PermissionsPage() {
  const { user, rows, clinics } = Route.useLoaderData()
  const say = useSay()
  const values = { name: user.name }
  return (
    <Page
      title={{ key: 'permissions.of', values }}
      lead={say(`roles.${user.role}`)}
      crumbs={[
        { label: 'users.title', to: '/app/users' },
        { label: { text: user.name }, to: `/app/users/edit/${user.id}` },
      ]}
    >
      {user.role === 'admin' || user.role === 'super_admin' ? (
        <Alert color="gray" title={say('permissions.byRole')}>
          {say({ key: 'permissions.byRoleText', values })}
        </Alert>
      ) : (
        <PermissionCards key={user.id} {...{ user, rows, clinics }} />
      )}
    </Page>
  )
}

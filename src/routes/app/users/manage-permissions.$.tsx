import { Alert } from '@mantine/core'
import { createFileRoute, redirect } from '@tanstack/react-router'
import { listClinicNames } from '~/features/clinics/clinics.functions'
import { PermissionCards } from '~/features/users/PermissionCards'
import { getUser, listPermissions } from '~/features/users/users.functions'
import { isSuperAdmin } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/users/manage-permissions/$')({
  beforeLoad: ({ context }) => {
    if (!isSuperAdmin(context.actor)) throw redirect({ to: '/app', replace: true })
  },
  loader: async ({ params: { _splat } }) => {
    if (!_splat) throw redirect({ to: '/app/users', replace: true })
    const [{ user }, rows, clinics] = await Promise.all([
      getUser({ data: { id: _splat } }).catch(backToList),
      listPermissions({ data: { userId: _splat } }).catch(backToList),
      listClinicNames({ data: {} }),
    ])
    return { user, rows, clinics }
  },
  pendingComponent: PageSkeleton,
  component: PermissionsPage,
})

/** An unknown person leads back to the list, as specified. */
function backToList(error: unknown): never {
  if (error instanceof AppError && ['not_found', 'invalid'].includes(error.code)) {
    throw redirect({ to: '/app/users', replace: true })
  }
  throw error
}

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

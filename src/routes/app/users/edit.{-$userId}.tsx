import { Alert } from '@mantine/core'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { api, type OperationResult } from '~/client/api'
import { mayManageUsers, mayReadUsers, rolesToGive } from '~/features/office/users/reach'
import { hasActions, UserActionsButton } from '~/features/office/users/UserActions'
import { PasswordToReplace } from '~/features/office/users/PasswordToReplace'
import { isUserId } from '~/features/office/users/user'
import { UserForm } from '~/features/office/users/UserForm'
import { userRecord } from '~/records/user'
import { isAdmin, mayIn } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { fieldColumns } from '~/ui/columns'
import { Details } from '~/ui/Details'
import { useOwnId } from '~/ui/ownId'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/users/edit/{-$userId}')({
  beforeLoad: ({ context: { actor }, params: { userId = 'new' } }) => {
    const isAllowed = userId === 'new' ? mayManageUsers(actor) : mayReadUsers(actor)
    if (!isAllowed) throw forbidden()
  },
  gcTime: 0,
  loader: async ({ params: { userId = 'new' } }) => {
    const clinics = api.clinics.names({})
    if (userId === 'new') return { id: newId(), found: undefined, clinics: await clinics }
    // an id that is none, or that leads nowhere, is a page that isn't there
    const found = isUserId(userId) ? await api.users.find({ id: userId }) : null
    if (!found) throw notFound()
    return { id: userId, found, clinics: await clinics }
  },
  pendingComponent: PageSkeleton,
  component: EditUserPage,
})

function EditUserPage() {
  const { id: loaded, found, clinics } = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const id = useOwnId(loaded, found ? null : {})
  const crumbs = [{ label: 'users.title', to: '/app/users' } as const]
  // a user may stay in the present clinic; only administrators of another clinic add the user there
  const offered = clinics.filter(
    (clinic) =>
      isAdmin(actor) ||
      mayIn(actor, 'is_clinic_admin', clinic.id) ||
      clinic.id === found?.user.clinic_id,
  )
  if (!found) {
    return (
      <Page narrow title="users.add" crumbs={crumbs}>
        <UserForm key={id} id={id} user={undefined} roles={rolesToGive(actor)} clinics={offered} />
      </Page>
    )
  }
  const { user, may, roles } = found
  return (
    <Page
      narrow
      title={may.edit ? 'users.edit' : { text: user.name }}
      crumbs={crumbs}
      lead={may.edit && <bdi>{user.name}</bdi>}
      actions={hasActions({ ...may, edit: false }) && <UserActionsButton user={user} may={may} />}
    >
      {user.password_to_replace && <PasswordToReplace phonesUntil={user.phones_until} />}
      {may.edit ? (
        <UserForm key={id} id={id} user={user} roles={roles} clinics={offered} />
      ) : (
        <ReadOnly user={user} clinics={clinics} />
      )}
    </Page>
  )
}

type Found = OperationResult<'users.get'>['user']

function ReadOnly({
  user,
  clinics,
}: {
  user: Found
  clinics: readonly { id: string; name: string }[]
}) {
  const say = useSay()
  const options = {
    clinic_id: clinics.map(({ id, name }) => ({ value: id, label: { text: name } })),
  }
  return (
    <>
      <Alert color="gray">{say('users.readOnly')}</Alert>
      <Details row={user} columns={fieldColumns(userRecord.fields, undefined, { options })} />
    </>
  )
}

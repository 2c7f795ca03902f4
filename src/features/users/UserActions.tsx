import { ActionIcon, Menu } from '@mantine/core'
import {
  IconDotsVertical,
  IconKey,
  IconPencil,
  IconShieldLock,
  IconTrash,
} from '@tabler/icons-react'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { ResetPasswordDialog } from './ResetPasswordDialog'
import { deleteUser } from './users.functions'
import type { MayDo } from './users.server'

type Props = {
  user: { id: string; name: string }
  may: MayDo
  /** The dialog has to outlive the menu, so whoever draws the menu draws it too. */
  onResetPassword: () => void
  withEdit?: boolean
}

/** What can be done with a person, as items of a menu. */
export function UserActions({ user: { id, name }, may, onResetPassword, withEdit = true }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run } = useAction()

  async function remove() {
    const isMeant = await confirm({
      title: { key: 'users.deleteTitle', values: { name } },
      text: { key: 'users.deleteText', values: { name } },
      action: 'users.delete',
      destructive: true,
    })
    if (!isMeant) return
    await run(
      async () => {
        const deleted = await deleteUser({ data: { id } })
        await router.navigate({
          to: '/app/users',
          search: (current) => (withEdit ? current : {}) as never,
        })
        return deleted
      },
      {
        success: { key: 'users.deleted', values: { name } },
        undo: may.undoDelete
          ? ({ deletionId }) => restoreDeletion({ data: { id: deletionId } })
          : undefined,
      },
    )
  }

  return (
    <>
      {withEdit && may.edit && (
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/app/users/edit/$" params={{ _splat: id }} {...props} />}
        >
          {say('common.edit')}
        </Menu.Item>
      )}
      {may.managePermissions && (
        <Menu.Item
          leftSection={<IconShieldLock size={16} aria-hidden />}
          renderRoot={(props) => (
            <Link to="/app/users/manage-permissions/$" params={{ _splat: id }} {...props} />
          )}
        >
          {say('users.managePermissions')}
        </Menu.Item>
      )}
      {may.resetPassword && (
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={onResetPassword}>
          {say('users.resetPassword')}
        </Menu.Item>
      )}
      {may.delete && (
        <>
          <Menu.Divider />
          <Menu.Item
            color="red"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={remove}
          >
            {say('users.delete')}
          </Menu.Item>
        </>
      )}
    </>
  )
}

/** Nothing to offer: no menu. */
export const hasActions = ({ edit, resetPassword, managePermissions }: MayDo) =>
  edit || resetPassword || managePermissions

export function UserActionsButton({ user, may }: Pick<Props, 'user' | 'may'>) {
  const say = useSay()
  const [isResetting, setIsResetting] = useState(false)
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label={say({ key: 'table.actionsFor', values: { name: user.name } })}
          >
            <IconDotsVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <UserActions
            {...{ user, may }}
            withEdit={false}
            onResetPassword={() => setIsResetting(true)}
          />
        </Menu.Dropdown>
      </Menu>
      {isResetting && <ResetPasswordDialog user={user} onClose={() => setIsResetting(false)} />}
    </>
  )
}

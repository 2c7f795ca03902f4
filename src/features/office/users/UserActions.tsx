import { Menu } from '@mantine/core'
import { IconKey, IconPencil, IconShieldLock, IconUrgent } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { onlySearch } from '~/ui/search'
import { type OperationResult, api } from '~/client/api'
import { LinkMenuItem } from '~/client/menu-links'
import { useAction } from '~/ui/action'
import { useDelete } from '~/ui/delete'
import { type Sayable, useSay } from '~/shared/say'
import { DeleteItem, RecordMenu } from '~/ui/menus'
import { ResetPasswordDialog } from './ResetPasswordDialog'
import type { MayDo } from './users.server'

type Props = {
  user: { id: string; name: string }
  may: MayDo
  /** The dialog outlives the menu, so the parent renders it. */
  onResetPassword: () => void
  withEdit?: boolean
}

/** Menu items for a user. */
export function UserActions({ user: { id, name }, may, onResetPassword, withEdit = true }: Props) {
  const say = useSay()
  const router = useRouter()
  const { remove } = useDelete()
  const { run } = useAction()
  const format = useFormatter()

  async function deleteIt() {
    let toCome
    try {
      toCome = await api.users.toCome({ id })
    } catch (error) {
      await run(() => Promise.reject(error))
      return
    }
    await remove(
      'users',
      id,
      { name },
      {
        text: asksWith(toCome),
        title: { key: 'users.deleteTitle', values: { name } },
        afterwards: () =>
          router.navigate({
            to: '/app/users',
            search: (current) => onlySearch(withEdit ? current : {}),
          }),
        mayUndo: may.undoDelete,
      },
    )
  }

  /** The question names the appointments to come, and says whose they become. */
  function asksWith({ count, rows }: OperationResult<'users.toCome'>): Sayable | undefined {
    if (count === 0) return undefined
    const named = rows.map(({ patient, timestamp }) =>
      say({
        key: 'users.toComeOne',
        values: {
          patient,
          time: format.dateTime(timestamp, { dateStyle: 'medium', timeStyle: 'short' }),
        },
      }),
    )
    const more = count - rows.length
    if (more > 0) named.push(say({ key: 'users.toComeMore', values: { count: more } }))
    const asks = say({ key: 'users.deleteAsks', values: { name } })
    const list = format.list(named)
    return { key: 'users.deleteAsksToCome', values: { asks, name, count, list } }
  }

  return (
    <>
      {withEdit && may.edit && (
        <LinkMenuItem
          leftSection={<IconPencil size={16} aria-hidden />}
          to="/app/users/edit/{-$userId}"
          params={{ userId: id }}
        >
          {say('common.edit')}
        </LinkMenuItem>
      )}
      {may.managePermissions && (
        <LinkMenuItem
          leftSection={<IconShieldLock size={16} aria-hidden />}
          to="/app/users/manage-permissions/{-$userId}"
          params={{ userId: id }}
        >
          {say('users.managePermissions')}
        </LinkMenuItem>
      )}
      {may.allowEmergency && (
        <Menu.Item
          leftSection={<IconUrgent size={16} aria-hidden />}
          onClick={() =>
            void run(() => api.emergencies.allow({ userId: id }), {
              success: { key: 'sharing.emergencyAllowed', values: { name } },
            })
          }
        >
          {say('sharing.emergencyAllow')}
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
          <DeleteItem label="users.delete" onClick={() => void deleteIt()} />
        </>
      )}
    </>
  )
}

/** Without items there is no menu. */
export const hasActions = ({ edit, resetPassword, managePermissions, allowEmergency }: MayDo) =>
  edit || resetPassword || managePermissions || allowEmergency

export function UserActionsButton({ user, may }: Pick<Props, 'user' | 'may'>) {
  const [isResetting, setIsResetting] = useState(false)
  return (
    <>
      <RecordMenu name={user.name}>
        <UserActions
          {...{ user, may }}
          withEdit={false}
          onResetPassword={() => setIsResetting(true)}
        />
      </RecordMenu>
      {isResetting && <ResetPasswordDialog user={user} onClose={() => setIsResetting(false)} />}
    </>
  )
}

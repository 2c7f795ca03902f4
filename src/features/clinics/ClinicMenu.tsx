import { ActionIcon, Menu } from '@mantine/core'
import {
  IconArchive,
  IconArchiveOff,
  IconDotsVertical,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react'
import { Link, useRouter } from '@tanstack/react-router'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { archiveClinic, deleteClinic, restoreClinic } from './clinics.functions'

type Props = { clinic: { id: string; name: string; is_archived: boolean } }

/** What can be done with a clinic, as items of a menu. */
export function ClinicMenu({ clinic: { id, name, is_archived } }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run } = useAction()

  const archive = () =>
    run(() => archiveClinic({ data: { id } }), {
      success: { key: 'clinics.archivedDone', values: { name } },
      undo: () => restoreClinic({ data: { id } }),
    })
  const restore = () =>
    run(() => restoreClinic({ data: { id } }), {
      success: { key: 'clinics.restoredDone', values: { name } },
    })

  async function remove() {
    const isMeant = await confirm({
      title: 'clinics.delete',
      text: { key: 'clinics.deleteAsks', values: { name } },
      action: 'clinics.delete',
      destructive: true,
    })
    if (!isMeant) return
    await run(
      async () => {
        const deleted = await deleteClinic({ data: { id } })
        await router.navigate({ to: '/app/clinics' })
        return deleted
      },
      {
        success: { key: 'clinics.deletedDone', values: { name } },
        undo: ({ deletionId }) => restoreDeletion({ data: { id: deletionId } }),
      },
    )
  }

  return (
    <>
      {!is_archived && (
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          renderRoot={(props) => (
            <Link to="/app/clinics/edit/$" params={{ _splat: id }} {...props} />
          )}
        >
          {say('common.edit')}
        </Menu.Item>
      )}
      {is_archived ? (
        <Menu.Item leftSection={<IconArchiveOff size={16} aria-hidden />} onClick={restore}>
          {say('clinics.restore')}
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconArchive size={16} aria-hidden />} onClick={archive}>
          {say('clinics.archive')}
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={remove}
      >
        {say('clinics.delete')}
      </Menu.Item>
    </>
  )
}

export function ClinicMenuButton({ clinic }: Props) {
  const say = useSay()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size="input-sm"
          aria-label={say({ key: 'table.actionsFor', values: { name: clinic.name } })}
        >
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <ClinicMenu clinic={clinic} />
      </Menu.Dropdown>
    </Menu>
  )
}

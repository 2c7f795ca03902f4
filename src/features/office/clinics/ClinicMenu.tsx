import { Menu } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconPencil } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { LinkMenuItem } from '~/client/menu-links'
import { api } from '~/client/api'
import { runAsking } from '~/features/rules/earlier/save-asking'
import { useDelete } from '~/ui/delete'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { DeleteItem, RecordMenu } from '~/ui/menus'

type Props = { clinic: { id: string; name: string; is_archived: boolean } }

/** Menu items for a clinic. */
export function ClinicMenu({ clinic: { id, name, is_archived } }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run } = useAction()
  const { remove } = useDelete()

  const archive = () =>
    runAsking(run, (confirmed) => api.clinics.archive({ id, confirmed }), {
      success: { key: 'clinics.archivedDone', values: { name } },
      undo: () => api.clinics.restore({ id }),
    })
  const restore = () =>
    run(() => api.clinics.restore({ id }), {
      success: { key: 'clinics.restoredDone', values: { name } },
    })

  const deleteIt = () =>
    remove('clinics', id, { name }, { afterwards: () => router.navigate({ to: '/app/clinics' }) })

  return (
    <>
      {!is_archived && (
        <LinkMenuItem
          leftSection={<IconPencil size={16} aria-hidden />}
          to="/app/clinics/edit/{-$clinicId}"
          params={{ clinicId: id }}
        >
          {say('common.edit')}
        </LinkMenuItem>
      )}
      {is_archived ? (
        <Menu.Item leftSection={<IconArchiveOff size={16} aria-hidden />} onClick={restore}>
          {say('clinics.restore')}
        </Menu.Item>
      ) : (
        <Menu.Item
          leftSection={<IconArchive size={16} aria-hidden />}
          onClick={() => void archive()}
        >
          {say('clinics.archive')}
        </Menu.Item>
      )}
      <Menu.Divider />
      <DeleteItem label="clinics.delete" onClick={deleteIt} />
    </>
  )
}

export const ClinicMenuButton = ({ clinic }: Props) => (
  <RecordMenu name={clinic.name}>
    <ClinicMenu clinic={clinic} />
  </RecordMenu>
)

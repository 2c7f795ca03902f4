import { Menu } from '@mantine/core'
import { IconCheck, IconPlayerPause, IconTrash } from '@tabler/icons-react'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { drugName } from './drug'
import { deleteDrug, setDrugActive } from './drugs.functions'

type Props = {
  drug: { id: string; generic_name: string; brand_name: string | null; is_active: boolean }
  onDeleted?: () => void
}

/** What an administrator may do with a medicine of the catalogue, as entries of a menu. */
export function DrugMenu({ drug, onDeleted }: Props) {
  const { id, is_active } = drug
  const name = drugName(drug)
  const say = useSay()
  const { run } = useAction()

  async function remove() {
    const isMeant = await confirm({
      title: 'drugs.delete',
      text: { key: 'drugs.deleteAsks', values: { name } },
      action: 'drugs.delete',
      destructive: true,
    })
    if (!isMeant) return
    const done = await run(() => deleteDrug({ data: { id } }), {
      success: { key: 'drugs.deletedDone', values: { name } },
      undo: ({ deletionId }) => restoreDeletion({ data: { id: deletionId } }),
    })
    if (done) onDeleted?.()
  }

  const set = (active: boolean) => setDrugActive({ data: { id, is_active: active } })
  return (
    <>
      <Menu.Item
        leftSection={
          is_active ? (
            <IconPlayerPause size={16} aria-hidden />
          ) : (
            <IconCheck size={16} aria-hidden />
          )
        }
        onClick={() =>
          void run(() => set(!is_active), {
            success: {
              key: is_active ? 'drugs.deactivatedDone' : 'drugs.activatedDone',
              values: { name },
            },
            undo: () => set(is_active),
          })
        }
      >
        {say(is_active ? 'drugs.deactivate' : 'drugs.activate')}
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => void remove()}
      >
        {say('drugs.delete')}
      </Menu.Item>
    </>
  )
}

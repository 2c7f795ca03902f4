import { Menu } from '@mantine/core'
import { IconCheck, IconPlayerPause } from '@tabler/icons-react'
import { api } from '~/client/api'
import { useDelete } from '~/ui/delete'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { DeleteItem } from '~/ui/menus'
import { drugName } from './drug'

type Props = {
  drug: { id: string; generic_name: string; brand_name: string | null; is_active: boolean }
  onDeleted?: () => void
}

/** Menu items for a medicine of the catalogue. */
export function DrugMenu({ drug, onDeleted }: Props) {
  const { id, is_active } = drug
  const name = drugName(drug)
  const say = useSay()
  const { run } = useAction()
  const { remove } = useDelete()

  async function deleteIt() {
    if (await remove('drugs', id, { name })) onDeleted?.()
  }

  const set = (active: boolean) => api.drugs.setActive({ id, is_active: active })
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
      <DeleteItem label="drugs.delete" onClick={deleteIt} />
    </>
  )
}

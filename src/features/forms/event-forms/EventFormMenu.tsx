import { Menu } from '@mantine/core'
import { IconCopy, IconHistory, IconPencil } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { LinkMenuItem } from '~/client/menu-links'
import { api } from '~/client/api'
import { useDelete } from '~/ui/delete'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { DeleteItem } from '~/ui/menus'

type Props = {
  form: { id: string; name: string; answers: number }
  mayChange: boolean
  /** The user administers some clinic: copies are for these. */
  mayCopy: boolean
}

/** Menu items for a form. */
export function EventFormMenu({ form: { id, name, answers }, mayChange, mayCopy }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run } = useAction()
  const { remove } = useDelete()

  async function duplicate() {
    const copyId = newId()
    const copied = await run(
      () =>
        api.eventForms.duplicate({
          id,
          copyId,
          name: say({ key: 'eventForms.copyOf', values: { name } }).slice(0, 200),
        }),
      {
        success: {
          key: 'eventForms.duplicated',
          values: { name: say({ key: 'eventForms.copyOf', values: { name } }) },
        },
      },
    )
    if (copied)
      await router.navigate({ to: '/app/event-forms/edit/{-$formId}', params: { formId: copyId } })
  }

  const deleteIt = () => remove('eventForms', id, { name, count: answers })

  return (
    <>
      {mayChange && (
        <LinkMenuItem
          leftSection={<IconPencil size={16} aria-hidden />}
          to="/app/event-forms/edit/{-$formId}"
          params={{ formId: id }}
        >
          {say('common.edit')}
        </LinkMenuItem>
      )}
      {mayCopy && (
        <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={duplicate}>
          {say('eventForms.duplicate')}
        </Menu.Item>
      )}
      <LinkMenuItem
        leftSection={<IconHistory size={16} aria-hidden />}
        to="/app/event-forms/versions/$formId"
        params={{ formId: id }}
      >
        {say('eventForms.versions')}
      </LinkMenuItem>
      {mayChange && (
        <>
          <Menu.Divider />
          <DeleteItem label="eventForms.delete" onClick={deleteIt} />
        </>
      )}
    </>
  )
}

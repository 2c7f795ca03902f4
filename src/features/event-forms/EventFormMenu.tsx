import { Menu } from '@mantine/core'
import { IconCopy, IconHistory, IconPencil, IconTrash } from '@tabler/icons-react'
import { Link, useRouter } from '@tanstack/react-router'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { deleteEventForm, duplicateEventForm } from './event-forms.functions'

type Props = {
  form: { id: string; name: string; answers: number }
  mayChange: boolean
  /** Of some clinic at least: a copy is for one's own. */
  mayCopy: boolean
}

/** What can be done with a form, as items of a menu. */
export function EventFormMenu({ form: { id, name, answers }, mayChange, mayCopy }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run } = useAction()

  async function duplicate() {
    const copyId = newId()
    const copied = await run(
      () =>
        duplicateEventForm({
          data: {
            id,
            copyId,
            name: say({ key: 'eventForms.copyOf', values: { name } }).slice(0, 200),
          },
        }),
      {
        success: {
          key: 'eventForms.duplicated',
          values: { name: say({ key: 'eventForms.copyOf', values: { name } }) },
        },
      },
    )
    if (copied) await router.navigate({ to: '/app/event-forms/edit/$', params: { _splat: copyId } })
  }

  async function remove() {
    const isMeant = await confirm({
      title: 'eventForms.delete',
      text: { key: 'eventForms.deleteAsks', values: { name, count: answers } },
      action: 'eventForms.delete',
      destructive: true,
    })
    if (!isMeant) return
    await run(() => deleteEventForm({ data: { id } }), {
      success: { key: 'eventForms.deleted', values: { name } },
      undo: ({ deletionId }) => restoreDeletion({ data: { id: deletionId } }),
    })
  }

  return (
    <>
      {mayChange && (
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          renderRoot={(props) => (
            <Link to="/app/event-forms/edit/$" params={{ _splat: id }} {...props} />
          )}
        >
          {say('common.edit')}
        </Menu.Item>
      )}
      {mayCopy && (
        <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={duplicate}>
          {say('eventForms.duplicate')}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconHistory size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link to="/app/event-forms/versions/$" params={{ _splat: id }} {...props} />
        )}
      >
        {say('eventForms.versions')}
      </Menu.Item>
      {mayChange && (
        <>
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={remove}
          >
            {say('eventForms.delete')}
          </Menu.Item>
        </>
      )}
    </>
  )
}

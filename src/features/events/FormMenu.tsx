import { Button, Loader, Menu, Text } from '@mantine/core'
import { IconClipboardPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listEventForms } from '~/features/event-forms/event-forms.functions'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { explain } from '~/ui/explain'

type Form = { id: string; name: string }

/** The forms of the visit's clinic: one press, and one is being filled in. */
export function FormMenu({ visitId, clinicId }: { visitId: string; clinicId: string }) {
  const say = useSay()
  const [forms, setForms] = useState<Form[] | null>(null)
  const [failure, setFailure] = useState<Message | null>(null)

  async function load() {
    setFailure(null)
    try {
      setForms((await listEventForms({ data: { clinicId } })).rows)
    } catch (error) {
      setFailure(explain(error).text)
    }
  }

  return (
    <Menu position="bottom-start" onOpen={() => void load()} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconClipboardPlus size={14} aria-hidden />}
          data-print="no"
        >
          {say('events.fill')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        {forms?.map(({ id, name }) => (
          <Menu.Item
            key={id}
            renderRoot={(props) => (
              <Link to="/app/events/edit/$" params={{ _splat: 'new' }} search={{ visitId, formId: id }} {...props} />
            )}
          >
            <bdi>{name}</bdi>
          </Menu.Item>
        ))}
        {forms === null && failure === null && (
          <Menu.Item disabled leftSection={<Loader size="xs" />}>
            {say('common.loading')}
          </Menu.Item>
        )}
        {failure && (
          <Menu.Item closeMenuOnClick={false} onClick={() => void load()}>
            {say(failure)}
          </Menu.Item>
        )}
        {forms?.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            {say('events.noForms')}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

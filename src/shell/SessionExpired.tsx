import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useCallback, useState } from 'react'
import { useSay } from '~/shared/say'
import { useExpiry } from '~/client/expiry'

/** Over the screen as it was left: the way to sign in again without losing it. */
export function SessionExpired() {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  useExpiry(useCallback(() => setOpen(true), []))
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      title={<Text fw={600}>{say('shell.expiredTitle')}</Text>}
      withCloseButton={false}
    >
      <Stack>
        <Text size="sm">{say('shell.expiredText')}</Text>
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={() => setOpen(false)}>
            {say('shell.signedIn')}
          </Button>
          {/* a new tab: this one holds what was typed */}
          <Button component="a" href="/" target="_blank" rel="noopener">
            {say('shell.signInAgain')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

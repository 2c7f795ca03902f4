import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useSay } from '~/shared/say'

/** The password of a phone, once, to be typed there. */
export function AppPasswordCode({ code, onKept }: { code: string; onKept: () => void }) {
  const say = useSay()
  return (
    <Stack gap="md">
      <Text size="sm" role="alert">
        {say('appPasswords.codeText')}
      </Text>
      <Group gap="xs">
        <Code fz="lg" p="xs" w="100%" ta="center" dir="ltr" aria-label={say('appPasswords.code')}>
          {code}
        </Code>
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={
                copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
              }
            >
              {say(copied ? 'users.copied' : 'users.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Group>
        <Button onClick={onKept}>{say('appPasswords.entered')}</Button>
      </Group>
    </Stack>
  )
}

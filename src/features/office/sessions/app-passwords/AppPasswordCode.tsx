import { Button, Group, Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { ShownOnce } from '~/ui/CopyText'

/** The password of a phone, once, to be typed there. */
export function AppPasswordCode({ code, onKept }: { code: string; onKept: () => void }) {
  const say = useSay()
  return (
    <Stack gap="md">
      <Text size="sm" role="alert">
        {say('appPasswords.codeText')}
      </Text>
      <ShownOnce secret={code} label="appPasswords.code" />
      <Group>
        <Button onClick={onKept}>{say('appPasswords.entered')}</Button>
      </Group>
    </Stack>
  )
}

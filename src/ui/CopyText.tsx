import { Button, type ButtonProps, Code, CopyButton, Group } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type Sayable, useSay } from '~/shared/say'

type Props = ButtonProps & { value: string; label?: Sayable; copied?: Sayable }

/** A button that copies a text, and says so. */
export function CopyText({
  value,
  label = 'users.copy',
  copied = 'users.copied',
  variant = 'default',
  ...look
}: Props) {
  const say = useSay()
  return (
    <CopyButton value={value}>
      {({ copied: isCopied, copy }) => (
        <Button
          {...look}
          variant={variant}
          onClick={copy}
          leftSection={
            isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
          }
        >
          {say(isCopied ? copied : label)}
        </Button>
      )}
    </CopyButton>
  )
}

/** A secret that is shown once, with the button that copies it. */
export function ShownOnce({ secret, label }: { secret: string; label: Sayable }) {
  const say = useSay()
  return (
    <Group gap="xs">
      <Code fz="lg" p="xs" flex={1} ta="center" dir="ltr" aria-label={say(label)}>
        {secret}
      </Code>
      <CopyText value={secret} />
    </Group>
  )
}

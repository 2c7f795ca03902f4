import { ActionIcon, Badge, Group, Paper, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconGripVertical } from '@tabler/icons-react'
import type { HTMLAttributes, ReactNode, Ref } from 'react'
import { useSay } from '~/shared/say'

type Props = {
  name: string
  required: boolean
  /** It is not asked at present. */
  isHidden?: boolean
  /** Something in it was refused. */
  isBad: boolean
  /** What kind of field it is, in words and, where there is one, as a sign. */
  kind: string
  sign?: ReactNode
  /** What else should be seen while it is closed. */
  marks?: ReactNode
  /** What the line is dragged and moved by. */
  handle: HTMLAttributes<HTMLElement>
  onToggle: () => void
  toggle?: Ref<HTMLButtonElement>
  /** Everything about it, while it is open. */
  children: ReactNode
}

/**
 * One field of a form that is being built: a line that can be moved, with everything about it below
 * once it is opened.
 */
export function FieldLine(props: Props) {
  const { name, required, isHidden, isBad, kind, sign, marks, handle, onToggle, toggle, children } =
    props
  const say = useSay()
  const isOpen = Boolean(children)
  return (
    <Paper withBorder style={isBad ? { borderColor: 'var(--mantine-color-error)' } : undefined}>
      <Group gap={4} wrap="nowrap" p={6}>
        <ActionIcon
          {...handle}
          variant="subtle"
          color="gray"
          aria-label={say({ key: 'formEditor.move', values: { name } })}
          title={say('formEditor.moveHint')}
        >
          <IconGripVertical size={18} aria-hidden />
        </ActionIcon>
        <UnstyledButton
          onClick={onToggle}
          aria-expanded={isOpen}
          data-wrong={isBad ? name : undefined}
          ref={toggle}
          flex={1}
          p={4}
          miw={0}
        >
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text component="bdi" fw={600} truncate c={isHidden ? 'dimmed' : undefined}>
              {name}
              {required && ' *'}
            </Text>
            <Group gap={6} wrap="nowrap" style={{ flexShrink: 0 }}>
              {marks}
              <Badge
                variant="default"
                tt="none"
                fw={500}
                radius="sm"
                visibleFrom="xs"
                leftSection={sign}
              >
                {kind}
              </Badge>
              <IconChevronDown
                size={16}
                aria-hidden
                style={{ rotate: isOpen ? '180deg' : undefined }}
              />
            </Group>
          </Group>
        </UnstyledButton>
      </Group>
      {children}
    </Paper>
  )
}

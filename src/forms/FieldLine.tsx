import { ActionIcon, Badge, Group, Paper, Text, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconChevronDown, IconGripVertical } from '@tabler/icons-react'
import type { HTMLAttributes, ReactNode, Ref } from 'react'
import { useSay } from '~/shared/say'

/** What an entry is dragged by; `onStep` moves it by one place. */
export type ReorderHandle = HTMLAttributes<HTMLElement> & { onStep: (step: -1 | 1) => void }

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
  handle: ReorderHandle
  onToggle: () => void
  toggle?: Ref<HTMLButtonElement>
  /** Everything about it, while it is open. */
  children: ReactNode
}

/** For users who can neither drag nor press arrow keys (WCAG 2.5.7). */
const MOVES = [
  { key: 'formEditor.moveUp', step: -1, Icon: IconArrowUp },
  { key: 'formEditor.moveDown', step: 1, Icon: IconArrowDown },
] as const

/**
 * One field of a form that is being built: a line that can be moved, with everything about it below
 * once it is opened.
 */
export function FieldLine(props: Props) {
  const { name, required, isHidden, isBad, kind, sign, marks, handle, onToggle, toggle, children } =
    props
  const say = useSay()
  const isOpen = Boolean(children)
  const { onStep, ...dragging } = handle
  return (
    <Paper withBorder style={isBad ? { borderColor: 'var(--mantine-color-error)' } : undefined}>
      <Group gap={4} wrap="nowrap" p={6}>
        <ActionIcon
          {...dragging}
          variant="subtle"
          color="gray"
          aria-label={say({ key: 'formEditor.move', values: { name } })}
          title={say('formEditor.moveHint')}
        >
          <IconGripVertical size={18} aria-hidden />
        </ActionIcon>
        {MOVES.map(({ key, step, Icon }) => (
          <ActionIcon
            key={key}
            variant="subtle"
            color="gray"
            aria-label={say({ key, values: { name } })}
            onClick={() => onStep(step)}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ))}
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

import { ActionIcon, Group, Menu, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconDotsVertical, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type Sayable, useSay } from '~/shared/say'

/**
 * Of menus on a page: within its landmark, and with nothing in the menu but its items, as screen readers expect. In a
 * dialog the menu stays above it.
 */
export const ON_PAGE = {
  portalProps: { target: '#content' },
  withInitialFocusPlaceholder: false,
} as const

type StatusProps = {
  /** The status as it is shown without the menu. */
  badge: ReactNode
  /** Names the button: what changes, and the status it has now. */
  label: Sayable
  pending: boolean
  children: ReactNode
}

/** A status that opens a menu of the statuses to change to. */
export const StatusMenu = ({ badge, label, pending, children }: StatusProps) => {
  const say = useSay()
  return (
    <Menu position="bottom-start" {...ON_PAGE}>
      <Menu.Target>
        <UnstyledButton disabled={pending} aria-label={say(label)}>
          <Group gap={4} wrap="nowrap">
            {badge}
            <IconChevronDown size={14} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** The menu of a page's record, behind three dots beside its other buttons. */
export function RecordMenu({ name, children }: { name: string; children: ReactNode }) {
  const say = useSay()
  return (
    <Menu position="bottom-end" {...ON_PAGE}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size="input-sm"
          aria-label={say({ key: 'table.actionsFor', values: { name } })}
        >
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** The last item of a menu, in the colour of what destroys. */
export function DeleteItem({ label, onClick }: { label: Sayable; onClick: () => unknown }) {
  const say = useSay()
  return (
    <Menu.Item
      c="var(--mantine-color-error)"
      leftSection={<IconTrash size={16} aria-hidden />}
      onClick={() => void onClick()}
    >
      {say(label)}
    </Menu.Item>
  )
}

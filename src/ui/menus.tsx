import { ActionIcon, Menu } from '@mantine/core'
import { IconChevronDown, IconDotsVertical, IconTrash } from '@tabler/icons-react'
import {
  type ComponentProps,
  type ReactNode,
  type Ref,
  useId,
  useImperativeHandle,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { type Sayable, useSay } from '~/shared/say'
import classes from './menus.module.css'

type ListMenuProps = {
  position: 'bottom-start' | 'bottom-end'
  button: Omit<ComponentProps<'button'>, 'type' | 'id' | 'onClick'>
  /** The items. */
  children: ReactNode
}

/**
 * A menu in a row of a list. It is made when it is first opened: fifty rows have up to a hundred of them, which would
 * cost a slow browser more than the rows.
 */
function ListMenu({ position, button, children }: ListMenuProps) {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        {...button}
        type="button"
        // Mantine names the menu by this id, and derives its own from it
        id={id}
        aria-controls={isOpen ? `${id}-dropdown` : undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={({ currentTarget }) => {
          // first made, then opened: otherwise it does not give the focus back
          if (!target) flushSync(() => setTarget(currentTarget))
          setOpen(!isOpen)
        }}
      />
      {target && (
        <Menu id={id} position={position} opened={isOpen} onChange={setOpen}>
          <Menu.Target>
            <At element={target} />
          </Menu.Target>
          <Menu.Dropdown>{children}</Menu.Dropdown>
        </Menu>
      )}
    </>
  )
}

/** Passes an existing element to the ref that `Menu.Target` sets on its child. */
function At({ element, ref }: { element: HTMLElement; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => element, [element])
  return null
}

type StatusProps = {
  /** The status as it is shown without the menu. */
  badge: ReactNode
  /** Names the button: what changes, and the status it has now. */
  label: Sayable
  pending: boolean
  children: ReactNode
}

/** A status that opens a menu of the statuses to change to. */
export function StatusMenu({ badge, label, pending, children }: StatusProps) {
  const say = useSay()
  return (
    <ListMenu
      position="bottom-start"
      button={{
        className: classes.status,
        disabled: pending,
        'aria-label': say(label),
        children: (
          <>
            {badge}
            <IconChevronDown size={14} aria-hidden />
          </>
        ),
      }}
    >
      {children}
    </ListMenu>
  )
}

type RowMenuProps = { name?: string; label?: Sayable; children: ReactNode }

/** What can be done with a row of a list, behind three dots. `label` names the button otherwise than by `name`. */
export function RowMenu({ name, label, children }: RowMenuProps) {
  const say = useSay()
  return (
    <ListMenu
      position="bottom-end"
      button={{
        className: classes.dots,
        'aria-label': say(
          label ?? (name ? { key: 'table.actionsFor', values: { name } } : 'table.actions'),
        ),
        children: <IconDotsVertical size={18} aria-hidden />,
      }}
    >
      {children}
    </ListMenu>
  )
}

/** The menu of a page's record, behind three dots beside its other buttons. */
export function RecordMenu({ name, children }: { name: string; children: ReactNode }) {
  const say = useSay()
  return (
    <Menu position="bottom-end">
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

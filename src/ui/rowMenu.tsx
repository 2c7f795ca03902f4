import { Menu } from '@mantine/core'
import { IconPencil, IconTrash, type TablerIcon } from '@tabler/icons-react'
import { LinkMenuItem } from '~/client/menu-links'
import { type Sayable, useSay } from '~/shared/say'

export type RowAction<Row> = {
  label: Sayable
  icon: TablerIcon
  /** What a click does; or `link`, the address to which it leads. */
  run?: (row: Row) => unknown
  link?: (row: Row) => string
  /** Only for these rows; by default for all. */
  isFor?: (row: Row) => boolean
  destructive?: boolean
}

export const editAction = <Row,>(run: (row: Row) => unknown): RowAction<Row> => ({
  label: 'common.edit',
  icon: IconPencil,
  run,
})
export const deleteAction = <Row,>(label: Sayable, run: (row: Row) => unknown): RowAction<Row> => ({
  label,
  icon: IconTrash,
  run,
  destructive: true,
})

/** `actions` of a DataTable: the menu of each row, without the actions that are `false`; none if nothing is left. */
export function rowMenu<Row>(actions: readonly (RowAction<Row> | false)[]) {
  const offered = actions.filter((action) => action !== false)
  if (offered.length === 0) return undefined
  return (row: Row) => {
    const forRow = offered.filter(({ isFor }) => !isFor || isFor(row))
    return forRow.length === 0
      ? null
      : forRow.map((action) => <Item key={labelKey(action)} action={action} row={row} />)
  }
}

const labelKey = ({ label }: { label: Sayable }) =>
  typeof label === 'string' ? label : JSON.stringify(label)

function Item<Row>({ action, row }: { action: RowAction<Row>; row: Row }) {
  const { label, icon: Icon, run, link, destructive } = action
  const say = useSay()
  const look = {
    c: destructive ? 'var(--mantine-color-error)' : undefined,
    leftSection: <Icon size={16} aria-hidden />,
    onClick: run && (() => void run(row)),
    children: say(label),
  }
  return link ? <LinkMenuItem to={link(row)} {...look} /> : <Menu.Item {...look} />
}

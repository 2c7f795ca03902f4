/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role
   -- browsers drop the roles of table elements whose display is changed */
import { Box, Button, Paper, Skeleton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import { Link, useNavigate, useRouteContext, useSearch } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { type Sayable, useSay } from '~/shared/say'
import { type CardRole, cardRoles, type Column } from './columns'
import classes from './DataTable.module.css'
import { EmptyState } from './EmptyState'
import { ErrorView } from './ErrorView'
import { type ListSearch, nextSort } from './listSearch'
import { type Pagination, Paging } from './Paging'
import { RowMenu } from './menus'
import { withSearch } from './search'

type Props<Row> = {
  /** Names the table for screen readers. */
  label: Sayable
  columns: readonly Column<Row>[]
  /** Undefined until they are loaded: a skeleton is drawn. */
  rows: readonly Row[] | undefined
  /** The server's pagination; without it all rows are on this page. */
  pagination?: Pagination
  /** Shown if the list is empty; a search without a match has its own text. */
  empty: Sayable
  emptyAction?: ReactNode
  /** Where a row leads. The first cell becomes the link, the whole row can be clicked. */
  rowLink?: (row: Row) => string
  /** `<Menu.Item>`s behind the row's three dots; null for a row without. */
  actions?: (row: Row) => ReactNode
  /** The row's name, for its menu; by default the first cell's text. */
  nameOf?: (row: Row) => string
  /** The rows that are selected: a box in front of each row. */
  selection?: Selection
  error?: unknown
}

export type Selection = { ids: readonly string[]; set: (ids: string[]) => void }

/**
 * Every list of the product: headings that sort, rows that lead somewhere, pages with honest totals. Where its box is
 * narrow, CSS alone draws each row as a card. The roles are written out because browsers drop a table's own when its
 * `display` changes. Rows are plain elements: with Mantine's components, a list of fifty rows took a slow browser twice
 * as long.
 */
export function DataTable<Row extends { id: string }>(props: Props<Row>) {
  const { label, rows, pagination, error, actions, rowLink, nameOf, selection } = props
  const say = useSay()
  const hasOneClinic = useRouteContext({
    from: '__root__',
    select: ({ viewer }) => viewer.hasOneClinic,
  })
  const columns = props.columns.filter(({ isOfClinic }) => !(isOfClinic && hasOneClinic))
  if (error) return <ErrorView error={error as Error} />
  if (rows?.length === 0) return <NoRows {...props} />
  const roles = cardRoles(columns)
  return (
    <Paper withBorder className={classes.frame}>
      {/* its own scrolling, so that a wide table does not move the page; the first column stays */}
      <Box
        component="section"
        className={classes.scroller}
        aria-label={say(label)}
        tabIndex={0}
        // the router restores the scroll position by this id: the table's place in the page may change
        data-scroll-restoration-id={say(label)}
      >
        <table role="table" className={classes.table} aria-busy={rows === undefined}>
          <caption>
            <VisuallyHidden>{say(label)}</VisuallyHidden>
          </caption>
          <thead role="rowgroup" data-sorts={columns.some(({ sortable }) => sortable) || undefined}>
            <tr role="row">
              {selection && (
                <th role="columnheader" scope="col" className={classes.select}>
                  <VisuallyHidden>{say('table.selection')}</VisuallyHidden>
                </th>
              )}
              {columns.map((column) => (
                <Heading key={column.key} column={column as Column<unknown>} />
              ))}
              {actions && (
                <th role="columnheader" scope="col" className={classes.actions}>
                  <VisuallyHidden>{say('table.actions')}</VisuallyHidden>
                </th>
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows?.map((row) => (
              <Row key={row.id} {...{ row, columns, roles, rowLink, actions, nameOf, selection }} />
            )) ?? (
              <SkeletonRows columns={columns.length + (selection ? 1 : 0) + (actions ? 1 : 0)} />
            )}
          </tbody>
        </table>
      </Box>
      {pagination && <Paging {...pagination} />}
    </Paper>
  )
}

function NoRows<Row>({ empty, emptyAction, pagination }: Props<Row>) {
  const say = useSay()
  const navigate = useNavigate()
  const { search, page = 1 } = useSearch({ strict: false }) as ListSearch
  const isNarrowed = Boolean(search) || (page > 1 && (pagination?.total ?? 0) > 0)
  const widen = () =>
    navigate({
      to: '.',
      search: withSearch({ search: undefined, page: undefined }),
    })
  return (
    <Paper withBorder component="section" aria-live="polite">
      {isNarrowed ? (
        <EmptyState
          title="table.noMatch"
          action={
            <Button mt="xs" variant="default" onClick={widen}>
              {say('table.clearSearch')}
            </Button>
          }
        />
      ) : (
        <EmptyState title={empty} action={emptyAction && <Box mt="xs">{emptyAction}</Box>} />
      )}
    </Paper>
  )
}

const ariaSort = { asc: 'ascending', desc: 'descending' } as const
const sortIcon = { asc: IconArrowUp, desc: IconArrowDown } as const

function Heading({ column }: { column: Column<unknown> }) {
  const say = useSay()
  const search = useSearch({ strict: false }) as ListSearch
  const direction = search.sort === column.key ? (search.direction ?? 'asc') : undefined
  const Icon = direction ? sortIcon[direction] : IconArrowsSort
  return (
    <th
      role="columnheader"
      scope="col"
      data-align={column.align}
      data-sorts={column.sortable || undefined}
      aria-sort={direction && ariaSort[direction]}
    >
      {column.sortable ? (
        <Link
          to="."
          // no type of a search fits every route
          search={((all: ListSearch) => ({ ...all, ...nextSort(all, column.key) })) as never}
          className={classes.sort}
          data-active={direction !== undefined || undefined}
          replace
          resetScroll={false}
        >
          {say(column.label)}
          <Icon size={14} aria-hidden />
        </Link>
      ) : (
        say(column.label)
      )}
    </th>
  )
}

type RowProps<Row> = Pick<
  Props<Row>,
  'columns' | 'rowLink' | 'actions' | 'nameOf' | 'selection'
> & {
  row: Row
  roles: readonly CardRole[]
}

function Row<Row extends { id: string }>(props: RowProps<Row>) {
  const { row, columns, roles, rowLink, actions, nameOf, selection } = props
  const say = useSay()
  const navigate = useNavigate()
  const to = rowLink?.(row)
  const menu = actions?.(row)

  // for the mouse only: the link in the first cell is the way for keyboards and screen readers
  function follow(event: MouseEvent<HTMLTableRowElement>) {
    const target = event.target as Element
    const isElsewhere =
      !event.currentTarget.contains(target) ||
      target.closest('a, button, input, label, [data-select]') !== null
    if (!to || isElsewhere || window.getSelection()?.toString()) return
    if (event.ctrlKey || event.metaKey) window.open(to, '_blank', 'noopener')
    else void navigate({ to })
  }

  return (
    <tr role="row" onClick={to ? follow : undefined} className={to && classes.leads}>
      {selection && <SelectCell {...selection} id={row.id} name={nameOf?.(row) ?? ''} />}
      {columns.map((column, index) => (
        <td
          key={column.key}
          role="cell"
          data-align={column.align}
          data-card={roles[index]}
          data-label={say(column.label)}
        >
          <div className={classes.value}>
            {index === 0 && to ? (
              <Link className={classes.name} to={to}>
                {column.cell(row)}
              </Link>
            ) : (
              column.cell(row)
            )}
          </div>
        </td>
      ))}
      {actions && (
        <td role="cell" className={classes.actions}>
          {menu && <RowMenu name={nameOf?.(row)}>{menu}</RowMenu>}
        </td>
      )}
    </tr>
  )
}

function SelectCell({ ids, set, id, name }: Selection & { id: string; name: string }) {
  const say = useSay()
  return (
    <td role="cell" className={classes.select} data-select>
      <input
        type="checkbox"
        aria-label={say({ key: 'table.select', values: { name } })}
        checked={ids.includes(id)}
        onChange={({ currentTarget }) =>
          set(currentTarget.checked ? [...ids, id] : ids.filter((each) => each !== id))
        }
      />
    </td>
  )
}

/** Holds the place of a first screenful while it loads. */
const SkeletonRows = ({ columns }: { columns: number }) =>
  Array.from({ length: 8 }, (_, row) => (
    <tr key={row} role="row">
      {Array.from({ length: columns }, (_each, column) => (
        <td key={column} role="cell" data-card={column === 0 ? 'title' : 'skeleton'}>
          <Skeleton height={12} my={5} width={column === 0 ? '70%' : '45%'} />
        </td>
      ))}
    </tr>
  ))

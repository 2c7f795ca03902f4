import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { DrugMarks } from '~/features/medicines/drugs/DrugMarks'
import { drugName } from '~/features/medicines/drugs/drug'
import { strength } from '~/records/strength'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { explainError } from '~/client/explain'
import { useQuery } from '~/client/query'
import { useFilter } from '~/ui/filters'
import { SearchBox } from '~/ui/SearchBox'
import { StatusBadge } from '~/ui/StatusBadge'
import { ExpiryDay } from './ExpiryDay'
import { INVENTORY_LIMIT, SEARCH_DEBOUNCE_MS } from './inventory'
import { INVENTORY_VIEWS, type InventoryView } from './stock-search'
import type { InventoryItem } from './inventory.server'
import { Quantity } from './Quantity'

type Props = {
  clinicId: string
  search: { search?: string; only?: InventoryView }
  /** The stock is read again when this changes, e.g. with each run of the route's loader. */
  version: unknown
  emptyAction: ReactNode
}

/** The stock of a clinic, a row for each medicine. */
export function InventoryList({ clinicId, search, version, emptyAction }: Props) {
  const say = useSay()
  const choose = useFilter<Props['search']>()
  const { items, hasMore, problem, retry } = useInventory(clinicId, search, version)
  const columns: Column<InventoryItem>[] = [
    { key: 'generic_name', label: 'drugs.name', cell: (item) => <Medicine item={item} /> },
    {
      key: 'quantity',
      label: 'inventory.canGive',
      align: 'end',
      cell: ({ quantity }) => <Quantity value={quantity} />,
    },
    {
      key: 'on_hand',
      label: 'inventory.onHand',
      align: 'end',
      cell: ({ on_hand }) => <Quantity value={on_hand} />,
    },
    {
      key: 'reserved',
      label: 'inventory.held',
      align: 'end',
      cell: ({ reserved }) => <Quantity value={reserved} />,
    },
    {
      key: 'min_stock_level',
      label: 'drugs.min_stock_level',
      align: 'end',
      cell: ({ min_stock_level }) => <Quantity value={min_stock_level} />,
    },
    {
      key: 'next_expiry',
      label: 'inventory.nextExpiry',
      cell: ({ next_expiry }) => next_expiry && <ExpiryDay value={next_expiry} />,
    },
    {
      key: 'marks',
      card: 'badge',
      label: 'drugs.marks',
      cell: (item) => <StockMarks item={item} />,
    },
  ]
  const views = [
    { value: '', label: say('inventory.view_all') },
    ...INVENTORY_VIEWS.map((view) => ({ value: view, label: say(`inventory.view_${view}`) })),
  ]
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SearchBox label="drugs.search" delay={SEARCH_DEBOUNCE_MS} />
        <SegmentedControl
          aria-label={say('inventory.view')}
          data={views}
          value={search.only ?? ''}
          onChange={(only) => choose({ only: (only || undefined) as InventoryView | undefined })}
        />
      </Group>
      {problem && (
        <Alert role="alert" color="red" variant="light" title={say(problem)}>
          <Button variant="default" size="xs" mt={4} onClick={retry}>
            {say('errors.tryAgain')}
          </Button>
        </Alert>
      )}
      {!problem && (
        <DataTable
          label="inventory.title"
          columns={columns}
          rows={items}
          rowLink={({ id }) => `/app/inventory/clinic-inventory/drug/edit/${id}?clinic=${clinicId}`}
          nameOf={drugName}
          empty={search.only ? `inventory.none_${search.only}` : 'inventory.empty'}
          emptyAction={!search.only && emptyAction}
        />
      )}
      {hasMore && (
        <Text size="sm" c="dimmed">
          {say({ key: 'inventory.more', values: { limit: INVENTORY_LIMIT } })}
        </Text>
      )}
    </Stack>
  )
}

/** Reads the stock of a clinic. After a failure the table is hidden: stale numbers would look current. */
function useInventory(clinicId: string, { search, only }: Props['search'], version: unknown) {
  const { data, error, refetch } = useQuery(
    'inventory.list',
    { clinicId, searchQuery: search, only, limit: INVENTORY_LIMIT, offset: 0 },
    { keepPrevious: true, version },
  )
  return {
    items: data?.items,
    hasMore: !error && data?.hasMore,
    problem: error === null ? null : fetchErrorMessage(error),
    retry: refetch,
  }
}

/** docs/specification.md, "Stock": the error's message, or a fixed one if it has none. */
const fetchErrorMessage = (error: unknown): Message =>
  error instanceof Error ? explainError(error).text : { key: 'inventory.fetchFailed' }

function Medicine({ item }: { item: InventoryItem }) {
  const say = useSay()
  return (
    <Stack gap={0} component="span">
      <span>
        <bdi>{drugName(item)}</bdi>
      </span>
      <Text size="xs" c="dimmed" component="span" fw={400}>
        <bdi>
          {[strength(item, say), say(`drugs.form_${item.form}`)].filter(Boolean).join(' · ')}
        </bdi>
      </Text>
    </Stack>
  )
}

function StockMarks({ item }: { item: InventoryItem }) {
  const say = useSay()
  const count = (key: 'expiring' | 'expired' | 'quarantined') => ({
    key: `inventory.mark_${key}` as const,
    values: { quantity: item[key] },
  })
  return (
    <Group gap={4}>
      {item.usable === 0 ? (
        <StatusBadge tone="bad">{say('inventory.out')}</StatusBadge>
      ) : (
        item.is_low && <StatusBadge tone="warning">{say('inventory.low')}</StatusBadge>
      )}
      {item.expired > 0 && <StatusBadge tone="bad">{say(count('expired'))}</StatusBadge>}
      {item.expiring > 0 && <StatusBadge tone="warning">{say(count('expiring'))}</StatusBadge>}
      {item.quarantined > 0 && <StatusBadge tone="bad">{say(count('quarantined'))}</StatusBadge>}
      {/* the catalogue marks missing ingredients */}
      <DrugMarks drug={{ ...item, ingredients: undefined }} />
    </Group>
  )
}

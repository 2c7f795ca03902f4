import {
  Box,
  Button,
  Group,
  MantineThemeProvider,
  Popover,
  type SelectProps,
  Stack,
  type TextInputProps,
} from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { PickList } from '~/fields/PickList'
import { certainDay } from '~/fields/day'
import { DayBox } from '~/fields/DayBox'
import { type Sayable, useSay } from '~/shared/say'
import { withinList } from './theme'
import { withSearch } from './search'

type Filter = Readonly<Record<string, unknown>>

/** Puts choices into the address; the list begins at its first page again. */
export function useFilter<Search extends object>() {
  const navigate = useNavigate()
  return (filter: Partial<Search>) =>
    void navigate({
      to: '.',
      search: withSearch({ ...filter, page: undefined }),
      replace: true,
      resetScroll: false,
    })
}

/** How many of these filters narrow a list. */
export const narrowing = (search: Filter, filters: readonly string[]) =>
  filters.filter((name) => search[name] !== undefined).length

/** Takes filters out of the address again. */
export function ClearFilters({ filters }: { filters: readonly string[] }) {
  const say = useSay()
  const choose = useFilter<Record<string, undefined>>()
  return (
    <Button
      variant="default"
      onClick={() => choose(Object.fromEntries(filters.map((name) => [name, undefined])))}
    >
      {say('filters.clear')}
    </Button>
  )
}

/** Looks of a button that opens filters: it says how many narrow the list. */
const filtersButton = (count: number) => ({
  variant: count > 0 ? 'light' : 'default',
  leftSection: <IconFilter size={16} aria-hidden />,
  rightSection: count > 0 ? <span>{count}</span> : undefined,
})

/**
 * Filters in a row above a list. Aligned at the top: the words below a day would move the other filters. On a narrow
 * screen they are behind a button, because they would fill it before the first row of the list.
 */
export function FilterRow({ search, filters, children }: More) {
  const say = useSay()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const count = narrowing(search, filters)
  return (
    <Box component="section" aria-label={say('filters.title')} data-print="no">
      <Button
        hiddenFrom="xs"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        {...filtersButton(count)}
      >
        {say('filters.title')}
      </Button>
      <Group
        id={id}
        gap="sm"
        align="flex-start"
        mt={{ base: 'sm', xs: 0 }}
        visibleFrom={isOpen ? undefined : 'xs'}
      >
        {children}
        {count > 0 && (
          // as high as the label of a filter
          <Box pt={{ base: 0, xs: '1.6rem' }}>
            <ClearFilters filters={filters} />
          </Box>
        )}
      </Group>
    </Box>
  )
}

type More = { search: Filter; filters: readonly string[]; children: ReactNode }

/** Filters behind a button that says how many narrow the list. */
export function MoreFilters({ search, filters, children }: More) {
  const say = useSay()
  const count = narrowing(search, filters)
  return (
    <Popover position="bottom-start" width={360} trapFocus>
      <Popover.Target>
        <Button {...filtersButton(count)}>{say('filters.title')}</Button>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 2rem)">
        <Stack gap="sm">
          <MantineThemeProvider theme={withinList}>{children}</MantineThemeProvider>
          {count > 0 && <ClearFilters filters={filters} />}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

type Picked<T extends string> = Pick<SelectProps, 'w'> & {
  label: Sayable
  /** In the place of a label above: in a row of others the placeholder says what is chosen here. */
  inRow?: boolean
  /** What is shown as long as nothing is chosen. */
  any: Sayable
  value: T | undefined
  onPick: (value: T | undefined) => void
  options: readonly { value: T; label: string }[]
}

/** One of a few, or any. */
export function PickFilter<T extends string>({
  label,
  inRow,
  any,
  value,
  onPick,
  options,
  w,
}: Picked<T>) {
  const say = useSay()
  return (
    <PickList
      {...(inRow ? { 'aria-label': say(label) } : { label: say(label) })}
      placeholder={say(any)}
      value={value ?? null}
      onChange={(picked) => onPick((picked ?? undefined) as T | undefined)}
      data={options}
      searchable={options.length > 7}
      openOnFocus={false}
      nothingFoundMessage={say('form.nothingFound')}
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      w={w}
    />
  )
}

/** What a list of named things offers to choose from. */
export const named = (all: readonly { id: string; name: string }[]) =>
  all.map(({ id, name }) => ({ value: id, label: name }))

type Day = Pick<TextInputProps, 'w'> & {
  label: Sayable
  value: string | undefined
  onPick: (day: string | undefined) => void
}

/** A day, typed or picked, in any digits. What is no day yet stays in the box and filters nothing. */
export function DayFilter({ label, value, onPick, w }: Day) {
  const say = useSay()
  const [text, setText] = useState<string | null>(null)
  return (
    <Box w={w}>
      <DayBox
        label={say(label)}
        value={text ?? value}
        onChange={(next) => {
          const isDay = next === null || certainDay(next) === next
          setText(isDay ? null : next)
          if (isDay) onPick(next ?? undefined)
        }}
        placeholder="YYYY-MM-DD"
      />
    </Box>
  )
}

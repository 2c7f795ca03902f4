import { ActionIcon, Button, Group, Popover, SegmentedControl, Select, Stack, useDirection } from '@mantine/core'
import { DateInput } from '@mantine/dates'
import { IconChevronLeft, IconChevronRight, IconFilter } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type * as z from 'zod'
import { dayFrom } from '~/fields/typed'
import { useSay } from '~/shared/say'
import classes from './Calendar.module.css'
import { CALENDAR_VIEWS, type calendarSearch, COLUMNS_BY } from './appointment'
import type { Choices } from './AppointmentFilters'
import { type CalendarView, stepDay } from './calendar'

type Search = z.output<typeof calendarSearch>
type Props = { search: Search; view: CalendarView; day: string; today: string; choices: Choices }

const viewNames = {
  day: 'appointments.viewDay',
  week: 'appointments.viewWeek',
  month: 'appointments.viewMonth',
} as const
const columnNames = { provider: 'appointments.byProvider', department: 'appointments.byDepartment' } as const

/** Which days, how many, and whose; every choice is in the address. */
export function CalendarBar({ search, view, day, today, choices }: Props) {
  const say = useSay()
  const { dir } = useDirection()
  const navigate = useNavigate()
  const choose = (change: Partial<Search>) =>
    void navigate({
      to: '.',
      search: ((all: object) => ({ ...all, ...change })) as never,
      replace: true,
      resetScroll: false,
    })
  const [Back, On] = dir === 'rtl' ? [IconChevronRight, IconChevronLeft] : [IconChevronLeft, IconChevronRight]
  const count = [search.clinicId, search.providerId, search.departmentId].filter(Boolean).length
  const step = (by: -1 | 1) => choose({ day: stepDay(view, day, by) })
  const pick = (
    name: 'clinicId' | 'providerId' | 'departmentId',
    any: 'appointments.anyClinic' | 'appointments.anyProvider' | 'appointments.anyDepartment',
    data: Choices['clinics'],
  ) => (
    <Select
      aria-label={say(any)}
      placeholder={say(any)}
      value={search[name] ?? null}
      onChange={(value) => choose({ [name]: value ?? undefined })}
      data={data.map(({ id, name: text }) => ({ value: id, label: text }))}
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      searchable
      nothingFoundMessage={say('form.nothingFound')}
      comboboxProps={{ withinPortal: false }}
      openOnFocus={false}
    />
  )
  return (
    <Group gap="sm" className={classes.screen}>
      <Group gap={4} wrap="nowrap">
        <ActionIcon
          variant="default"
          size="input-sm"
          aria-label={say('appointments.previous')}
          onClick={() => step(-1)}
        >
          <Back size={18} aria-hidden />
        </ActionIcon>
        <Button variant="default" onClick={() => choose({ day: undefined })} disabled={day === today}>
          {say('appointments.today')}
        </Button>
        <ActionIcon variant="default" size="input-sm" aria-label={say('appointments.next')} onClick={() => step(1)}>
          <On size={18} aria-hidden />
        </ActionIcon>
      </Group>
      <DateInput
        aria-label={say('appointments.goTo')}
        value={day}
        onChange={(value) => value && choose({ day: value })}
        valueFormat="YYYY-MM-DD"
        dateParser={dayFrom}
        w="8.5rem"
      />
      <SegmentedControl
        aria-label={say('appointments.view')}
        value={view}
        onChange={(value) => choose({ view: value as CalendarView })}
        data={CALENDAR_VIEWS.map((value) => ({ value, label: say(viewNames[value]) }))}
      />
      {view === 'day' && (
        <SegmentedControl
          aria-label={say('appointments.columnsBy')}
          value={search.by ?? 'provider'}
          onChange={(value) => choose({ by: value as Search['by'] })}
          data={COLUMNS_BY.map((value) => ({ value, label: say(columnNames[value]) }))}
        />
      )}
      <Popover position="bottom-start" width={320} trapFocus>
        <Popover.Target>
          <Button
            variant={count > 0 ? 'light' : 'default'}
            leftSection={<IconFilter size={16} aria-hidden />}
            rightSection={count > 0 ? <span>{count}</span> : undefined}
          >
            {say('appointments.filters')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown maw="calc(100vw - 2rem)">
          <Stack gap="sm">
            {pick('clinicId', 'appointments.anyClinic', choices.clinics)}
            {pick('providerId', 'appointments.anyProvider', choices.providers)}
            {pick('departmentId', 'appointments.anyDepartment', choices.departments)}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  )
}

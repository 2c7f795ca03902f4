import { ActionIcon, Button, Group, SegmentedControl, useDirection } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { GoToDay } from '~/ui/GoToDay'
import { MoreFilters, useFilter } from '~/ui/filters'
import classes from './Calendar.module.css'
import { CALENDAR_VIEWS, type calendarSearch, COLUMNS_BY } from '../appointment-search'
import { type Choices, WhoseFilters } from '../AppointmentFilters'
import { type CalendarView, stepDay } from './calendar'

const CALENDAR_FILTERS = ['clinicId', 'departmentId', 'providerId'] as const

type Search = ReturnType<typeof calendarSearch>
type Props = { search: Search; view: CalendarView; day: string; today: string; choices: Choices }

const viewNames = {
  day: 'appointments.viewDay',
  week: 'appointments.viewWeek',
  month: 'appointments.viewMonth',
} as const
const columnNames = {
  provider: 'appointments.byProvider',
  department: 'appointments.byDepartment',
} as const

/** Which days, how many, and whose; every choice is in the address. */
export function CalendarBar({ search, view, day, today, choices }: Props) {
  const say = useSay()
  const { dir } = useDirection()
  const choose = useFilter<Search>()
  const [Back, On] =
    dir === 'rtl' ? [IconChevronRight, IconChevronLeft] : [IconChevronLeft, IconChevronRight]
  const step = (by: -1 | 1) => choose({ day: stepDay(view, day, by) })
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
        <Button
          variant="default"
          onClick={() => choose({ day: undefined })}
          disabled={day === today}
        >
          {say('appointments.today')}
        </Button>
        <ActionIcon
          variant="default"
          size="input-sm"
          aria-label={say('appointments.next')}
          onClick={() => step(1)}
        >
          <On size={18} aria-hidden />
        </ActionIcon>
      </Group>
      <GoToDay
        aria-label={say('appointments.goTo')}
        w="9.5rem"
        day={day}
        onGo={(chosen) => choose({ day: chosen })}
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
      <MoreFilters search={search} filters={CALENDAR_FILTERS}>
        <WhoseFilters search={search} choices={choices} onPick={choose} />
      </MoreFilters>
    </Group>
  )
}

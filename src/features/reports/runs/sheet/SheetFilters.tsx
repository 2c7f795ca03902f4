import { Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useDirection } from '@mantine/core'
import { LinkIcon } from '~/client/menu-links'
import { periodAt, periodsBack, previousPeriod, readPeriod } from '~/features/reports/cells/period'
import { PickList, PickSeveral } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { addDays } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { useFilter } from '~/ui/filters'
import { usePeriodName } from './period-name'
import type { ReportSearch } from '../report-search'
import { withSearch } from '~/ui/search'

/** Periods that the list offers; older ones are in the address. */
const OFFERED = 36

type PeriodProps = { kind: Parameters<typeof periodAt>[0]; value: string }

/** The period, kept in the address: the one before, the one after, or one of a list. */
export function PeriodPicker({ kind, value }: PeriodProps) {
  const say = useSay()
  const nameOf = usePeriodName()
  const choose = useFilter<ReportSearch>()
  const current = periodAt(kind, useToday())
  const listed = periodsBack(current, OFFERED).toReversed()
  const periods = listed.includes(value) ? listed : [...listed, value]
  const last = readPeriod(value, 'UTC')?.last
  const next = last && value < current ? periodAt(kind, addDays(last, 1)) : null
  return (
    <Group gap={4} wrap="nowrap" align="flex-end">
      <Step label="reports.previousPeriod" period={previousPeriod(value)} side="back" />
      <PickList
        label={say('reports.period')}
        value={value}
        data={periods.map((period) => ({ value: period, label: nameOf(period) }))}
        onChange={(period) => period && choose({ period, run: undefined })}
        allowDeselect={false}
        searchable
        nothingFoundMessage={say('form.nothingFound')}
        w={{ base: '100%', xs: kind === 'week' ? '20rem' : '14rem' }}
      />
      <Step label="reports.nextPeriod" period={next} side="on" />
    </Group>
  )
}

type StepProps = {
  label: 'reports.previousPeriod' | 'reports.nextPeriod'
  period: string | null
  side: 'back' | 'on'
}

function Step({ label, period, side }: StepProps) {
  const say = useSay()
  const { dir } = useDirection()
  const Icon = (side === 'back') === (dir === 'ltr') ? IconChevronLeft : IconChevronRight
  return (
    <LinkIcon
      variant="default"
      size="input-sm"
      aria-label={say(label)}
      disabled={period === null}
      to="."
      search={withSearch({ period: period ?? undefined, run: undefined })}
      style={period === null ? { visibility: 'hidden' } : undefined}
    >
      <Icon size={16} aria-hidden />
    </LinkIcon>
  )
}

type ClinicProps = { clinics: readonly { id: string; name: string }[]; value: readonly string[] }

/** The clinics that a report covers, kept in the address. Hidden if the user has only one. */
export function ClinicsPicker({ clinics, value }: ClinicProps) {
  const say = useSay()
  const choose = useFilter<ReportSearch>()
  if (clinics.length < 2) return null
  return (
    <PickSeveral
      label={say('reports.clinicsOf')}
      value={[...value]}
      data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
      // one clinic at least: a report is of some clinic
      onChange={(ids) => ids.length > 0 && choose({ clinics: ids, run: undefined })}
      searchable={clinics.length > 7}
      nothingFoundMessage={say('form.nothingFound')}
      hidePickedOptions
      w={{ base: '100%', sm: 'auto' }}
      miw={{ sm: '18rem' }}
      maw="40rem"
    />
  )
}

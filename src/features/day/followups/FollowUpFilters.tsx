import { Checkbox } from '@mantine/core'
import { PROGRAMS } from '~/features/care/programs/programs'
import { useSay, useLanguage } from '~/shared/say'
import { MoreFilters, named, PickFilter, useFilter } from '~/ui/filters'
import { CALL_RESULTS } from '~/records/call-results'
import type { FollowUpSearch } from './search'

export const FOLLOW_UP_FILTERS = ['clinicId', 'program', 'result', 'phone', 'highRisk'] as const

type Props = { search: FollowUpSearch; clinics: readonly { id: string; name: string }[] }

/** Narrows the lists; every choice is in the address. */
export function FollowUpFilters({ search, clinics }: Props) {
  const say = useSay()
  const language = useLanguage()
  const filter = useFilter<FollowUpSearch>()
  // the list begins again
  const choose = (some: Partial<FollowUpSearch>) => filter({ ...some, after: undefined })
  return (
    <MoreFilters search={search} filters={FOLLOW_UP_FILTERS}>
      <PickFilter
        label="followups.program"
        any="followups.anyProgram"
        value={search.program}
        onPick={(program) => choose({ program })}
        options={PROGRAMS.map(({ code, names }) => ({ value: code, label: names[language] }))}
      />
      <PickFilter
        label="clinics.one"
        any="appointments.anyClinic"
        value={search.clinicId}
        onPick={(clinicId) => choose({ clinicId })}
        options={named(clinics)}
      />
      {search.list !== 'called' && (
        <>
          <PickFilter
            label="followups.lastResult"
            any="followups.anyResult"
            value={search.result}
            onPick={(result) => choose({ result })}
            options={(['none', ...CALL_RESULTS] as const).map((value) => ({
              value,
              label: say(`followups.result_${value}`),
            }))}
          />
          <PickFilter
            label="followups.phone"
            any="followups.anyPhone"
            value={search.phone}
            onPick={(phone) => choose({ phone })}
            options={(['yes', 'no'] as const).map((value) => ({
              value,
              label: say(`followups.phone_${value}`),
            }))}
          />
          <Checkbox
            label={say('followups.onlyHighRisk')}
            checked={search.highRisk === true}
            onChange={(event) => choose({ highRisk: event.currentTarget.checked || undefined })}
          />
        </>
      )}
    </MoreFilters>
  )
}

import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import type { CurrentPregnancyState, PregnancyState } from './pregnancy'

type Props = {
  state: CurrentPregnancyState | PregnancyState
  weeks?: number | null
  endedOn?: string | null
  askedOn?: string | null
}

/** "Pregnant, week 12, asked 1 Jun 2026". */
export function PregnancyText({ state, weeks, endedOn, askedOn }: Props) {
  const say = useSay()
  return (
    <>
      {say(`pregnancies.states.${state}`)}
      {weeks !== null &&
        weeks !== undefined &&
        ` · ${say({ key: 'pregnancies.week', values: { weeks } })}`}
      {endedOn && (
        <>
          {' · '}
          {say('pregnancies.since')} <Day value={endedOn} />
        </>
      )}
      {askedOn && (
        <>
          {' · '}
          {say('pregnancies.asked')} <Day value={askedOn} />
        </>
      )}
    </>
  )
}

import { useToday } from '~/ui/clock'
import { StatusBadge } from '~/ui/StatusBadge'
import { type PregnancyAnswer, pregnancyOn } from './pregnancy'
import { PregnancyText } from './PregnancyText'

/** The pregnancy, the time after birth or breastfeeding of today; nothing if none of them is known. */
export function PregnancyMark({ answers }: { answers: readonly PregnancyAnswer[] }) {
  const { state, weeks, askedOn } = pregnancyOn(answers, useToday())
  if (state === 'not_known' || state === 'not_pregnant') return null
  return (
    <StatusBadge tone="warning" isLong>
      <PregnancyText state={state} weeks={weeks} askedOn={askedOn} />
    </StatusBadge>
  )
}

import {
  reasonDays,
  type NotCountedReason as Reason,
  type Verdict,
} from '~/features/care/programs/valid-doses'
import { useSay } from '~/shared/say'
import { VACCINES } from '~/shared/vaccines'
import { useDayText } from '~/ui/Day'

/** A reason with its days, in the language of the screen. */
function useReason() {
  const say = useSay()
  const dayText = useDayText()
  return (kind: 'asks' | 'not', reason: Reason): string =>
    say({
      key: `immunizations.${kind}_${reason.why}`,
      values: Object.fromEntries(
        Object.entries(reasonDays(reason)).map(([name, day]) => [name, dayText(day)]),
      ),
    })
}

/** Why a dose does not count, and for which parts. */
export function NotCounted({ verdicts }: { verdicts: readonly Verdict[] }) {
  const say = useSay()
  const reason = useReason()
  const byReason = Map.groupBy(verdicts, (verdict) => reason('not', verdict))
  return [...byReason]
    .map(([text, of]) => {
      const parts = of.flatMap(({ part }) => VACCINES.find((vaccine) => vaccine === part) ?? [])
      return `${text} (${parts
        .map((part) => say(`immunizations.vaccines.${part}`))
        .join(say('immunizations.listSeparator'))})`
    })
    .join(' ')
}

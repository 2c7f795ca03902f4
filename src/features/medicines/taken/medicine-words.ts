import { drugTitle } from '~/features/medicines/drugs/drug'
import { doseText } from '~/features/medicines/prescriptions/writing/dose'
import type { Sayable } from '~/shared/say'
import type { CurrentMedicine } from './current.server'

type Say = (what: Sayable) => string

/** A current medicine in the reader's language: its title, the dose, and from where and until when. */
export function medicineWords(
  medicine: CurrentMedicine,
  say: Say,
  dayText: (day: string) => string,
) {
  const {
    drug,
    dose,
    instructions,
    name,
    kind,
    source,
    until,
    isAssumed,
    isOpenEnded,
    isDispensed,
    confirmed,
  } = medicine
  const lasts = isAssumed ? 'medicines.assumedUntil' : 'medicines.lastsUntil'
  const notes = [
    source && say(`medicines.source_${source}`),
    kind === 'form' && say('medicines.fromForm'),
    kind === 'text' && say('medicines.fromPhone'),
    kind === 'prescribed' && !isDispensed && say('medicines.notDispensed'),
    until &&
      say({
        key: isOpenEnded ? 'medicines.openUntil' : lasts,
        values: { day: dayText(until) },
      }),
    confirmed &&
      say(
        confirmed.by === null
          ? { key: 'reconciliations.confirmedOn', values: { day: dayText(confirmed.on) } }
          : {
              key: 'reconciliations.confirmed',
              values: { day: dayText(confirmed.on), name: confirmed.by },
            },
      ),
  ]
  return {
    title: drug ? drugTitle(drug, say) : name,
    dose: drug && dose ? doseText(dose, drug, say) : (instructions ?? ''),
    notes: notes.filter((note): note is string => Boolean(note)),
  }
}

/** What a list without a current medicine says: never that there is none. */
export const emptyWords = ({ state }: { state: 'some' | 'ended' | 'nothing' }) =>
  state === 'nothing' ? ('medicines.notAsked' as const) : ('medicines.allEnded' as const)

import { VACCINES } from '~/shared/vaccines'
import { useSay } from '~/shared/say'

/** What a step of a schedule is called: a visit, a week, a month or a dose. */
export function useStepName() {
  const say = useSay()
  return (step: string): string => {
    const [name = '', number = ''] = step.split('-')
    if (name === 'visit') return say('followups.step_visit')
    if (name === 'week') return say({ key: 'followups.step_week', values: { number } })
    if (name === 'month') return say({ key: 'followups.step_month', values: { number } })
    const vaccine = VACCINES.find((code) => code === name)
    if (!vaccine) return step
    const named = say(`immunizations.vaccines.${vaccine}`)
    return number ? say({ key: 'followups.step_dose', values: { vaccine: named, number } }) : named
  }
}

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { api } from '~/client/api'
import { useAnswer } from '~/client/query'
import type { CheckedPatient } from '~/features/medicines/safety/rules/rule'
import type { AllergyScope, CheckScope, Warning } from '~/features/medicines/safety/rules/warning'
import type { Dose } from './dose'

const SETTLE_MS = 300

type DoseOf = { drugId: string; dose: Dose }
type Answer = {
  warnings: readonly Warning[]
  allergyState: AllergyScope
  scope: CheckScope
  facts: CheckedPatient
  asksAllergies: boolean
  asksSecond: boolean
}
type Asked = {
  patientId: string | undefined
  /** Ids of the catalogue; with `ask`, of what that asks about. */
  drugIds: readonly string[]
  prescriptionId: string
  doses: readonly DoseOf[]
  /** The current medicine whose place the prescription takes. */
  replacedId?: string
  /** Asks otherwise than a prescription does. Stays the same from render to render. */
  ask?: (patientId: string, wanted: string[]) => Promise<Answer>
}

/**
 * The warnings about what is being prescribed or recorded, refreshed as it changes. `warnings` is
 * null if the check could not run: the screen must say so, as silence would look like safety.
 */
export function useSafety({ patientId, drugIds, prescriptionId, doses, replacedId, ask }: Asked) {
  const [wanted] = useDebouncedValue(
    drugIds.length === 0 ? '' : JSON.stringify({ drugIds, doses }),
    SETTLE_MS,
  )
  const question: Question | null = patientId
    ? [patientId, wanted, prescriptionId, replacedId ?? null]
    : null
  const { settled, refetch } = useAnswer<Answer>(
    question && JSON.stringify(question),
    () => {
      const of = patientId ?? ''
      const asked =
        wanted === ''
          ? { drugIds: [] }
          : (JSON.parse(wanted) as { drugIds: string[]; doses: DoseOf[] })
      return ask
        ? ask(of, asked.drugIds)
        : api.prescriptions.check({ patientId: of, prescriptionId, replacedId, ...asked })
    },
    { keepPrevious: true },
  )
  const [refused, setRefused] = useState<{
    of: string
    after: unknown
    warnings: readonly Warning[]
    asksSecond: boolean
  }>()
  // warnings of other inputs are not shown; while a change is being checked, the last ones stay
  const [of, ofDrugs] = settled ? (JSON.parse(settled.key) as Question) : []
  const isOfPatient = settled !== undefined && of === patientId
  const answer = isOfPatient && !settled.error ? settled.data : undefined
  const isRefused = refused !== undefined && refused.of === patientId && refused.after === settled
  const isChecked = Boolean(wanted) && (isRefused || (isOfPatient && ofDrugs !== ''))
  const checked = isChecked ? answer : undefined
  const warnings = isRefused ? refused.warnings : (checked?.warnings ?? null)
  return {
    warnings: isChecked ? warnings : [],
    allergyState: checked?.allergyState,
    scope: checked?.scope,
    /** What a save answered that needs reasons, which may know more than the live check. */
    refuse: (refusal: Pick<Answer, 'warnings' | 'asksSecond'>) =>
      patientId && setRefused({ of: patientId, after: settled, ...refusal }),
    /** What the checks know of the patient, before any medicine is chosen. */
    facts: answer?.facts,
    /** Nobody asked about allergies, and nobody said today why not. */
    asksAllergies: answer?.asksAllergies ?? false,
    /** A grave warning is overridden with a second person's sign-in. */
    asksSecond: isRefused ? refused.asksSecond : (answer?.asksSecond ?? false),
    retry: refetch,
    /** Something was checked: only then may the screen say that nothing was found. */
    isChecked,
  }
}

/** The patient, the medicines and doses (or ''), the prescription and the medicine whose place it takes. */
type Question = [
  patientId: string,
  wanted: string,
  prescriptionId: string,
  replacedId: string | null,
]

import { useDebouncedValue } from '@mantine/hooks'
import { useCallback, useEffect, useState } from 'react'
import { api } from '~/client/api'
import type { PatientFacts } from '~/features/medicines/safety/rules/rule'
import type { AllergyScope, CheckScope, Warning } from '~/features/medicines/safety/rules/warning'
import type { Dose } from './dose'

const SETTLE_MS = 300

type DoseOf = { drugId: string; dose: Dose }
type Answer = {
  warnings: readonly Warning[]
  allergyState: AllergyScope
  scope: CheckScope
  facts: PatientFacts
  dosesUnchecked: readonly string[]
}
type Asked = {
  patientId: string | undefined
  /** Ids of the catalogue; with `ask`, of what that asks about. */
  drugIds: readonly string[]
  prescriptionId: string
  doses: readonly DoseOf[]
  /** Asks otherwise than a prescription does. Stays the same from render to render. */
  ask?: (patientId: string, wanted: string[]) => Promise<Answer>
}

/**
 * The warnings about what is being prescribed or recorded, refreshed as it changes. `warnings` is
 * null if the check could not run: the screen must say so, as silence would look like safety.
 */
export function useSafety({ patientId, drugIds, prescriptionId, doses, ask }: Asked) {
  const [checked, setChecked] = useState<{
    of: string
    warnings: readonly Warning[] | null
    allergyState?: AllergyScope
    facts?: PatientFacts
    scope?: CheckScope
    /** Medicines were compared, not the patient's facts alone fetched. */
    isOfDrugs: boolean
    dosesUnchecked?: readonly string[]
  }>()
  const [tries, setTries] = useState(0)
  const [wanted] = useDebouncedValue(
    drugIds.length === 0 ? '' : JSON.stringify({ drugIds, doses }),
    SETTLE_MS,
  )
  useEffect(() => {
    if (!patientId) return
    let isCurrent = true
    const isOfDrugs = wanted !== ''
    const asked = isOfDrugs
      ? (JSON.parse(wanted) as { drugIds: string[]; doses: DoseOf[] })
      : { drugIds: [] }
    const answer = ask
      ? ask(patientId, asked.drugIds)
      : api.prescriptions.check({ patientId, prescriptionId, ...asked })
    answer
      .then((found) => isCurrent && setChecked({ of: patientId, isOfDrugs, ...found }))
      .catch(() => isCurrent && setChecked({ of: patientId, isOfDrugs, warnings: null }))
    return () => {
      isCurrent = false
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a further try asks the same again
  }, [patientId, wanted, prescriptionId, ask, tries])
  const retry = useCallback(() => setTries((count) => count + 1), [])
  // warnings of other inputs are not shown; while a change is being checked, the last ones stay
  const isOfHim =
    checked !== undefined && checked.of === patientId && checked.isOfDrugs && Boolean(wanted)
  return {
    warnings: isOfHim ? checked.warnings : [],
    allergyState: isOfHim ? checked.allergyState : undefined,
    dosesUnchecked: isOfHim ? checked.dosesUnchecked : undefined,
    scope: isOfHim ? checked.scope : undefined,
    setWarnings: (warnings: readonly Warning[]) =>
      patientId && setChecked((last) => ({ ...last, of: patientId, isOfDrugs: true, warnings })),
    /** What the checks know of the patient, before any medicine is chosen. */
    facts: checked?.of === patientId ? checked?.facts : undefined,
    retry,
    /** Something was checked: only then may the screen say that nothing was found. */
    isChecked: isOfHim,
  }
}

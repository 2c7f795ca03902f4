import { useDebouncedValue } from '@mantine/hooks'
import { useCallback, useEffect, useState } from 'react'
import type { PatientFacts } from '~/features/safety/rule'
import type { AllergyScope, Warning } from '~/features/safety/warning'
import type { Dose } from './dose'
import { checkDrugs } from './prescriptions.functions'

const SETTLE_MS = 300

type DoseOf = { drugId: string; dose: Dose }
type Asked = {
  patientId: string | undefined
  drugIds: readonly string[]
  prescriptionId: string
  doses: readonly DoseOf[]
}

/**
 * The warnings about what is being prescribed, looked up again as it changes. `warnings` is null when the check could not
 * run: that must be said, as silence would look like safety.
 */
export function useSafety({ patientId, drugIds, prescriptionId, doses }: Asked) {
  const [checked, setChecked] = useState<{
    of: string
    warnings: readonly Warning[] | null
    allergyState?: AllergyScope
    facts?: PatientFacts
    /** Medicines were compared, not the patient's facts alone fetched. */
    isOfDrugs: boolean
    dosesUnchecked?: readonly string[]
  }>()
  const [tries, setTries] = useState(0)
  const [wanted] = useDebouncedValue(drugIds.length === 0 ? '' : JSON.stringify({ drugIds, doses }), SETTLE_MS)
  useEffect(() => {
    if (!patientId) return
    let isCurrent = true
    const isOfDrugs = wanted !== ''
    const asked = isOfDrugs ? (JSON.parse(wanted) as { drugIds: string[]; doses: DoseOf[] }) : { drugIds: [] }
    checkDrugs({ data: { patientId, prescriptionId, ...asked } })
      .then((found) => isCurrent && setChecked({ of: patientId, isOfDrugs, ...found }))
      .catch(() => isCurrent && setChecked({ of: patientId, isOfDrugs, warnings: null }))
    return () => {
      isCurrent = false
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a further try asks the same again
  }, [patientId, wanted, prescriptionId, tries])
  const retry = useCallback(() => setTries((count) => count + 1), [])
  // somebody else's warnings are nobody's; while a change is being checked, the last ones stay
  const isOfHim = checked !== undefined && checked.of === patientId && checked.isOfDrugs && Boolean(wanted)
  return {
    warnings: isOfHim ? checked.warnings : [],
    allergyState: isOfHim ? checked.allergyState : undefined,
    dosesUnchecked: isOfHim ? checked.dosesUnchecked : undefined,
    setWarnings: (warnings: readonly Warning[]) =>
      patientId && setChecked((last) => ({ ...last, of: patientId, isOfDrugs: true, warnings })),
    /** What the checks know of the patient, before any medicine is chosen. */
    facts: checked?.of === patientId ? checked?.facts : undefined,
    retry,
    /** Something was checked: only then may it be said that nothing was found. */
    isChecked: isOfHim,
  }
}

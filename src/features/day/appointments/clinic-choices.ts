import { useEffect, useState } from 'react'
import { api } from '~/client/api'
import type { Option } from '~/fields/field'

type Named = { id: string; name: string }
export type ClinicChoices = {
  departments: readonly Option[]
  providers: readonly Option[]
  of?: string
}

export const asOption = ({ id, name }: Named): Option => ({ value: id, label: { text: name } })

const none: ClinicChoices = { departments: [], providers: [] }

/**
 * The departments of the chosen clinic and the providers who may edit records there; empty if
 * loading fails.
 */
export function useClinicChoices(clinicId: string | undefined): ClinicChoices {
  const [loaded, setLoaded] = useState<ClinicChoices>(none)
  useEffect(() => {
    if (!clinicId) return
    let isCurrent = true
    const show = (found: ClinicChoices) => isCurrent && setLoaded({ ...found, of: clinicId })
    Promise.all([
      api.departments.names({ clinicId }),
      api.users.names({ clinicId, permission: 'can_edit_records' }),
    ])
      .then(([departments, users]) =>
        show({ departments: departments.map(asOption), providers: users.map(asOption) }),
      )
      .catch(() => show(none))
    return () => {
      isCurrent = false
    }
  }, [clinicId])
  return loaded.of === clinicId ? loaded : none
}

import { useQuery } from '~/client/query'
import { type Option, asOption } from '~/fields/field'

type ClinicChoices = {
  departments: readonly Option[]
  providers: readonly Option[]
  of?: string
}

/**
 * The departments of the chosen clinic and the providers who may edit records there; empty if
 * loading fails.
 */
export function useClinicChoices(clinicId: string | undefined): ClinicChoices {
  const { data: departments } = useQuery('departments.names', clinicId ? { clinicId } : null)
  const { data: providers } = useQuery(
    'users.names',
    clinicId ? { clinicId, permission: 'can_edit_records' } : null,
  )
  if (!departments || !providers) return { departments: [], providers: [] }
  return {
    departments: departments.map(asOption),
    providers: providers.map(asOption),
    of: clinicId,
  }
}

import { fhirEverything } from '~/fhir/everything.server'
import {
  fhirExport,
  fhirExportDelete,
  fhirExportFile,
  fhirExportStatus,
} from '~/fhir/export.server'
import { fhirRead, fhirSearch } from '~/fhir/reads.server'
import { fhirSummary } from '~/fhir/summary.server'
import { issueToken } from '~/fhir/token.server'

/**
 * The operations of FHIR: programs reach them at `/api/fhir` and the token endpoint, and not through the registry.
 * Writes call operations of the registry; what is refused before has a name of its own.
 */
export const fhirOperations: ReadonlySet<string> = new Set([
  'fhir.create',
  'fhir.update',
  'fhir.delete',
  ...[
    fhirRead,
    fhirSearch,
    fhirEverything,
    fhirSummary,
    fhirExport,
    fhirExportStatus,
    fhirExportFile,
    fhirExportDelete,
    issueToken,
  ].map(({ facts }) => facts.name),
])

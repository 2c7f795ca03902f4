import { fhirEverything } from '~/fhir/everything.server'
import {
  fhirExport,
  fhirExportDelete,
  fhirExportFile,
  fhirExportStatus,
} from '~/fhir/export.server'
import { fhirRead, fhirSearch } from '~/fhir/reads.server'
import { fhirSummary } from '~/fhir/summary.server'

/** The operations of FHIR: programs reach them at `/api/fhir`, and not through the registry. */
export const fhirOperations: ReadonlySet<string> = new Set(
  [
    fhirRead,
    fhirSearch,
    fhirEverything,
    fhirSummary,
    fhirExport,
    fhirExportStatus,
    fhirExportFile,
    fhirExportDelete,
  ].map(({ facts }) => facts.name),
)

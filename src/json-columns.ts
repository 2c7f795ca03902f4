/**
 * The types of JSON columns whose values are checked before they are stored. JSON that phones send, and `metadata` that
 * several versions wrote, has the type `unknown`, so the reader must check it. Only optional members may be added to a
 * type here, because the rows of earlier versions are not rewritten.
 */
import type { EnrollmentFacts } from '~/features/care/programs/enrolment'
import type { SetItem } from '~/features/medicines/prescriptions/sets/prescription-set'
import type { OldWarning, Warning } from '~/features/medicines/safety/rules/warning'
import type { Changes } from '~/features/office/audit/audit'
import type { ColumnMapping } from '~/features/exchange/imports/lists'
import type { ColumnFormats } from '~/features/exchange/imports/reader/formats'
import type { Tally } from '~/features/exchange/imports/tally'
import type { Deleted } from '~/features/people/patients/deletions/large-deletions.server'
import type { StoredMerge } from '~/features/people/patients/duplicates/merge.server'
import type { ReportDefinition } from '~/features/reports/cells/grammar'
import type { ImportSummary } from '~/features/reports/exchange/import-summary'
import type { ExportFile } from '~/fhir/export-files.server'
import type { Message } from '~/shared/errors'
import type { Wire } from '~/sync/schema/kinds'

declare module '~/db/json-columns' {
  interface JsonColumns {
    'audit_log.changes': Changes
    'backup_copies.failure': Message
    'backups.failure': Message
    'fhir_exports.files': readonly ExportFile[]
    'import_rejections.reason': Message
    'imports.failure': Message
    'imports.formats': ColumnFormats
    'imports.mapping': ColumnMapping
    'imports.tally': Tally
    'large_deletions.failure': Message
    'large_deletions.patients': readonly Deleted[]
    'patient_merges.changed': StoredMerge['changed']
    'patient_merges.edited': StoredMerge['edited']
    'patient_merges.kept': StoredMerge['kept']
    'patient_merges.replaced': StoredMerge['replaced']
    'prescription_sets.items': readonly SetItem[]
    'program_enrollments.metadata': EnrollmentFacts
    'report_definition_versions.body': ReportDefinition
    'report_definitions.body': ReportDefinition
    'report_sendings.conflicts': ImportSummary['conflicts']
    'report_sendings.counts': NonNullable<ImportSummary['counts']>
    'safety_overrides.warning': Warning | OldWarning
    'sync_conflicts.phone_value': Wire
    'sync_conflicts.server_value': Wire
    'sync_conflicts.settled_value': Wire
  }
}

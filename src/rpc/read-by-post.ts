/**
 * Reads that come by POST: the input is long (docs/specification.md, "Prescription form"), or holds personal data,
 * which does not belong in addresses and their logs.
 */
export const READ_BY_POST: readonly string[] = [
  'documents.preview',
  'patients.duplicates',
  'patients.search',
  'prescriptions.get',
  'reportDefinitions.preview',
]

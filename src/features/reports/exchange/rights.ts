import { mayCount } from '~/features/reports/runs/rights'
import { type Actor, mayAnywhere, mayIn } from '~/shared/actor'

/** Exports and sends reports: exact values leave Sanad. */
export const mayExport = (actor: Actor, clinicIds: readonly string[]) =>
  mayCount(actor, clinicIds) &&
  clinicIds.every((id) => mayIn(actor, 'can_download_patient_reports', id))
export const mayExportSomewhere = (actor: Actor) =>
  mayAnywhere(actor, 'can_download_patient_reports')

import * as appointments from '~/features/appointments/appointments.server'
import * as booking from '~/features/appointments/booking.server'
import * as appointmentExport from '~/features/appointments/export.server'
import * as appointmentStatus from '~/features/appointments/status.server'
import * as audit from '~/features/audit/audit.server'
import * as backups from '~/features/backups/backups.server'
import * as clinics from '~/features/clinics/clinics.server'
import * as departments from '~/features/clinics/departments.server'
import * as eventFormVersions from '~/features/event-forms/event-form-versions.server'
import * as eventForms from '~/features/event-forms/event-forms.server'
import * as formStarters from '~/features/event-forms/starters.server'
import * as eventAnswers from '~/features/events/event-answers.server'
import * as eventFiles from '~/features/events/event-files.server'
import * as eventMedicines from '~/features/events/event-medicines.server'
import * as eventHistory from '~/features/events/event-history.server'
import * as explore from '~/features/events/explore.server'
import * as exploreCharts from '~/features/events/explore-charts.server'
import * as eventExport from '~/features/events/export.server'
import * as events from '~/features/events/events.server'
import * as patientHistory from '~/features/patients/history.server'
import * as duplicates from '~/features/patients/duplicates/duplicates.server'
import * as patientExport from '~/features/patients/search/export.server'
import * as merges from '~/features/patients/duplicates/merge.server'
import * as patientDeletions from '~/features/patients/patient-deletions.server'
import * as catalogueFile from '~/features/drugs/catalogue-file.server'
import * as drugs from '~/features/drugs/drugs.server'
import * as batches from '~/features/inventory/batches.server'
import * as clinicBatches from '~/features/inventory/clinic-batches.server'
import * as inventory from '~/features/inventory/inventory.server'
import * as ledger from '~/features/inventory/ledger.server'
import * as shortfalls from '~/features/inventory/shortfalls.server'
import * as stockChanges from '~/features/inventory/stock-changes.server'
import * as patients from '~/features/patients/patients.server'
import * as patientSearch from '~/features/patients/search/search.server'
import * as photos from '~/features/patients/photos/photos.server'
import * as codes from '~/features/problem-codes/codes.server'
import * as pregnancies from '~/features/pregnancies/pregnancies.server'
import * as allergies from '~/features/allergies/allergies.server'
import * as dispensing from '~/features/dispensing/dispensing.server'
import * as dispensingQueue from '~/features/dispensing/queue.server'
import * as prescriptionExport from '~/features/prescriptions/export.server'
import * as prescriptionListing from '~/features/prescriptions/listing.server'
import * as prescriptions from '~/features/prescriptions/prescriptions.server'
import * as safetyCheck from '~/features/prescriptions/safety-check.server'
import * as prescriptionStatus from '~/features/prescriptions/status.server'
import * as overrides from '~/features/safety/overrides.server'
import * as medicines from '~/features/medicines/medicines.server'
import * as safetyRules from '~/features/safety/rules.server'
import * as problems from '~/features/problems/problems.server'
import * as queue from '~/features/queue/queue.server'
import * as turns from '~/features/queue/turns.server'
import * as demo from '~/features/demo/demo.server'
import * as people from '~/features/people/people.server'
import * as registrationForms from '~/features/registration-form/registration-forms.server'
import * as account from '~/features/sessions/account.server'
import * as sessions from '~/features/sessions/sessions.server'
import * as setup from '~/features/sessions/setup.server'
import * as twoFactor from '~/features/sessions/two-factor.server'
import * as viewer from '~/features/sessions/viewer.server'
import * as administration from '~/features/reports/administration.server'
import * as stockSummary from '~/features/reports/stock-summary.server'
import * as summary from '~/features/reports/summary.server'
import * as configurations from '~/features/settings/configurations.server'
import * as timeline from '~/features/timeline/timeline.server'
import * as imports from '~/features/imports/imports.server'
import * as trash from '~/features/trash/trash.server'
import * as permissions from '~/features/users/permissions.server'
import * as userExport from '~/features/users/export.server'
import * as users from '~/features/users/users.server'
import * as visits from '~/features/visits/visits.server'
import * as growth from '~/features/vitals/growth.server'
import * as vitals from '~/features/vitals/vitals.server'
import type { AnyOperation } from '~/server/operation'
import * as lostValues from '~/features/devices/conflicts.server'
import * as phones from '~/features/devices/devices.server'
import * as refusedRows from '~/features/devices/quarantine.server'

/**
 * Every file of operations. What they export is what programs may call: a test sees to it that no
 * file is missing here.
 */
const files = [
  lostValues,
  phones,
  refusedRows,
  allergies,
  pregnancies,
  medicines,
  dispensing,
  dispensingQueue,
  prescriptionExport,
  prescriptionListing,
  prescriptions,
  prescriptionStatus,
  safetyCheck,
  overrides,
  safetyRules,
  drugs,
  catalogueFile,
  inventory,
  batches,
  clinicBatches,
  stockChanges,
  ledger,
  shortfalls,
  appointments,
  booking,
  appointmentExport,
  appointmentStatus,
  queue,
  turns,
  audit,
  backups,
  clinics,
  people,
  demo,
  administration,
  stockSummary,
  summary,
  configurations,
  departments,
  duplicates,
  merges,
  patientDeletions,
  patientExport,
  patientSearch,
  patientHistory,
  patients,
  photos,
  codes,
  problems,
  registrationForms,
  eventForms,
  eventFormVersions,
  formStarters,
  events,
  eventAnswers,
  eventFiles,
  explore,
  exploreCharts,
  eventExport,
  eventHistory,
  eventMedicines,
  account,
  sessions,
  setup,
  twoFactor,
  viewer,
  timeline,
  trash,
  permissions,
  userExport,
  users,
  visits,
  growth,
  vitals,
  imports,
]

const isOperation = (value: unknown): value is AnyOperation =>
  typeof value === 'function' && 'facts' in value

/** By name, `noun.verb`. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  files
    .flatMap((file) => Object.values(file))
    .filter(isOperation)
    .map((operation) => [operation.facts.name, operation]),
)

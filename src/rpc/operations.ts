import * as appointments from '~/features/day/appointments/appointments.server'
import * as booking from '~/features/day/appointments/booking.server'
import * as appointmentExport from '~/features/day/appointments/export.server'
import * as appointmentStatus from '~/features/day/appointments/status.server'
import * as accesses from '~/features/office/audit/accesses.server'
import * as audit from '~/features/office/audit/audit.server'
import * as seals from '~/features/office/audit/seals.server'
import * as backups from '~/features/office/backups/backups.server'
import * as copies from '~/features/office/backups/copies.server'
import * as clinics from '~/features/office/clinics/clinics.server'
import * as departments from '~/features/office/clinics/departments.server'
import * as eventFormVersions from '~/features/forms/event-forms/event-form-versions.server'
import * as eventForms from '~/features/forms/event-forms/event-forms.server'
import * as formStarters from '~/features/forms/event-forms/starters.server'
import * as eventAnswers from '~/features/forms/events/event-answers.server'
import * as eventFiles from '~/features/forms/events/event-files.server'
import * as eventMedicines from '~/features/forms/events/event-medicines.server'
import * as eventHistory from '~/features/forms/events/event-history.server'
import * as explore from '~/features/forms/events/explore/explore.server'
import * as exploreCharts from '~/features/forms/events/explore/explore-charts.server'
import * as eventExport from '~/features/forms/events/explore/export.server'
import * as events from '~/features/forms/events/events.server'
import * as patientHistory from '~/features/people/patients/history.server'
import * as duplicates from '~/features/people/patients/duplicates/duplicates.server'
import * as patientExport from '~/features/people/patients/search/export.server'
import * as merges from '~/features/people/patients/duplicates/merge.server'
import * as patientDeletions from '~/features/people/patients/deletions/deletions.server'
import * as largeDeletions from '~/features/people/patients/deletions/large-deletions.server'
import * as catalogueFile from '~/features/medicines/drugs/catalogue-file.server'
import * as drugs from '~/features/medicines/drugs/drugs.server'
import * as batches from '~/features/medicines/inventory/batches.server'
import * as clinicBatches from '~/features/medicines/inventory/clinic-batches.server'
import * as inventory from '~/features/medicines/inventory/inventory.server'
import * as ledger from '~/features/medicines/inventory/ledger/ledger.server'
import * as shortfalls from '~/features/medicines/inventory/changes/shortfalls.server'
import * as stockChanges from '~/features/medicines/inventory/changes/stock-changes.server'
import * as papers from '~/features/people/patients/language/paper.server'
import * as patients from '~/features/people/patients/patients.server'
import * as patientSearch from '~/features/people/patients/search/search.server'
import * as banner from '~/features/care/banner/banner.server'
import * as cards from '~/features/people/patients/card/cards.server'
import * as photos from '~/features/people/patients/photos/photos.server'
import * as documents from '~/features/exchange/documents/documents.server'
import * as takenDocuments from '~/features/exchange/documents/taken-documents.server'
import * as codes from '~/features/care/problem-codes/codes.server'
import * as immunizationExport from '~/features/care/immunizations/export.server'
import * as immunizations from '~/features/care/immunizations/immunizations.server'
import * as referrals from '~/features/care/referrals/referrals.server'
import * as pregnancies from '~/features/care/pregnancies/pregnancies.server'
import * as allergies from '~/features/care/allergies/allergies.server'
import * as dispensing from '~/features/medicines/dispensing/dispensing.server'
import * as dispensingPaper from '~/features/medicines/dispensing/paper.server'
import * as dispensingQueue from '~/features/medicines/dispensing/queue.server'
import * as prescriptionExport from '~/features/medicines/prescriptions/export.server'
import * as prescriptionListing from '~/features/medicines/prescriptions/listing.server'
import * as prescriptions from '~/features/medicines/prescriptions/prescriptions.server'
import * as safetyCheck from '~/features/medicines/prescriptions/check/safety-check.server'
import * as prescriptionStatus from '~/features/medicines/prescriptions/status.server'
import * as overrides from '~/features/medicines/safety/overrides.server'
import * as currentMedicines from '~/features/medicines/taken/current.server'
import * as medicines from '~/features/medicines/taken/medicines.server'
import * as prescriptionSets from '~/features/medicines/prescriptions/sets/sets.server'
import * as secondPerson from '~/features/medicines/safety/second/second-person.server'
import * as reconciliation from '~/features/medicines/taken/reconciliation.server'
import * as safetyRules from '~/features/medicines/safety/rules.server'
import * as problems from '~/features/care/problems/problems.server'
import * as programs from '~/features/care/programs/programs.server'
import * as followUps from '~/features/day/followups/followups.server'
import * as followUpCalls from '~/features/day/followups/calls.server'
import * as followUpSchedules from '~/features/day/followups/schedules.server'
import * as consents from '~/features/day/followups/messages/consents.server'
import * as messageGateway from '~/features/day/followups/messages/gateway.server'
import * as messageTexts from '~/features/day/followups/messages/texts.server'
import * as patientMessages from '~/features/day/followups/messages/messages.server'
import * as registers from '~/features/record/registers/registers.server'
import * as board from '~/features/day/queue/board.server'
import * as queue from '~/features/day/queue/queue.server'
import * as turns from '~/features/day/queue/turns.server'
import * as demo from '~/features/office/demo/demo.server'
import * as people from '~/features/office/demo/people.server'
import * as apiClients from '~/features/office/api-clients/api-clients.server'
import * as hub from '~/features/office/hub/hub.server'
import * as reportBindings from '~/features/reports/definitions/bindings.server'
import * as reportDefinitions from '~/features/reports/definitions/definitions.server'
import * as dhis2Import from '~/features/reports/exchange/import.server'
import * as dhis2Server from '~/features/reports/exchange/dhis-server.server'
import * as externalCodes from '~/features/reports/exchange/external-codes.server'
import * as reportExport from '~/features/reports/exchange/export.server'
import * as sendings from '~/features/reports/exchange/sendings.server'
import * as registrationForms from '~/features/people/registration/registration-forms.server'
import * as account from '~/features/office/sessions/account.server'
import * as appPasswords from '~/features/office/sessions/app-passwords/app-passwords.server'
import * as sessions from '~/features/office/sessions/sessions.server'
import * as setup from '~/features/office/sessions/setup/setup.server'
import * as trust from '~/features/office/trust/trust.server'
import * as twoFactor from '~/features/office/sessions/two-factor/two-factor.server'
import * as viewer from '~/features/office/sessions/viewer.server'
import * as administration from '~/features/reports/dashboard/administration.server'
import * as stockSummary from '~/features/reports/dashboard/stock-summary.server'
import * as summary from '~/features/reports/dashboard/summary.server'
import * as configurations from '~/features/office/settings/configurations.server'
import * as timeline from '~/features/record/timeline/timeline.server'
import * as imports from '~/features/exchange/imports/imports.server'
import * as importedUsers from '~/features/exchange/imports/record-files/new-users.server'
import * as importUndo from '~/features/exchange/imports/undo/request.server'
import * as trash from '~/features/office/trash/trash.server'
import * as permissions from '~/features/office/users/permissions.server'
import * as userExport from '~/features/office/users/export.server'
import * as passwordsToAsk from '~/features/office/users/ask-passwords.server'
import * as users from '~/features/office/users/users.server'
import * as emergencies from '~/features/record/sharing/emergencies.server'
import * as openings from '~/features/record/sharing/openings.server'
import * as visits from '~/features/record/visits/visits.server'
import * as growth from '~/features/care/vitals/growth/growth.server'
import * as vitals from '~/features/care/vitals/vitals.server'
import * as reportClosedOn from '~/features/reports/runs/closed-on.server'
import * as reportClosing from '~/features/reports/runs/closing.server'
import * as reportDrill from '~/features/reports/runs/drill.server'
import * as reports from '~/features/reports/runs/reports.server'
import * as reportTrend from '~/features/reports/runs/trend.server'
import * as relatedPersons from '~/features/people/related/related-persons.server'
import type { AnyOperation } from '~/server/operation'
import * as movedIn from '~/features/exchange/imports/moved-in/moved-in.server'
import * as lostValues from '~/features/office/devices/conflicts.server'
import * as phones from '~/features/office/devices/devices.server'
import * as refusedRows from '~/features/office/devices/quarantine.server'

/**
 * Every file of operations. What they export is what programs may call: a test sees to it that no
 * file is missing here.
 */
const files = [
  movedIn,
  lostValues,
  openings,
  emergencies,
  phones,
  refusedRows,
  allergies,
  immunizations,
  immunizationExport,
  referrals,
  pregnancies,
  programs,
  followUps,
  followUpCalls,
  followUpSchedules,
  consents,
  relatedPersons,
  messageTexts,
  patientMessages,
  messageGateway,
  medicines,
  prescriptionSets,
  reconciliation,
  secondPerson,
  currentMedicines,
  dispensing,
  dispensingPaper,
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
  board,
  registers,
  queue,
  turns,
  audit,
  seals,
  accesses,
  backups,
  copies,
  clinics,
  people,
  demo,
  administration,
  stockSummary,
  summary,
  configurations,
  apiClients,
  hub,
  departments,
  duplicates,
  merges,
  patientDeletions,
  largeDeletions,
  patientExport,
  patientSearch,
  patientHistory,
  patients,
  photos,
  banner,
  cards,
  papers,
  codes,
  documents,
  takenDocuments,
  problems,
  registrationForms,
  dhis2Import,
  dhis2Server,
  externalCodes,
  reportExport,
  sendings,
  reportBindings,
  reportDefinitions,
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
  appPasswords,
  sessions,
  setup,
  trust,
  twoFactor,
  viewer,
  timeline,
  trash,
  permissions,
  userExport,
  users,
  passwordsToAsk,
  visits,
  growth,
  vitals,
  imports,
  importedUsers,
  importUndo,
  reports,
  reportClosedOn,
  reportClosing,
  reportDrill,
  reportTrend,
]

const isOperation = (value: unknown): value is AnyOperation =>
  typeof value === 'function' && 'facts' in value

/** By name, `noun.verb`. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  files
    .flatMap((file): unknown[] => Object.values(file))
    .filter(isOperation)
    .map((operation) => [operation.facts.name, operation]),
)

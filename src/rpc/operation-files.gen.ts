// Generated: `npm test -- test/operation-types.test.ts -u` writes it anew. Do not edit.
import * as file0 from '~/features/care/allergies/allergies.server'
import * as file1 from '~/features/care/banner/banner.server'
import * as file2 from '~/features/care/immunizations/export.server'
import * as file3 from '~/features/care/immunizations/immunizations.server'
import * as file4 from '~/features/care/pregnancies/pregnancies.server'
import * as file5 from '~/features/care/problem-codes/codes.server'
import * as file6 from '~/features/care/problems/problems.server'
import * as file7 from '~/features/care/programs/programs.server'
import * as file8 from '~/features/care/referrals/referrals.server'
import * as file9 from '~/features/care/vitals/growth/growth.server'
import * as file10 from '~/features/care/vitals/vitals.server'
import * as file11 from '~/features/day/appointments/appointments.server'
import * as file12 from '~/features/day/appointments/booking.server'
import * as file13 from '~/features/day/appointments/export.server'
import * as file14 from '~/features/day/appointments/status.server'
import * as file15 from '~/features/day/followups/calls.server'
import * as file16 from '~/features/day/followups/followups.server'
import * as file17 from '~/features/day/followups/messages/consents.server'
import * as file18 from '~/features/day/followups/messages/gateway.server'
import * as file19 from '~/features/day/followups/messages/messages.server'
import * as file20 from '~/features/day/followups/messages/texts.server'
import * as file21 from '~/features/day/followups/schedules.server'
import * as file22 from '~/features/day/queue/board.server'
import * as file23 from '~/features/day/queue/queue.server'
import * as file24 from '~/features/day/queue/turns.server'
import * as file25 from '~/features/exchange/documents/documents.server'
import * as file26 from '~/features/exchange/documents/taken-documents.server'
import * as file27 from '~/features/exchange/imports/imports.server'
import * as file28 from '~/features/exchange/imports/moved-in/moved-in.server'
import * as file29 from '~/features/exchange/imports/record-files/new-users.server'
import * as file30 from '~/features/exchange/imports/undo/request.server'
import * as file31 from '~/features/forms/event-forms/event-form-versions.server'
import * as file32 from '~/features/forms/event-forms/event-forms.server'
import * as file33 from '~/features/forms/event-forms/starters.server'
import * as file34 from '~/features/forms/events/event-answers.server'
import * as file35 from '~/features/forms/events/event-files.server'
import * as file36 from '~/features/forms/events/event-history.server'
import * as file37 from '~/features/forms/events/event-medicines.server'
import * as file38 from '~/features/forms/events/events.server'
import * as file39 from '~/features/forms/events/explore/explore-charts.server'
import * as file40 from '~/features/forms/events/explore/explore.server'
import * as file41 from '~/features/forms/events/explore/export.server'
import * as file42 from '~/features/medicines/dispensing/dispensing.server'
import * as file43 from '~/features/medicines/dispensing/paper.server'
import * as file44 from '~/features/medicines/dispensing/queue.server'
import * as file45 from '~/features/medicines/drugs/catalogue-file.server'
import * as file46 from '~/features/medicines/drugs/drugs.server'
import * as file47 from '~/features/medicines/inventory/batches.server'
import * as file48 from '~/features/medicines/inventory/changes/shortfalls.server'
import * as file49 from '~/features/medicines/inventory/changes/stock-changes.server'
import * as file50 from '~/features/medicines/inventory/clinic-batches.server'
import * as file51 from '~/features/medicines/inventory/inventory.server'
import * as file52 from '~/features/medicines/inventory/ledger/ledger.server'
import * as file53 from '~/features/medicines/prescriptions/check/safety-check.server'
import * as file54 from '~/features/medicines/prescriptions/export.server'
import * as file55 from '~/features/medicines/prescriptions/listing.server'
import * as file56 from '~/features/medicines/prescriptions/prescriptions.server'
import * as file57 from '~/features/medicines/prescriptions/sets/sets.server'
import * as file58 from '~/features/medicines/prescriptions/status.server'
import * as file59 from '~/features/medicines/safety/overrides.server'
import * as file60 from '~/features/medicines/safety/rules.server'
import * as file61 from '~/features/medicines/safety/second/second-person.server'
import * as file62 from '~/features/medicines/taken/current.server'
import * as file63 from '~/features/medicines/taken/medicines.server'
import * as file64 from '~/features/medicines/taken/reconciliation.server'
import * as file65 from '~/features/office/api-clients/api-clients.server'
import * as file66 from '~/features/office/audit/accesses.server'
import * as file67 from '~/features/office/audit/audit.server'
import * as file68 from '~/features/office/audit/seals.server'
import * as file69 from '~/features/office/backups/backups.server'
import * as file70 from '~/features/office/backups/copies.server'
import * as file71 from '~/features/office/clinics/clinics.server'
import * as file72 from '~/features/office/clinics/departments.server'
import * as file73 from '~/features/office/demo/demo.server'
import * as file74 from '~/features/office/demo/people.server'
import * as file75 from '~/features/office/devices/conflicts.server'
import * as file76 from '~/features/office/devices/devices.server'
import * as file77 from '~/features/office/devices/quarantine.server'
import * as file78 from '~/features/office/hub/hub.server'
import * as file79 from '~/features/office/sessions/account.server'
import * as file80 from '~/features/office/sessions/app-passwords/app-passwords.server'
import * as file81 from '~/features/office/sessions/sessions.server'
import * as file82 from '~/features/office/sessions/setup/setup.server'
import * as file83 from '~/features/office/sessions/two-factor/two-factor.server'
import * as file84 from '~/features/office/sessions/viewer.server'
import * as file85 from '~/features/office/settings/configurations.server'
import * as file86 from '~/features/office/trash/trash.server'
import * as file87 from '~/features/office/trust/trust.server'
import * as file88 from '~/features/office/users/ask-passwords.server'
import * as file89 from '~/features/office/users/export.server'
import * as file90 from '~/features/office/users/permissions.server'
import * as file91 from '~/features/office/users/users.server'
import * as file92 from '~/features/people/patients/card/cards.server'
import * as file93 from '~/features/people/patients/deletions/deletions.server'
import * as file94 from '~/features/people/patients/deletions/large-deletions.server'
import * as file95 from '~/features/people/patients/duplicates/duplicates.server'
import * as file96 from '~/features/people/patients/duplicates/merge.server'
import * as file97 from '~/features/people/patients/history.server'
import * as file98 from '~/features/people/patients/language/paper.server'
import * as file99 from '~/features/people/patients/patients.server'
import * as file100 from '~/features/people/patients/photos/photos.server'
import * as file101 from '~/features/people/patients/search/export.server'
import * as file102 from '~/features/people/patients/search/search.server'
import * as file103 from '~/features/people/registration/registration-forms.server'
import * as file104 from '~/features/people/related/related-persons.server'
import * as file105 from '~/features/record/registers/registers.server'
import * as file106 from '~/features/record/sharing/emergencies.server'
import * as file107 from '~/features/record/sharing/openings.server'
import * as file108 from '~/features/record/timeline/timeline.server'
import * as file109 from '~/features/record/visits/visits.server'
import * as file110 from '~/features/reports/dashboard/administration.server'
import * as file111 from '~/features/reports/dashboard/stock-summary.server'
import * as file112 from '~/features/reports/dashboard/summary.server'
import * as file113 from '~/features/reports/definitions/bindings.server'
import * as file114 from '~/features/reports/definitions/definitions.server'
import * as file115 from '~/features/reports/exchange/dhis-server.server'
import * as file116 from '~/features/reports/exchange/export.server'
import * as file117 from '~/features/reports/exchange/external-codes.server'
import * as file118 from '~/features/reports/exchange/import.server'
import * as file119 from '~/features/reports/exchange/sendings.server'
import * as file120 from '~/features/reports/runs/closed-on.server'
import * as file121 from '~/features/reports/runs/closing.server'
import * as file122 from '~/features/reports/runs/drill.server'
import * as file123 from '~/features/reports/runs/reports.server'
import * as file124 from '~/features/reports/runs/trend.server'

/** Every file of features that exports operations. */
export const FILES: readonly Record<string, unknown>[] = [
  file0,
  file1,
  file2,
  file3,
  file4,
  file5,
  file6,
  file7,
  file8,
  file9,
  file10,
  file11,
  file12,
  file13,
  file14,
  file15,
  file16,
  file17,
  file18,
  file19,
  file20,
  file21,
  file22,
  file23,
  file24,
  file25,
  file26,
  file27,
  file28,
  file29,
  file30,
  file31,
  file32,
  file33,
  file34,
  file35,
  file36,
  file37,
  file38,
  file39,
  file40,
  file41,
  file42,
  file43,
  file44,
  file45,
  file46,
  file47,
  file48,
  file49,
  file50,
  file51,
  file52,
  file53,
  file54,
  file55,
  file56,
  file57,
  file58,
  file59,
  file60,
  file61,
  file62,
  file63,
  file64,
  file65,
  file66,
  file67,
  file68,
  file69,
  file70,
  file71,
  file72,
  file73,
  file74,
  file75,
  file76,
  file77,
  file78,
  file79,
  file80,
  file81,
  file82,
  file83,
  file84,
  file85,
  file86,
  file87,
  file88,
  file89,
  file90,
  file91,
  file92,
  file93,
  file94,
  file95,
  file96,
  file97,
  file98,
  file99,
  file100,
  file101,
  file102,
  file103,
  file104,
  file105,
  file106,
  file107,
  file108,
  file109,
  file110,
  file111,
  file112,
  file113,
  file114,
  file115,
  file116,
  file117,
  file118,
  file119,
  file120,
  file121,
  file122,
  file123,
  file124,
]

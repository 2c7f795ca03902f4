// Generated: `npm test -- test/operation-types.test.ts -u` writes it anew. Do not edit.
import type * as appointments from '~/features/day/appointments/appointments.server'
import type * as booking from '~/features/day/appointments/booking.server'
import type * as appointmentExport from '~/features/day/appointments/export.server'
import type * as appointmentStatus from '~/features/day/appointments/status.server'
import type * as accesses from '~/features/office/audit/accesses.server'
import type * as audit from '~/features/office/audit/audit.server'
import type * as seals from '~/features/office/audit/seals.server'
import type * as backups from '~/features/office/backups/backups.server'
import type * as copies from '~/features/office/backups/copies.server'
import type * as clinics from '~/features/office/clinics/clinics.server'
import type * as departments from '~/features/office/clinics/departments.server'
import type * as eventFormVersions from '~/features/forms/event-forms/event-form-versions.server'
import type * as eventForms from '~/features/forms/event-forms/event-forms.server'
import type * as formStarters from '~/features/forms/event-forms/starters.server'
import type * as eventAnswers from '~/features/forms/events/event-answers.server'
import type * as eventFiles from '~/features/forms/events/event-files.server'
import type * as eventMedicines from '~/features/forms/events/event-medicines.server'
import type * as eventHistory from '~/features/forms/events/event-history.server'
import type * as explore from '~/features/forms/events/explore/explore.server'
import type * as exploreCharts from '~/features/forms/events/explore/explore-charts.server'
import type * as eventExport from '~/features/forms/events/explore/export.server'
import type * as events from '~/features/forms/events/events.server'
import type * as patientHistory from '~/features/people/patients/history.server'
import type * as duplicates from '~/features/people/patients/duplicates/duplicates.server'
import type * as patientExport from '~/features/people/patients/search/export.server'
import type * as merges from '~/features/people/patients/duplicates/merge.server'
import type * as patientDeletions from '~/features/people/patients/deletions/deletions.server'
import type * as largeDeletions from '~/features/people/patients/deletions/large-deletions.server'
import type * as catalogueFile from '~/features/medicines/drugs/catalogue-file.server'
import type * as drugs from '~/features/medicines/drugs/drugs.server'
import type * as batches from '~/features/medicines/inventory/batches.server'
import type * as clinicBatches from '~/features/medicines/inventory/clinic-batches.server'
import type * as inventory from '~/features/medicines/inventory/inventory.server'
import type * as ledger from '~/features/medicines/inventory/ledger/ledger.server'
import type * as shortfalls from '~/features/medicines/inventory/changes/shortfalls.server'
import type * as stockChanges from '~/features/medicines/inventory/changes/stock-changes.server'
import type * as papers from '~/features/people/patients/language/paper.server'
import type * as patients from '~/features/people/patients/patients.server'
import type * as patientSearch from '~/features/people/patients/search/search.server'
import type * as banner from '~/features/care/banner/banner.server'
import type * as cards from '~/features/people/patients/card/cards.server'
import type * as photos from '~/features/people/patients/photos/photos.server'
import type * as documents from '~/features/exchange/documents/documents.server'
import type * as takenDocuments from '~/features/exchange/documents/taken-documents.server'
import type * as codes from '~/features/care/problem-codes/codes.server'
import type * as immunizationExport from '~/features/care/immunizations/export.server'
import type * as immunizations from '~/features/care/immunizations/immunizations.server'
import type * as referrals from '~/features/care/referrals/referrals.server'
import type * as pregnancies from '~/features/care/pregnancies/pregnancies.server'
import type * as allergies from '~/features/care/allergies/allergies.server'
import type * as dispensing from '~/features/medicines/dispensing/dispensing.server'
import type * as dispensingPaper from '~/features/medicines/dispensing/paper.server'
import type * as dispensingQueue from '~/features/medicines/dispensing/queue.server'
import type * as prescriptionExport from '~/features/medicines/prescriptions/export.server'
import type * as prescriptionListing from '~/features/medicines/prescriptions/listing.server'
import type * as prescriptions from '~/features/medicines/prescriptions/prescriptions.server'
import type * as safetyCheck from '~/features/medicines/prescriptions/check/safety-check.server'
import type * as prescriptionStatus from '~/features/medicines/prescriptions/status.server'
import type * as overrides from '~/features/medicines/safety/overrides.server'
import type * as currentMedicines from '~/features/medicines/taken/current.server'
import type * as medicines from '~/features/medicines/taken/medicines.server'
import type * as prescriptionSets from '~/features/medicines/prescriptions/sets/sets.server'
import type * as secondPerson from '~/features/medicines/safety/second/second-person.server'
import type * as reconciliation from '~/features/medicines/taken/reconciliation.server'
import type * as safetyRules from '~/features/medicines/safety/rules.server'
import type * as problems from '~/features/care/problems/problems.server'
import type * as programs from '~/features/care/programs/programs.server'
import type * as followUps from '~/features/day/followups/followups.server'
import type * as followUpCalls from '~/features/day/followups/calls.server'
import type * as followUpSchedules from '~/features/day/followups/schedules.server'
import type * as consents from '~/features/day/followups/messages/consents.server'
import type * as messageGateway from '~/features/day/followups/messages/gateway.server'
import type * as messageTexts from '~/features/day/followups/messages/texts.server'
import type * as patientMessages from '~/features/day/followups/messages/messages.server'
import type * as registers from '~/features/record/registers/registers.server'
import type * as board from '~/features/day/queue/board.server'
import type * as queue from '~/features/day/queue/queue.server'
import type * as turns from '~/features/day/queue/turns.server'
import type * as demo from '~/features/office/demo/demo.server'
import type * as people from '~/features/office/demo/people.server'
import type * as apiClients from '~/features/office/api-clients/api-clients.server'
import type * as hub from '~/features/office/hub/hub.server'
import type * as reportBindings from '~/features/reports/definitions/bindings.server'
import type * as reportDefinitions from '~/features/reports/definitions/definitions.server'
import type * as dhis2Import from '~/features/reports/exchange/import.server'
import type * as dhis2Server from '~/features/reports/exchange/dhis-server.server'
import type * as externalCodes from '~/features/reports/exchange/external-codes.server'
import type * as reportExport from '~/features/reports/exchange/export.server'
import type * as sendings from '~/features/reports/exchange/sendings.server'
import type * as registrationForms from '~/features/people/registration/registration-forms.server'
import type * as account from '~/features/office/sessions/account.server'
import type * as appPasswords from '~/features/office/sessions/app-passwords/app-passwords.server'
import type * as sessions from '~/features/office/sessions/sessions.server'
import type * as setup from '~/features/office/sessions/setup/setup.server'
import type * as trust from '~/features/office/trust/trust.server'
import type * as twoFactor from '~/features/office/sessions/two-factor/two-factor.server'
import type * as viewer from '~/features/office/sessions/viewer.server'
import type * as administration from '~/features/reports/dashboard/administration.server'
import type * as stockSummary from '~/features/reports/dashboard/stock-summary.server'
import type * as summary from '~/features/reports/dashboard/summary.server'
import type * as configurations from '~/features/office/settings/configurations.server'
import type * as timeline from '~/features/record/timeline/timeline.server'
import type * as imports from '~/features/exchange/imports/imports.server'
import type * as importedUsers from '~/features/exchange/imports/record-files/new-users.server'
import type * as importUndo from '~/features/exchange/imports/undo/request.server'
import type * as trash from '~/features/office/trash/trash.server'
import type * as permissions from '~/features/office/users/permissions.server'
import type * as userExport from '~/features/office/users/export.server'
import type * as passwordsToAsk from '~/features/office/users/ask-passwords.server'
import type * as users from '~/features/office/users/users.server'
import type * as emergencies from '~/features/record/sharing/emergencies.server'
import type * as openings from '~/features/record/sharing/openings.server'
import type * as visits from '~/features/record/visits/visits.server'
import type * as growth from '~/features/care/vitals/growth/growth.server'
import type * as vitals from '~/features/care/vitals/vitals.server'
import type * as reportClosedOn from '~/features/reports/runs/closed-on.server'
import type * as reportClosing from '~/features/reports/runs/closing.server'
import type * as reportDrill from '~/features/reports/runs/drill.server'
import type * as reports from '~/features/reports/runs/reports.server'
import type * as reportTrend from '~/features/reports/runs/trend.server'
import type * as relatedPersons from '~/features/people/related/related-persons.server'
import type * as movedIn from '~/features/exchange/imports/moved-in/moved-in.server'
import type * as lostValues from '~/features/office/devices/conflicts.server'
import type * as phones from '~/features/office/devices/devices.server'
import type * as refusedRows from '~/features/office/devices/quarantine.server'

export interface Operations {
  'account.changePassword': typeof account.changePassword
  'account.get': typeof account.getAccount
  'account.savePreferences': typeof account.savePreferences
  'account.saveProfile': typeof account.saveProfile
  'allergies.delete': typeof allergies.deleteAllergy
  'allergies.list': typeof allergies.listAllergies
  'allergies.recordNone': typeof allergies.recordNoAllergies
  'allergies.save': typeof allergies.saveAllergy
  'apiClients.get': typeof apiClients.getApiClient
  'apiClients.list': typeof apiClients.listApiClients
  'apiClients.revoke': typeof apiClients.revokeApiClient
  'apiClients.save': typeof apiClients.saveApiClient
  'appPasswords.create': typeof appPasswords.createAppPassword
  'appPasswords.list': typeof appPasswords.listAppPasswords
  'appPasswords.rename': typeof appPasswords.renameAppPassword
  'appPasswords.revoke': typeof appPasswords.revokeAppPassword
  'appointments.byPatient': typeof appointments.appointmentsByPatient
  'appointments.calendar': typeof appointments.appointmentCalendar
  'appointments.cancelSeries': typeof booking.cancelSeries
  'appointments.delete': typeof booking.deleteAppointment
  'appointments.export': typeof appointmentExport.exportAppointments
  'appointments.get': typeof appointments.getAppointment
  'appointments.list': typeof appointments.listAppointments
  'appointments.month': typeof appointments.appointmentMonth
  'appointments.move': typeof booking.moveAppointment
  'appointments.next': typeof appointments.nextAppointment
  'appointments.overlaps': typeof booking.overlappingAppointments
  'appointments.save': typeof booking.saveAppointment
  'appointments.search': typeof appointments.searchAppointments
  'appointments.setStatus': typeof appointmentStatus.setAppointmentStatus
  'appointments.toCome': typeof booking.appointmentsToCome
  'audit.accesses': typeof accesses.listAccesses
  'audit.export': typeof audit.exportAudit
  'audit.exportAccesses': typeof accesses.exportAccesses
  'audit.list': typeof audit.listAudit
  'audit.newestSeal': typeof seals.newestSeal
  'audit.users': typeof audit.listAuditUsers
  'backups.download': typeof backups.downloadBackup
  'backups.file': typeof backups.backupFile
  'backups.last': typeof backups.lastBackup
  'backups.list': typeof backups.listBackups
  'backups.start': typeof backups.startBackup
  'batches.byDrug': typeof batches.listBatches
  'batches.create': typeof batches.createBatch
  'batches.inClinic': typeof clinicBatches.listClinicBatches
  'batches.quarantine': typeof batches.quarantineBatch
  'batches.save': typeof batches.saveBatch
  'checklist.dismiss': typeof administration.dismissNotice
  'checklist.get': typeof administration.getChecklist
  'checklist.recall': typeof administration.recallNotice
  'clinics.archive': typeof clinics.archiveClinic
  'clinics.delete': typeof clinics.deleteClinic
  'clinics.get': typeof clinics.getClinic
  'clinics.list': typeof clinics.listClinics
  'clinics.names': typeof clinics.listClinicNames
  'clinics.restore': typeof clinics.restoreClinic
  'clinics.save': typeof clinics.saveClinic
  'configurations.get': typeof configurations.getConfiguration
  'configurations.list': typeof configurations.listConfigurations
  'configurations.phoneCode': typeof configurations.phoneCode
  'configurations.save': typeof configurations.saveConfiguration
  'configurations.saveAll': typeof configurations.saveConfigurations
  'conflicts.list': typeof lostValues.listConflicts
  'conflicts.settle': typeof lostValues.settleConflict
  'consents.ofPatient': typeof consents.consentsOfPatient
  'consents.save': typeof consents.saveConsent
  'copies.get': typeof copies.getCopies
  'copies.save': typeof copies.saveCopies
  'copies.start': typeof copies.startCopy
  'demo.greet': typeof demo.greet
  'demo.time': typeof demo.serverTime
  'departments.delete': typeof departments.deleteDepartment
  'departments.get': typeof departments.getDepartment
  'departments.hasCapability': typeof departments.checkCapability
  'departments.names': typeof departments.listDepartmentNames
  'departments.save': typeof departments.saveDepartment
  'departments.setStatus': typeof departments.setDepartmentStatus
  'departments.toggleCapability': typeof departments.toggleCapability
  'devices.giveState': typeof phones.giveState
  'devices.list': typeof phones.listPhones
  'devices.waiting': typeof phones.countWaiting
  'dhis2.check': typeof dhis2Server.checkDhis2Server
  'dhis2.dataSet': typeof dhis2Import.readDataSet
  'dhis2.delete': typeof dhis2Server.deleteDhis2Server
  'dhis2.get': typeof dhis2Server.getDhis2Server
  'dhis2.save': typeof dhis2Server.saveDhis2Server
  'dispensing.dispense': typeof dispensing.dispense
  'dispensing.fromPaper': typeof dispensingPaper.recordPaper
  'dispensing.get': typeof dispensingQueue.getToDispense
  'dispensing.propose': typeof dispensing.proposeBatches
  'dispensing.queue': typeof dispensingQueue.listQueue
  'dispensing.records': typeof dispensingQueue.listRecords
  'dispensing.reverse': typeof dispensing.reverseDispensing
  'documents.added': typeof takenDocuments.addedByDocument
  'documents.ofPatient': typeof takenDocuments.listDocuments
  'documents.preview': typeof documents.previewDocument
  'documents.take': typeof documents.takeFromDocument
  'documents.undo': typeof takenDocuments.undoDocument
  'drugs.delete': typeof drugs.deleteDrug
  'drugs.export': typeof catalogueFile.exportDrugs
  'drugs.get': typeof drugs.getDrug
  'drugs.import': typeof catalogueFile.importDrugs
  'drugs.list': typeof drugs.listDrugs
  'drugs.save': typeof drugs.saveDrug
  'drugs.scan': typeof drugs.scanDrug
  'drugs.search': typeof drugs.searchDrugs
  'drugs.setActive': typeof drugs.setDrugActive
  'drugs.stats': typeof drugs.getDrugStats
  'emergencies.allow': typeof emergencies.allowEmergency
  'emergencies.list': typeof emergencies.listEmergencies
  'emergencies.lookUp': typeof emergencies.lookUpPatient
  'emergencies.review': typeof emergencies.reviewEmergency
  'emergencies.start': typeof emergencies.openEmergency
  'eventFiles.get': typeof eventFiles.getEventFile
  'eventFiles.save': typeof eventFiles.saveEventFile
  'eventForms.delete': typeof eventForms.deleteEventForm
  'eventForms.diff': typeof eventFormVersions.compareVersions
  'eventForms.duplicate': typeof eventForms.duplicateEventForm
  'eventForms.get': typeof eventForms.getEventForm
  'eventForms.installStarter': typeof formStarters.installStarter
  'eventForms.list': typeof eventForms.listEventForms
  'eventForms.save': typeof eventForms.saveEventForm
  'eventForms.setEditable': typeof eventForms.setEditable
  'eventForms.setSnapshot': typeof eventForms.setSnapshot
  'eventForms.starter': typeof formStarters.getStarter
  'eventForms.starterUpdate': typeof formStarters.getStarterUpdate
  'eventForms.starters': typeof formStarters.listStarters
  'eventForms.updateFromStarter': typeof formStarters.updateFromStarter
  'eventForms.version': typeof eventFormVersions.getVersion
  'eventForms.versions': typeof eventFormVersions.listVersions
  'events.byForm': typeof explore.listByForm
  'events.charts': typeof exploreCharts.chartsOfForm
  'events.checkMedicines': typeof eventMedicines.checkMedicines
  'events.delete': typeof events.deleteEvent
  'events.export': typeof eventExport.exportEvents
  'events.get': typeof events.getEvent
  'events.history': typeof eventHistory.eventHistory
  'events.list': typeof events.listEvents
  'events.new': typeof events.newEvent
  'events.save': typeof eventAnswers.saveEvent
  'events.snapshots': typeof events.listSnapshots
  'externalCodes.clinics': typeof externalCodes.listClinicCodes
  'externalCodes.list': typeof externalCodes.listCodes
  'externalCodes.save': typeof externalCodes.saveCodes
  'externalCodes.saveClinics': typeof externalCodes.saveClinicCodes
  'followUpSchedules.list': typeof followUpSchedules.listSchedules
  'followUpSchedules.save': typeof followUpSchedules.saveSchedule
  'followups.call': typeof followUpCalls.recordCall
  'followups.called': typeof followUps.calledFollowUps
  'followups.count': typeof followUps.countFollowUps
  'followups.counter': typeof followUpCalls.counterCall
  'followups.list': typeof followUps.listFollowUps
  'followups.ofPatient': typeof followUps.followUpsOfPatient
  'hub.allow': typeof hub.allowHubPhone
  'hub.get': typeof hub.getHub
  'hub.revoke': typeof hub.revokeHubPhone
  'hub.save': typeof hub.saveHub
  'immunizations.delete': typeof immunizations.deleteImmunization
  'immunizations.export': typeof immunizationExport.exportImmunizations
  'immunizations.ofPatient': typeof immunizations.immunizationsOfPatient
  'immunizations.plan': typeof immunizations.immunizationPlan
  'immunizations.save': typeof immunizations.saveImmunization
  'imports.addPart': typeof imports.addPart
  'imports.create': typeof imports.createImport
  'imports.delete': typeof imports.deleteImport
  'imports.doubtful': typeof imports.listDoubtful
  'imports.get': typeof imports.getImport
  'imports.list': typeof imports.listImports
  'imports.newUsers': typeof importedUsers.listNewUsers
  'imports.rejected': typeof imports.listRejected
  'imports.run': typeof imports.runImport
  'imports.setDelimiter': typeof imports.setDelimiter
  'imports.setEncoding': typeof imports.setEncoding
  'imports.setPlace': typeof imports.setPlace
  'imports.stop': typeof imports.stopImport
  'imports.undo': typeof importUndo.undoImport
  'inventory.attention': typeof inventory.inventoryAttention
  'inventory.count': typeof stockChanges.countStock
  'inventory.export': typeof inventory.exportInventory
  'inventory.list': typeof inventory.listInventory
  'inventory.save': typeof stockChanges.saveClinicInventory
  'inventory.transfer': typeof stockChanges.transferStock
  'inventory.writeOff': typeof stockChanges.writeOffStock
  'ledger.list': typeof ledger.listLedger
  'medicines.current': typeof currentMedicines.currentMedicines
  'medicines.delete': typeof medicines.deleteMedicine
  'medicines.list': typeof medicines.listMedicines
  'medicines.save': typeof medicines.saveMedicine
  'messageGateway.check': typeof messageGateway.checkGateway
  'messageGateway.delete': typeof messageGateway.deleteGateway
  'messageGateway.get': typeof messageGateway.getGateway
  'messageGateway.save': typeof messageGateway.saveGateway
  'messageTexts.list': typeof messageTexts.listMessageTexts
  'messageTexts.reset': typeof messageTexts.resetMessageText
  'messageTexts.save': typeof messageTexts.saveMessageText
  'messages.cancel': typeof patientMessages.cancelMessage
  'messages.create': typeof patientMessages.createMessage
  'messages.get': typeof patientMessages.getMessage
  'messages.ofPatient': typeof patientMessages.messagesOfPatient
  'messages.prepare': typeof patientMessages.prepareMessage
  'movedIn.list': typeof movedIn.listMovedIn
  'movedIn.settle': typeof movedIn.settleMovedIn
  'openings.close': typeof openings.closeOpening
  'openings.list': typeof openings.listOpenings
  'openings.ofPatient': typeof openings.hiddenHistory
  'openings.start': typeof openings.openHistory
  'patients.accesses': typeof accesses.listPatientAccesses
  'patients.banner': typeof banner.patientBanner
  'patients.card': typeof cards.patientCard
  'patients.create': typeof patients.createPatient
  'patients.delete': typeof patientDeletions.deletePatient
  'patients.deleteMany': typeof patientDeletions.deletePatients
  'patients.deletionProgress': typeof largeDeletions.largeDeletion
  'patients.duplicates': typeof duplicates.findDuplicates
  'patients.export': typeof patientExport.exportPatients
  'patients.get': typeof patients.getPatient
  'patients.link': typeof duplicates.linkPatient
  'patients.list': typeof patientSearch.listPatients
  'patients.merge': typeof merges.mergePatients
  'patients.mergePreview': typeof merges.mergePreview
  'patients.merges': typeof merges.listMerges
  'patients.paperLanguage': typeof papers.languageOfPaper
  'patients.rights': typeof patientHistory.patientRights
  'patients.save': typeof patients.savePatient
  'patients.search': typeof patientSearch.searchPatients
  'patients.setDeath': typeof programs.setDeath
  'patients.setLanguage': typeof papers.setPatientLanguage
  'patients.stopDeletion': typeof largeDeletions.stopLargeDeletion
  'patients.unlink': typeof duplicates.unlinkPatient
  'patients.unmerge': typeof merges.unmergePatients
  'people.list': typeof people.listPeople
  'permissions.check': typeof viewer.checkPermissions
  'permissions.give': typeof permissions.giveClinic
  'permissions.list': typeof permissions.listPermissions
  'permissions.revoke': typeof permissions.revokeClinic
  'permissions.save': typeof permissions.savePermissions
  'photos.delete': typeof photos.deletePhoto
  'photos.get': typeof photos.getPhoto
  'photos.save': typeof photos.savePhoto
  'pregnancies.delete': typeof pregnancies.deletePregnancy
  'pregnancies.list': typeof pregnancies.listPregnancies
  'pregnancies.record': typeof pregnancies.recordPregnancy
  'prescriptionSets.delete': typeof prescriptionSets.deleteSet
  'prescriptionSets.list': typeof prescriptionSets.listSets
  'prescriptionSets.save': typeof prescriptionSets.saveSet
  'prescriptionSets.use': typeof prescriptionSets.useSet
  'prescriptions.check': typeof safetyCheck.checkDrugs
  'prescriptions.delete': typeof prescriptions.deletePrescription
  'prescriptions.details': typeof prescriptionListing.listPrescriptionDetails
  'prescriptions.export': typeof prescriptionExport.exportPrescriptions
  'prescriptions.get': typeof prescriptions.getPrescription
  'prescriptions.list': typeof prescriptionListing.listPrescriptions
  'prescriptions.save': typeof prescriptions.savePrescription
  'prescriptions.setStatus': typeof prescriptionStatus.setPrescriptionStatus
  'prints.record': typeof accesses.recordPrint
  'problems.delete': typeof problems.deleteProblem
  'problems.get': typeof problems.getProblem
  'problems.importCodes': typeof codes.importCodes
  'problems.list': typeof problems.listProblems
  'problems.save': typeof problems.saveProblem
  'problems.searchCodes': typeof codes.searchCodes
  'programs.end': typeof programs.endEnrollment
  'programs.enroll': typeof programs.enrollInProgram
  'programs.list': typeof programs.listPrograms
  'programs.ofPatient': typeof programs.programsOfPatient
  'programs.save': typeof programs.saveEnrollment
  'quarantine.apply': typeof refusedRows.applyRefused
  'quarantine.get': typeof refusedRows.getRefused
  'quarantine.list': typeof refusedRows.listRefused
  'quarantine.reject': typeof refusedRows.rejectRefused
  'queue.board': typeof board.queueBoard
  'queue.boardLink': typeof board.getBoardLink
  'queue.call': typeof turns.call
  'queue.callNext': typeof turns.callNext
  'queue.checkIn': typeof turns.checkIn
  'queue.finish': typeof turns.finish
  'queue.leave': typeof turns.leave
  'queue.list': typeof queue.listQueue
  'queue.makeBoardLink': typeof board.makeBoardLink
  'queue.ofPatient': typeof queue.queueOfPatient
  'queue.passOver': typeof turns.passOver
  'queue.revokeBoardLink': typeof board.revokeBoardLink
  'queue.send': typeof turns.send
  'queue.setUrgency': typeof turns.setUrgency
  'queue.showBoard': typeof board.showBoard
  'queue.start': typeof turns.start
  'reconciliations.change': typeof reconciliation.changeMedicine
  'reconciliations.decide': typeof reconciliation.decideMedicine
  'reconciliations.delete': typeof reconciliation.deleteDecision
  'reconciliations.list': typeof reconciliation.listReconciliation
  'referrals.delete': typeof referrals.deleteReferral
  'referrals.get': typeof referrals.getReferral
  'referrals.list': typeof referrals.listReferrals
  'referrals.ofPatient': typeof referrals.referralsOfPatient
  'referrals.save': typeof referrals.saveReferral
  'registers.day': typeof registers.dayRegister
  'registers.program': typeof registers.programRegister
  'registrationForm.answered': typeof registrationForms.answeredFields
  'registrationForm.get': typeof registrationForms.getRegistrationForm
  'registrationForm.list': typeof registrationForms.listRegistrationForms
  'registrationForm.save': typeof registrationForms.saveRegistrationForm
  'relatedPersons.delete': typeof relatedPersons.deleteRelatedPerson
  'relatedPersons.ofPatient': typeof relatedPersons.relatedPersonsOfPatient
  'relatedPersons.save': typeof relatedPersons.saveRelatedPerson
  'reportBindings.delete': typeof reportBindings.deleteBinding
  'reportBindings.list': typeof reportBindings.listBindings
  'reportBindings.save': typeof reportBindings.saveBinding
  'reportDefinitions.delete': typeof reportDefinitions.deleteDefinition
  'reportDefinitions.get': typeof reportDefinitions.getDefinition
  'reportDefinitions.importDhis2': typeof dhis2Import.importDhis2
  'reportDefinitions.list': typeof reportDefinitions.listDefinitions
  'reportDefinitions.preview': typeof reportDefinitions.previewDefinition
  'reportDefinitions.save': typeof reportDefinitions.saveDefinition
  'reportDefinitions.versions': typeof reportDefinitions.listDefinitionVersions
  'reports.amend': typeof reportClosing.amendReport
  'reports.close': typeof reportClosing.closeReport
  'reports.closedOn': typeof reportClosedOn.closedOn
  'reports.drill': typeof reportDrill.drillReport
  'reports.export': typeof reportExport.exportReport
  'reports.exportAdx': typeof reportExport.exportAdx
  'reports.exportDhis2': typeof reportExport.exportDhis2
  'reports.history': typeof reportClosing.historyOfReport
  'reports.late': typeof reportClosing.lateRows
  'reports.list': typeof reports.listReports
  'reports.run': typeof reports.runReport
  'reports.saveManual': typeof reports.saveManual
  'reports.send': typeof sendings.sendReport
  'reports.sign': typeof reportClosing.signReport
  'reports.trend': typeof reportTrend.trendOfReport
  'safety.confirm': typeof secondPerson.confirmOverride
  'safety.overrides': typeof overrides.listOverrides
  'safety.review': typeof overrides.reviewOverride
  'safety.rules': typeof safetyRules.listRules
  'safety.switchRule': typeof safetyRules.switchRule
  'safety.unseen': typeof overrides.unseenWarnings
  'sendings.cancel': typeof sendings.cancelSending
  'sendings.list': typeof sendings.listSendings
  'sessions.current': typeof sessions.currentOf
  'sessions.list': typeof sessions.listSessions
  'sessions.listOf': typeof sessions.listSessionsOf
  'sessions.lock': typeof sessions.lockSession
  'sessions.replacePassword': typeof sessions.replacePassword
  'sessions.revoke': typeof sessions.revokeSession
  'sessions.revokeAllOf': typeof sessions.revokeSessionsOf
  'sessions.revokeOthers': typeof sessions.revokeOtherSessions
  'sessions.signIn': typeof sessions.signIn
  'sessions.signOut': typeof sessions.signOut
  'sessions.unlock': typeof sessions.unlockSession
  'sessions.verifyTwoFactor': typeof sessions.verifyTwoFactor
  'setup.complete': typeof setup.completeSetup
  'setup.completeRestore': typeof setup.completeRestore
  'setup.createSuperAdmin': typeof setup.createSuperAdmin
  'setup.restoredAdmins': typeof setup.restoredAdmins
  'setup.state': typeof setup.setupState
  'shortfalls.list': typeof shortfalls.listShortfalls
  'shortfalls.settle': typeof shortfalls.settleShortfall
  'summary.care': typeof administration.summaryCare
  'summary.day': typeof summary.summaryDay
  'summary.stats': typeof summary.summaryStats
  'summary.stock': typeof stockSummary.summaryStock
  'summary.trends': typeof administration.summaryTrends
  'timeline.list': typeof timeline.listTimeline
  'trash.list': typeof trash.listTrash
  'trash.restore': typeof trash.restoreDeletion
  'trust.get': typeof trust.getAuthority
  'twoFactor.disable': typeof twoFactor.disableTwoFactor
  'twoFactor.disableOf': typeof twoFactor.disableTwoFactorOf
  'twoFactor.enable': typeof twoFactor.enableTwoFactor
  'twoFactor.newRecoveryCodes': typeof twoFactor.newRecoveryCodes
  'twoFactor.start': typeof twoFactor.startTwoFactor
  'users.askForPasswords': typeof passwordsToAsk.askForPasswords
  'users.clinicsWhere': typeof users.clinicsOfUserWhere
  'users.current': typeof viewer.currentUser
  'users.currentId': typeof viewer.currentUserId
  'users.delete': typeof users.deleteUser
  'users.export': typeof userExport.exportUsers
  'users.find': typeof users.findUser
  'users.get': typeof users.getUser
  'users.hasRole': typeof viewer.hasRole
  'users.list': typeof users.listUsers
  'users.names': typeof users.listUserNames
  'users.passwordsToAsk': typeof passwordsToAsk.countPasswordsToAsk
  'users.resetPassword': typeof users.resetPassword
  'users.save': typeof users.saveUser
  'users.toCome': typeof users.appointmentsOfUser
  'visits.close': typeof visits.closeVisit
  'visits.closeBefore': typeof visits.closeVisitsBefore
  'visits.delete': typeof visits.deleteVisit
  'visits.get': typeof visits.getVisit
  'visits.list': typeof visits.listVisits
  'visits.listOpen': typeof visits.listOpenVisits
  'visits.open': typeof visits.openVisits
  'visits.reopen': typeof visits.reopenVisit
  'visits.save': typeof visits.saveVisit
  'vitals.delete': typeof vitals.deleteVital
  'vitals.growth': typeof growth.childGrowth
  'vitals.latest': typeof vitals.latestVital
  'vitals.list': typeof vitals.listVitals
  'vitals.save': typeof vitals.saveVital
  'vitals.trend': typeof vitals.vitalTrend
}

export type QueryName =
  | 'account.get'
  | 'allergies.list'
  | 'apiClients.get'
  | 'apiClients.list'
  | 'appPasswords.list'
  | 'appointments.byPatient'
  | 'appointments.calendar'
  | 'appointments.get'
  | 'appointments.list'
  | 'appointments.month'
  | 'appointments.next'
  | 'appointments.overlaps'
  | 'appointments.search'
  | 'appointments.toCome'
  | 'audit.accesses'
  | 'audit.list'
  | 'audit.newestSeal'
  | 'audit.users'
  | 'backups.file'
  | 'backups.last'
  | 'backups.list'
  | 'batches.byDrug'
  | 'batches.inClinic'
  | 'checklist.get'
  | 'clinics.get'
  | 'clinics.list'
  | 'clinics.names'
  | 'configurations.get'
  | 'configurations.list'
  | 'configurations.phoneCode'
  | 'conflicts.list'
  | 'consents.ofPatient'
  | 'copies.get'
  | 'demo.greet'
  | 'demo.time'
  | 'departments.get'
  | 'departments.hasCapability'
  | 'departments.names'
  | 'devices.list'
  | 'devices.waiting'
  | 'dhis2.check'
  | 'dhis2.dataSet'
  | 'dhis2.get'
  | 'dispensing.get'
  | 'dispensing.propose'
  | 'dispensing.queue'
  | 'dispensing.records'
  | 'documents.added'
  | 'documents.ofPatient'
  | 'documents.preview'
  | 'drugs.export'
  | 'drugs.get'
  | 'drugs.list'
  | 'drugs.scan'
  | 'drugs.search'
  | 'drugs.stats'
  | 'emergencies.list'
  | 'eventFiles.get'
  | 'eventForms.diff'
  | 'eventForms.get'
  | 'eventForms.list'
  | 'eventForms.starter'
  | 'eventForms.starterUpdate'
  | 'eventForms.starters'
  | 'eventForms.version'
  | 'eventForms.versions'
  | 'events.byForm'
  | 'events.charts'
  | 'events.checkMedicines'
  | 'events.get'
  | 'events.history'
  | 'events.list'
  | 'events.new'
  | 'events.snapshots'
  | 'externalCodes.clinics'
  | 'externalCodes.list'
  | 'followUpSchedules.list'
  | 'followups.called'
  | 'followups.count'
  | 'followups.list'
  | 'followups.ofPatient'
  | 'hub.get'
  | 'immunizations.ofPatient'
  | 'immunizations.plan'
  | 'imports.doubtful'
  | 'imports.get'
  | 'imports.list'
  | 'imports.newUsers'
  | 'imports.rejected'
  | 'inventory.attention'
  | 'inventory.export'
  | 'inventory.list'
  | 'ledger.list'
  | 'medicines.current'
  | 'medicines.list'
  | 'messageGateway.check'
  | 'messageGateway.get'
  | 'messageTexts.list'
  | 'messages.get'
  | 'messages.ofPatient'
  | 'messages.prepare'
  | 'movedIn.list'
  | 'openings.list'
  | 'openings.ofPatient'
  | 'patients.accesses'
  | 'patients.banner'
  | 'patients.card'
  | 'patients.deletionProgress'
  | 'patients.duplicates'
  | 'patients.get'
  | 'patients.list'
  | 'patients.mergePreview'
  | 'patients.merges'
  | 'patients.paperLanguage'
  | 'patients.rights'
  | 'patients.search'
  | 'people.list'
  | 'permissions.check'
  | 'permissions.list'
  | 'photos.get'
  | 'pregnancies.list'
  | 'prescriptionSets.list'
  | 'prescriptionSets.use'
  | 'prescriptions.check'
  | 'prescriptions.details'
  | 'prescriptions.get'
  | 'prescriptions.list'
  | 'problems.get'
  | 'problems.list'
  | 'problems.searchCodes'
  | 'programs.list'
  | 'programs.ofPatient'
  | 'quarantine.get'
  | 'quarantine.list'
  | 'queue.board'
  | 'queue.boardLink'
  | 'queue.list'
  | 'queue.ofPatient'
  | 'queue.showBoard'
  | 'reconciliations.list'
  | 'referrals.get'
  | 'referrals.list'
  | 'referrals.ofPatient'
  | 'registers.day'
  | 'registers.program'
  | 'registrationForm.answered'
  | 'registrationForm.get'
  | 'registrationForm.list'
  | 'relatedPersons.ofPatient'
  | 'reportBindings.list'
  | 'reportDefinitions.get'
  | 'reportDefinitions.list'
  | 'reportDefinitions.preview'
  | 'reportDefinitions.versions'
  | 'reports.closedOn'
  | 'reports.drill'
  | 'reports.history'
  | 'reports.late'
  | 'reports.list'
  | 'reports.run'
  | 'reports.trend'
  | 'safety.overrides'
  | 'safety.rules'
  | 'safety.unseen'
  | 'sendings.list'
  | 'sessions.current'
  | 'sessions.list'
  | 'sessions.listOf'
  | 'setup.state'
  | 'shortfalls.list'
  | 'summary.care'
  | 'summary.day'
  | 'summary.stats'
  | 'summary.stock'
  | 'summary.trends'
  | 'timeline.list'
  | 'trash.list'
  | 'trust.get'
  | 'users.clinicsWhere'
  | 'users.current'
  | 'users.currentId'
  | 'users.find'
  | 'users.get'
  | 'users.hasRole'
  | 'users.list'
  | 'users.names'
  | 'users.passwordsToAsk'
  | 'users.toCome'
  | 'visits.get'
  | 'visits.list'
  | 'visits.listOpen'
  | 'visits.open'
  | 'vitals.growth'
  | 'vitals.latest'
  | 'vitals.list'
  | 'vitals.trend'

export type MutationName =
  | 'account.changePassword'
  | 'account.savePreferences'
  | 'account.saveProfile'
  | 'allergies.delete'
  | 'allergies.recordNone'
  | 'allergies.save'
  | 'apiClients.revoke'
  | 'apiClients.save'
  | 'appPasswords.create'
  | 'appPasswords.rename'
  | 'appPasswords.revoke'
  | 'appointments.cancelSeries'
  | 'appointments.delete'
  | 'appointments.export'
  | 'appointments.move'
  | 'appointments.save'
  | 'appointments.setStatus'
  | 'audit.export'
  | 'audit.exportAccesses'
  | 'backups.download'
  | 'backups.start'
  | 'batches.create'
  | 'batches.quarantine'
  | 'batches.save'
  | 'checklist.dismiss'
  | 'checklist.recall'
  | 'clinics.archive'
  | 'clinics.delete'
  | 'clinics.restore'
  | 'clinics.save'
  | 'configurations.save'
  | 'configurations.saveAll'
  | 'conflicts.settle'
  | 'consents.save'
  | 'copies.save'
  | 'copies.start'
  | 'departments.delete'
  | 'departments.save'
  | 'departments.setStatus'
  | 'departments.toggleCapability'
  | 'devices.giveState'
  | 'dhis2.delete'
  | 'dhis2.save'
  | 'dispensing.dispense'
  | 'dispensing.fromPaper'
  | 'dispensing.reverse'
  | 'documents.take'
  | 'documents.undo'
  | 'drugs.delete'
  | 'drugs.import'
  | 'drugs.save'
  | 'drugs.setActive'
  | 'emergencies.allow'
  | 'emergencies.lookUp'
  | 'emergencies.review'
  | 'emergencies.start'
  | 'eventFiles.save'
  | 'eventForms.delete'
  | 'eventForms.duplicate'
  | 'eventForms.installStarter'
  | 'eventForms.save'
  | 'eventForms.setEditable'
  | 'eventForms.setSnapshot'
  | 'eventForms.updateFromStarter'
  | 'events.delete'
  | 'events.export'
  | 'events.save'
  | 'externalCodes.save'
  | 'externalCodes.saveClinics'
  | 'followUpSchedules.save'
  | 'followups.call'
  | 'followups.counter'
  | 'hub.allow'
  | 'hub.revoke'
  | 'hub.save'
  | 'immunizations.delete'
  | 'immunizations.export'
  | 'immunizations.save'
  | 'imports.addPart'
  | 'imports.create'
  | 'imports.delete'
  | 'imports.run'
  | 'imports.setDelimiter'
  | 'imports.setEncoding'
  | 'imports.setPlace'
  | 'imports.stop'
  | 'imports.undo'
  | 'inventory.count'
  | 'inventory.save'
  | 'inventory.transfer'
  | 'inventory.writeOff'
  | 'medicines.delete'
  | 'medicines.save'
  | 'messageGateway.delete'
  | 'messageGateway.save'
  | 'messageTexts.reset'
  | 'messageTexts.save'
  | 'messages.cancel'
  | 'messages.create'
  | 'movedIn.settle'
  | 'openings.close'
  | 'openings.start'
  | 'patients.create'
  | 'patients.delete'
  | 'patients.deleteMany'
  | 'patients.export'
  | 'patients.link'
  | 'patients.merge'
  | 'patients.save'
  | 'patients.setDeath'
  | 'patients.setLanguage'
  | 'patients.stopDeletion'
  | 'patients.unlink'
  | 'patients.unmerge'
  | 'permissions.give'
  | 'permissions.revoke'
  | 'permissions.save'
  | 'photos.delete'
  | 'photos.save'
  | 'pregnancies.delete'
  | 'pregnancies.record'
  | 'prescriptionSets.delete'
  | 'prescriptionSets.save'
  | 'prescriptions.delete'
  | 'prescriptions.export'
  | 'prescriptions.save'
  | 'prescriptions.setStatus'
  | 'prints.record'
  | 'problems.delete'
  | 'problems.importCodes'
  | 'problems.save'
  | 'programs.end'
  | 'programs.enroll'
  | 'programs.save'
  | 'quarantine.apply'
  | 'quarantine.reject'
  | 'queue.call'
  | 'queue.callNext'
  | 'queue.checkIn'
  | 'queue.finish'
  | 'queue.leave'
  | 'queue.makeBoardLink'
  | 'queue.passOver'
  | 'queue.revokeBoardLink'
  | 'queue.send'
  | 'queue.setUrgency'
  | 'queue.start'
  | 'reconciliations.change'
  | 'reconciliations.decide'
  | 'reconciliations.delete'
  | 'referrals.delete'
  | 'referrals.save'
  | 'registrationForm.save'
  | 'relatedPersons.delete'
  | 'relatedPersons.save'
  | 'reportBindings.delete'
  | 'reportBindings.save'
  | 'reportDefinitions.delete'
  | 'reportDefinitions.importDhis2'
  | 'reportDefinitions.save'
  | 'reports.amend'
  | 'reports.close'
  | 'reports.export'
  | 'reports.exportAdx'
  | 'reports.exportDhis2'
  | 'reports.saveManual'
  | 'reports.send'
  | 'reports.sign'
  | 'safety.confirm'
  | 'safety.review'
  | 'safety.switchRule'
  | 'sendings.cancel'
  | 'sessions.lock'
  | 'sessions.replacePassword'
  | 'sessions.revoke'
  | 'sessions.revokeAllOf'
  | 'sessions.revokeOthers'
  | 'sessions.signIn'
  | 'sessions.signOut'
  | 'sessions.unlock'
  | 'sessions.verifyTwoFactor'
  | 'setup.complete'
  | 'setup.completeRestore'
  | 'setup.createSuperAdmin'
  | 'setup.restoredAdmins'
  | 'shortfalls.settle'
  | 'trash.restore'
  | 'twoFactor.disable'
  | 'twoFactor.disableOf'
  | 'twoFactor.enable'
  | 'twoFactor.newRecoveryCodes'
  | 'twoFactor.start'
  | 'users.askForPasswords'
  | 'users.delete'
  | 'users.export'
  | 'users.resetPassword'
  | 'users.save'
  | 'visits.close'
  | 'visits.closeBefore'
  | 'visits.delete'
  | 'visits.reopen'
  | 'visits.save'
  | 'vitals.delete'
  | 'vitals.save'

/** The name of each operation by its noun and verb. */
export interface OperationNames {
  account: {
    changePassword: 'account.changePassword'
    get: 'account.get'
    savePreferences: 'account.savePreferences'
    saveProfile: 'account.saveProfile'
  }
  allergies: {
    delete: 'allergies.delete'
    list: 'allergies.list'
    recordNone: 'allergies.recordNone'
    save: 'allergies.save'
  }
  apiClients: {
    get: 'apiClients.get'
    list: 'apiClients.list'
    revoke: 'apiClients.revoke'
    save: 'apiClients.save'
  }
  appPasswords: {
    create: 'appPasswords.create'
    list: 'appPasswords.list'
    rename: 'appPasswords.rename'
    revoke: 'appPasswords.revoke'
  }
  appointments: {
    byPatient: 'appointments.byPatient'
    calendar: 'appointments.calendar'
    cancelSeries: 'appointments.cancelSeries'
    delete: 'appointments.delete'
    export: 'appointments.export'
    get: 'appointments.get'
    list: 'appointments.list'
    month: 'appointments.month'
    move: 'appointments.move'
    next: 'appointments.next'
    overlaps: 'appointments.overlaps'
    save: 'appointments.save'
    search: 'appointments.search'
    setStatus: 'appointments.setStatus'
    toCome: 'appointments.toCome'
  }
  audit: {
    accesses: 'audit.accesses'
    export: 'audit.export'
    exportAccesses: 'audit.exportAccesses'
    list: 'audit.list'
    newestSeal: 'audit.newestSeal'
    users: 'audit.users'
  }
  backups: {
    download: 'backups.download'
    file: 'backups.file'
    last: 'backups.last'
    list: 'backups.list'
    start: 'backups.start'
  }
  batches: {
    byDrug: 'batches.byDrug'
    create: 'batches.create'
    inClinic: 'batches.inClinic'
    quarantine: 'batches.quarantine'
    save: 'batches.save'
  }
  checklist: {
    dismiss: 'checklist.dismiss'
    get: 'checklist.get'
    recall: 'checklist.recall'
  }
  clinics: {
    archive: 'clinics.archive'
    delete: 'clinics.delete'
    get: 'clinics.get'
    list: 'clinics.list'
    names: 'clinics.names'
    restore: 'clinics.restore'
    save: 'clinics.save'
  }
  configurations: {
    get: 'configurations.get'
    list: 'configurations.list'
    phoneCode: 'configurations.phoneCode'
    save: 'configurations.save'
    saveAll: 'configurations.saveAll'
  }
  conflicts: {
    list: 'conflicts.list'
    settle: 'conflicts.settle'
  }
  consents: {
    ofPatient: 'consents.ofPatient'
    save: 'consents.save'
  }
  copies: {
    get: 'copies.get'
    save: 'copies.save'
    start: 'copies.start'
  }
  demo: {
    greet: 'demo.greet'
    time: 'demo.time'
  }
  departments: {
    delete: 'departments.delete'
    get: 'departments.get'
    hasCapability: 'departments.hasCapability'
    names: 'departments.names'
    save: 'departments.save'
    setStatus: 'departments.setStatus'
    toggleCapability: 'departments.toggleCapability'
  }
  devices: {
    giveState: 'devices.giveState'
    list: 'devices.list'
    waiting: 'devices.waiting'
  }
  dhis2: {
    check: 'dhis2.check'
    dataSet: 'dhis2.dataSet'
    delete: 'dhis2.delete'
    get: 'dhis2.get'
    save: 'dhis2.save'
  }
  dispensing: {
    dispense: 'dispensing.dispense'
    fromPaper: 'dispensing.fromPaper'
    get: 'dispensing.get'
    propose: 'dispensing.propose'
    queue: 'dispensing.queue'
    records: 'dispensing.records'
    reverse: 'dispensing.reverse'
  }
  documents: {
    added: 'documents.added'
    ofPatient: 'documents.ofPatient'
    preview: 'documents.preview'
    take: 'documents.take'
    undo: 'documents.undo'
  }
  drugs: {
    delete: 'drugs.delete'
    export: 'drugs.export'
    get: 'drugs.get'
    import: 'drugs.import'
    list: 'drugs.list'
    save: 'drugs.save'
    scan: 'drugs.scan'
    search: 'drugs.search'
    setActive: 'drugs.setActive'
    stats: 'drugs.stats'
  }
  emergencies: {
    allow: 'emergencies.allow'
    list: 'emergencies.list'
    lookUp: 'emergencies.lookUp'
    review: 'emergencies.review'
    start: 'emergencies.start'
  }
  eventFiles: {
    get: 'eventFiles.get'
    save: 'eventFiles.save'
  }
  eventForms: {
    delete: 'eventForms.delete'
    diff: 'eventForms.diff'
    duplicate: 'eventForms.duplicate'
    get: 'eventForms.get'
    installStarter: 'eventForms.installStarter'
    list: 'eventForms.list'
    save: 'eventForms.save'
    setEditable: 'eventForms.setEditable'
    setSnapshot: 'eventForms.setSnapshot'
    starter: 'eventForms.starter'
    starterUpdate: 'eventForms.starterUpdate'
    starters: 'eventForms.starters'
    updateFromStarter: 'eventForms.updateFromStarter'
    version: 'eventForms.version'
    versions: 'eventForms.versions'
  }
  events: {
    byForm: 'events.byForm'
    charts: 'events.charts'
    checkMedicines: 'events.checkMedicines'
    delete: 'events.delete'
    export: 'events.export'
    get: 'events.get'
    history: 'events.history'
    list: 'events.list'
    new: 'events.new'
    save: 'events.save'
    snapshots: 'events.snapshots'
  }
  externalCodes: {
    clinics: 'externalCodes.clinics'
    list: 'externalCodes.list'
    save: 'externalCodes.save'
    saveClinics: 'externalCodes.saveClinics'
  }
  followUpSchedules: {
    list: 'followUpSchedules.list'
    save: 'followUpSchedules.save'
  }
  followups: {
    call: 'followups.call'
    called: 'followups.called'
    count: 'followups.count'
    counter: 'followups.counter'
    list: 'followups.list'
    ofPatient: 'followups.ofPatient'
  }
  hub: {
    allow: 'hub.allow'
    get: 'hub.get'
    revoke: 'hub.revoke'
    save: 'hub.save'
  }
  immunizations: {
    delete: 'immunizations.delete'
    export: 'immunizations.export'
    ofPatient: 'immunizations.ofPatient'
    plan: 'immunizations.plan'
    save: 'immunizations.save'
  }
  imports: {
    addPart: 'imports.addPart'
    create: 'imports.create'
    delete: 'imports.delete'
    doubtful: 'imports.doubtful'
    get: 'imports.get'
    list: 'imports.list'
    newUsers: 'imports.newUsers'
    rejected: 'imports.rejected'
    run: 'imports.run'
    setDelimiter: 'imports.setDelimiter'
    setEncoding: 'imports.setEncoding'
    setPlace: 'imports.setPlace'
    stop: 'imports.stop'
    undo: 'imports.undo'
  }
  inventory: {
    attention: 'inventory.attention'
    count: 'inventory.count'
    export: 'inventory.export'
    list: 'inventory.list'
    save: 'inventory.save'
    transfer: 'inventory.transfer'
    writeOff: 'inventory.writeOff'
  }
  ledger: {
    list: 'ledger.list'
  }
  medicines: {
    current: 'medicines.current'
    delete: 'medicines.delete'
    list: 'medicines.list'
    save: 'medicines.save'
  }
  messageGateway: {
    check: 'messageGateway.check'
    delete: 'messageGateway.delete'
    get: 'messageGateway.get'
    save: 'messageGateway.save'
  }
  messageTexts: {
    list: 'messageTexts.list'
    reset: 'messageTexts.reset'
    save: 'messageTexts.save'
  }
  messages: {
    cancel: 'messages.cancel'
    create: 'messages.create'
    get: 'messages.get'
    ofPatient: 'messages.ofPatient'
    prepare: 'messages.prepare'
  }
  movedIn: {
    list: 'movedIn.list'
    settle: 'movedIn.settle'
  }
  openings: {
    close: 'openings.close'
    list: 'openings.list'
    ofPatient: 'openings.ofPatient'
    start: 'openings.start'
  }
  patients: {
    accesses: 'patients.accesses'
    banner: 'patients.banner'
    card: 'patients.card'
    create: 'patients.create'
    delete: 'patients.delete'
    deleteMany: 'patients.deleteMany'
    deletionProgress: 'patients.deletionProgress'
    duplicates: 'patients.duplicates'
    export: 'patients.export'
    get: 'patients.get'
    link: 'patients.link'
    list: 'patients.list'
    merge: 'patients.merge'
    mergePreview: 'patients.mergePreview'
    merges: 'patients.merges'
    paperLanguage: 'patients.paperLanguage'
    rights: 'patients.rights'
    save: 'patients.save'
    search: 'patients.search'
    setDeath: 'patients.setDeath'
    setLanguage: 'patients.setLanguage'
    stopDeletion: 'patients.stopDeletion'
    unlink: 'patients.unlink'
    unmerge: 'patients.unmerge'
  }
  people: {
    list: 'people.list'
  }
  permissions: {
    check: 'permissions.check'
    give: 'permissions.give'
    list: 'permissions.list'
    revoke: 'permissions.revoke'
    save: 'permissions.save'
  }
  photos: {
    delete: 'photos.delete'
    get: 'photos.get'
    save: 'photos.save'
  }
  pregnancies: {
    delete: 'pregnancies.delete'
    list: 'pregnancies.list'
    record: 'pregnancies.record'
  }
  prescriptionSets: {
    delete: 'prescriptionSets.delete'
    list: 'prescriptionSets.list'
    save: 'prescriptionSets.save'
    use: 'prescriptionSets.use'
  }
  prescriptions: {
    check: 'prescriptions.check'
    delete: 'prescriptions.delete'
    details: 'prescriptions.details'
    export: 'prescriptions.export'
    get: 'prescriptions.get'
    list: 'prescriptions.list'
    save: 'prescriptions.save'
    setStatus: 'prescriptions.setStatus'
  }
  prints: {
    record: 'prints.record'
  }
  problems: {
    delete: 'problems.delete'
    get: 'problems.get'
    importCodes: 'problems.importCodes'
    list: 'problems.list'
    save: 'problems.save'
    searchCodes: 'problems.searchCodes'
  }
  programs: {
    end: 'programs.end'
    enroll: 'programs.enroll'
    list: 'programs.list'
    ofPatient: 'programs.ofPatient'
    save: 'programs.save'
  }
  quarantine: {
    apply: 'quarantine.apply'
    get: 'quarantine.get'
    list: 'quarantine.list'
    reject: 'quarantine.reject'
  }
  queue: {
    board: 'queue.board'
    boardLink: 'queue.boardLink'
    call: 'queue.call'
    callNext: 'queue.callNext'
    checkIn: 'queue.checkIn'
    finish: 'queue.finish'
    leave: 'queue.leave'
    list: 'queue.list'
    makeBoardLink: 'queue.makeBoardLink'
    ofPatient: 'queue.ofPatient'
    passOver: 'queue.passOver'
    revokeBoardLink: 'queue.revokeBoardLink'
    send: 'queue.send'
    setUrgency: 'queue.setUrgency'
    showBoard: 'queue.showBoard'
    start: 'queue.start'
  }
  reconciliations: {
    change: 'reconciliations.change'
    decide: 'reconciliations.decide'
    delete: 'reconciliations.delete'
    list: 'reconciliations.list'
  }
  referrals: {
    delete: 'referrals.delete'
    get: 'referrals.get'
    list: 'referrals.list'
    ofPatient: 'referrals.ofPatient'
    save: 'referrals.save'
  }
  registers: {
    day: 'registers.day'
    program: 'registers.program'
  }
  registrationForm: {
    answered: 'registrationForm.answered'
    get: 'registrationForm.get'
    list: 'registrationForm.list'
    save: 'registrationForm.save'
  }
  relatedPersons: {
    delete: 'relatedPersons.delete'
    ofPatient: 'relatedPersons.ofPatient'
    save: 'relatedPersons.save'
  }
  reportBindings: {
    delete: 'reportBindings.delete'
    list: 'reportBindings.list'
    save: 'reportBindings.save'
  }
  reportDefinitions: {
    delete: 'reportDefinitions.delete'
    get: 'reportDefinitions.get'
    importDhis2: 'reportDefinitions.importDhis2'
    list: 'reportDefinitions.list'
    preview: 'reportDefinitions.preview'
    save: 'reportDefinitions.save'
    versions: 'reportDefinitions.versions'
  }
  reports: {
    amend: 'reports.amend'
    close: 'reports.close'
    closedOn: 'reports.closedOn'
    drill: 'reports.drill'
    export: 'reports.export'
    exportAdx: 'reports.exportAdx'
    exportDhis2: 'reports.exportDhis2'
    history: 'reports.history'
    late: 'reports.late'
    list: 'reports.list'
    run: 'reports.run'
    saveManual: 'reports.saveManual'
    send: 'reports.send'
    sign: 'reports.sign'
    trend: 'reports.trend'
  }
  safety: {
    confirm: 'safety.confirm'
    overrides: 'safety.overrides'
    review: 'safety.review'
    rules: 'safety.rules'
    switchRule: 'safety.switchRule'
    unseen: 'safety.unseen'
  }
  sendings: {
    cancel: 'sendings.cancel'
    list: 'sendings.list'
  }
  sessions: {
    current: 'sessions.current'
    list: 'sessions.list'
    listOf: 'sessions.listOf'
    lock: 'sessions.lock'
    replacePassword: 'sessions.replacePassword'
    revoke: 'sessions.revoke'
    revokeAllOf: 'sessions.revokeAllOf'
    revokeOthers: 'sessions.revokeOthers'
    signIn: 'sessions.signIn'
    signOut: 'sessions.signOut'
    unlock: 'sessions.unlock'
    verifyTwoFactor: 'sessions.verifyTwoFactor'
  }
  setup: {
    complete: 'setup.complete'
    completeRestore: 'setup.completeRestore'
    createSuperAdmin: 'setup.createSuperAdmin'
    restoredAdmins: 'setup.restoredAdmins'
    state: 'setup.state'
  }
  shortfalls: {
    list: 'shortfalls.list'
    settle: 'shortfalls.settle'
  }
  summary: {
    care: 'summary.care'
    day: 'summary.day'
    stats: 'summary.stats'
    stock: 'summary.stock'
    trends: 'summary.trends'
  }
  timeline: {
    list: 'timeline.list'
  }
  trash: {
    list: 'trash.list'
    restore: 'trash.restore'
  }
  trust: {
    get: 'trust.get'
  }
  twoFactor: {
    disable: 'twoFactor.disable'
    disableOf: 'twoFactor.disableOf'
    enable: 'twoFactor.enable'
    newRecoveryCodes: 'twoFactor.newRecoveryCodes'
    start: 'twoFactor.start'
  }
  users: {
    askForPasswords: 'users.askForPasswords'
    clinicsWhere: 'users.clinicsWhere'
    current: 'users.current'
    currentId: 'users.currentId'
    delete: 'users.delete'
    export: 'users.export'
    find: 'users.find'
    get: 'users.get'
    hasRole: 'users.hasRole'
    list: 'users.list'
    names: 'users.names'
    passwordsToAsk: 'users.passwordsToAsk'
    resetPassword: 'users.resetPassword'
    save: 'users.save'
    toCome: 'users.toCome'
  }
  visits: {
    close: 'visits.close'
    closeBefore: 'visits.closeBefore'
    delete: 'visits.delete'
    get: 'visits.get'
    list: 'visits.list'
    listOpen: 'visits.listOpen'
    open: 'visits.open'
    reopen: 'visits.reopen'
    save: 'visits.save'
  }
  vitals: {
    delete: 'vitals.delete'
    growth: 'vitals.growth'
    latest: 'vitals.latest'
    list: 'vitals.list'
    save: 'vitals.save'
    trend: 'vitals.trend'
  }
}

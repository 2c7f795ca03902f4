// Generated: `npm test -- test/operation-types.test.ts -u` writes it anew. Do not edit.

export interface Operations {
  'account.changePassword': typeof import('~/features/office/sessions/account.server').changeOwnPassword
  'account.get': typeof import('~/features/office/sessions/account.server').getAccount
  'account.savePreferences': typeof import('~/features/office/sessions/account.server').saveOwnPreferences
  'account.saveProfile': typeof import('~/features/office/sessions/account.server').saveOwnProfile
  'allergies.delete': typeof import('~/features/care/allergies/allergies.server').deleteAllergy
  'allergies.list': typeof import('~/features/care/allergies/allergies.server').listAllergies
  'allergies.recordNone': typeof import('~/features/care/allergies/allergies.server').recordNoAllergies
  'allergies.save': typeof import('~/features/care/allergies/allergies.server').saveAllergy
  'apiClients.get': typeof import('~/features/office/api-clients/api-clients.server').getApiClient
  'apiClients.list': typeof import('~/features/office/api-clients/api-clients.server').listApiClients
  'apiClients.revoke': typeof import('~/features/office/api-clients/api-clients.server').revokeApiClient
  'apiClients.save': typeof import('~/features/office/api-clients/api-clients.server').saveApiClient
  'appPasswords.create': typeof import('~/features/office/sessions/app-passwords/app-passwords.server').createAppPassword
  'appPasswords.list': typeof import('~/features/office/sessions/app-passwords/app-passwords.server').listAppPasswords
  'appPasswords.rename': typeof import('~/features/office/sessions/app-passwords/app-passwords.server').renameAppPassword
  'appPasswords.revoke': typeof import('~/features/office/sessions/app-passwords/app-passwords.server').revokeAppPassword
  'appointments.byPatient': typeof import('~/features/day/appointments/appointments.server').appointmentsByPatient
  'appointments.calendar': typeof import('~/features/day/appointments/appointments.server').appointmentCalendar
  'appointments.cancelSeries': typeof import('~/features/day/appointments/booking.server').cancelSeries
  'appointments.delete': typeof import('~/features/day/appointments/booking.server').deleteAppointment
  'appointments.export': typeof import('~/features/day/appointments/export.server').exportAppointments
  'appointments.get': typeof import('~/features/day/appointments/appointments.server').getAppointment
  'appointments.list': typeof import('~/features/day/appointments/appointments.server').listAppointments
  'appointments.month': typeof import('~/features/day/appointments/appointments.server').appointmentMonth
  'appointments.move': typeof import('~/features/day/appointments/booking.server').moveAppointment
  'appointments.next': typeof import('~/features/day/appointments/appointments.server').nextAppointment
  'appointments.overlaps': typeof import('~/features/day/appointments/booking.server').overlappingAppointments
  'appointments.save': typeof import('~/features/day/appointments/booking.server').saveAppointment
  'appointments.search': typeof import('~/features/day/appointments/appointments.server').searchAppointments
  'appointments.setStatus': typeof import('~/features/day/appointments/status.server').setAppointmentStatus
  'appointments.toCome': typeof import('~/features/day/appointments/booking.server').appointmentsToCome
  'audit.accesses': typeof import('~/features/office/audit/accesses.server').listAccesses
  'audit.export': typeof import('~/features/office/audit/audit.server').exportAudit
  'audit.exportAccesses': typeof import('~/features/office/audit/accesses.server').exportAccesses
  'audit.list': typeof import('~/features/office/audit/audit.server').listAudit
  'audit.newestSeal': typeof import('~/features/office/audit/seals.server').newestSeal
  'audit.users': typeof import('~/features/office/audit/audit.server').listAuditUsers
  'backups.download': typeof import('~/features/office/backups/backups.server').downloadBackup
  'backups.file': typeof import('~/features/office/backups/backups.server').backupFile
  'backups.last': typeof import('~/features/office/backups/backups.server').lastBackup
  'backups.list': typeof import('~/features/office/backups/backups.server').listBackups
  'backups.start': typeof import('~/features/office/backups/backups.server').startBackup
  'batches.byDrug': typeof import('~/features/medicines/inventory/batches.server').listBatches
  'batches.create': typeof import('~/features/medicines/inventory/batches.server').createBatch
  'batches.inClinic': typeof import('~/features/medicines/inventory/clinic-batches.server').listClinicBatches
  'batches.quarantine': typeof import('~/features/medicines/inventory/batches.server').quarantineBatch
  'batches.save': typeof import('~/features/medicines/inventory/batches.server').saveBatch
  'checklist.dismiss': typeof import('~/features/reports/dashboard/administration.server').dismissNotice
  'checklist.get': typeof import('~/features/reports/dashboard/administration.server').getChecklist
  'checklist.recall': typeof import('~/features/reports/dashboard/administration.server').recallNotice
  'clinics.archive': typeof import('~/features/office/clinics/clinics.server').archiveClinic
  'clinics.delete': typeof import('~/features/office/clinics/clinics.server').deleteClinic
  'clinics.get': typeof import('~/features/office/clinics/clinics.server').getClinic
  'clinics.list': typeof import('~/features/office/clinics/clinics.server').listClinics
  'clinics.names': typeof import('~/features/office/clinics/clinics.server').listClinicNames
  'clinics.restore': typeof import('~/features/office/clinics/clinics.server').restoreClinic
  'clinics.save': typeof import('~/features/office/clinics/clinics.server').saveClinic
  'configurations.get': typeof import('~/features/office/settings/configurations.server').getConfiguration
  'configurations.list': typeof import('~/features/office/settings/configurations.server').listConfigurations
  'configurations.phoneCode': typeof import('~/features/office/settings/configurations.server').phoneCode
  'configurations.save': typeof import('~/features/office/settings/configurations.server').saveConfiguration
  'configurations.saveAll': typeof import('~/features/office/settings/configurations.server').saveConfigurations
  'conflicts.list': typeof import('~/features/office/devices/conflicts.server').listConflicts
  'conflicts.settle': typeof import('~/features/office/devices/conflicts.server').settleConflict
  'consents.ofPatient': typeof import('~/features/day/followups/messages/consents.server').consentsOfPatient
  'consents.save': typeof import('~/features/day/followups/messages/consents.server').saveConsent
  'copies.get': typeof import('~/features/office/backups/copies.server').getCopies
  'copies.save': typeof import('~/features/office/backups/copies.server').saveCopies
  'copies.start': typeof import('~/features/office/backups/copies.server').startCopy
  'demo.greet': typeof import('~/features/office/demo/demo.server').greet
  'demo.time': typeof import('~/features/office/demo/demo.server').serverTime
  'departments.delete': typeof import('~/features/office/clinics/departments.server').deleteDepartment
  'departments.get': typeof import('~/features/office/clinics/departments.server').getDepartment
  'departments.hasCapability': typeof import('~/features/office/clinics/departments.server').checkCapability
  'departments.names': typeof import('~/features/office/clinics/departments.server').listDepartmentNames
  'departments.save': typeof import('~/features/office/clinics/departments.server').saveDepartment
  'departments.setStatus': typeof import('~/features/office/clinics/departments.server').setDepartmentStatus
  'departments.toggleCapability': typeof import('~/features/office/clinics/departments.server').toggleCapability
  'devices.giveState': typeof import('~/features/office/devices/devices.server').giveState
  'devices.list': typeof import('~/features/office/devices/devices.server').listPhones
  'devices.waiting': typeof import('~/features/office/devices/devices.server').countWaiting
  'dhis2.check': typeof import('~/features/reports/exchange/dhis-server.server').checkDhis2Server
  'dhis2.dataSet': typeof import('~/features/reports/exchange/import.server').readDataSet
  'dhis2.delete': typeof import('~/features/reports/exchange/dhis-server.server').deleteDhis2Server
  'dhis2.get': typeof import('~/features/reports/exchange/dhis-server.server').getDhis2Server
  'dhis2.save': typeof import('~/features/reports/exchange/dhis-server.server').saveDhis2Server
  'dispensing.dispense': typeof import('~/features/medicines/dispensing/dispensing.server').dispense
  'dispensing.fromPaper': typeof import('~/features/medicines/dispensing/paper.server').recordPaper
  'dispensing.get': typeof import('~/features/medicines/dispensing/queue.server').getToDispense
  'dispensing.propose': typeof import('~/features/medicines/dispensing/dispensing.server').proposeBatches
  'dispensing.queue': typeof import('~/features/medicines/dispensing/queue.server').listDispensingQueue
  'dispensing.records': typeof import('~/features/medicines/dispensing/queue.server').listRecords
  'dispensing.reverse': typeof import('~/features/medicines/dispensing/dispensing.server').reverseDispensing
  'documents.added': typeof import('~/features/exchange/documents/taken-documents.server').addedByDocument
  'documents.ofPatient': typeof import('~/features/exchange/documents/taken-documents.server').listDocuments
  'documents.preview': typeof import('~/features/exchange/documents/documents.server').previewDocument
  'documents.take': typeof import('~/features/exchange/documents/documents.server').takeFromDocument
  'documents.undo': typeof import('~/features/exchange/documents/taken-documents.server').undoDocument
  'drugs.delete': typeof import('~/features/medicines/drugs/drugs.server').deleteDrug
  'drugs.export': typeof import('~/features/medicines/drugs/catalogue-file.server').exportDrugs
  'drugs.get': typeof import('~/features/medicines/drugs/drugs.server').getDrug
  'drugs.import': typeof import('~/features/medicines/drugs/catalogue-file.server').importDrugs
  'drugs.list': typeof import('~/features/medicines/drugs/drugs.server').listDrugs
  'drugs.save': typeof import('~/features/medicines/drugs/drugs.server').saveDrug
  'drugs.scan': typeof import('~/features/medicines/drugs/drugs.server').scanDrug
  'drugs.search': typeof import('~/features/medicines/drugs/drugs.server').searchDrugs
  'drugs.setActive': typeof import('~/features/medicines/drugs/drugs.server').setDrugActive
  'drugs.stats': typeof import('~/features/medicines/drugs/drugs.server').getDrugStats
  'emergencies.allow': typeof import('~/features/record/sharing/emergencies.server').allowEmergency
  'emergencies.list': typeof import('~/features/record/sharing/emergencies.server').listEmergencies
  'emergencies.lookUp': typeof import('~/features/record/sharing/emergencies.server').lookUpPatient
  'emergencies.review': typeof import('~/features/record/sharing/emergencies.server').reviewEmergency
  'emergencies.start': typeof import('~/features/record/sharing/emergencies.server').openEmergency
  'eventFiles.get': typeof import('~/features/forms/events/event-files.server').getEventFile
  'eventFiles.save': typeof import('~/features/forms/events/event-files.server').saveEventFile
  'eventForms.delete': typeof import('~/features/forms/event-forms/event-forms.server').deleteEventForm
  'eventForms.diff': typeof import('~/features/forms/event-forms/event-form-versions.server').compareVersions
  'eventForms.duplicate': typeof import('~/features/forms/event-forms/event-forms.server').duplicateEventForm
  'eventForms.get': typeof import('~/features/forms/event-forms/event-forms.server').getEventForm
  'eventForms.installStarter': typeof import('~/features/forms/event-forms/starters.server').installStarter
  'eventForms.list': typeof import('~/features/forms/event-forms/event-forms.server').listEventForms
  'eventForms.save': typeof import('~/features/forms/event-forms/event-forms.server').saveEventForm
  'eventForms.setEditable': typeof import('~/features/forms/event-forms/event-forms.server').setEditable
  'eventForms.setSnapshot': typeof import('~/features/forms/event-forms/event-forms.server').setSnapshot
  'eventForms.starter': typeof import('~/features/forms/event-forms/starters.server').getStarter
  'eventForms.starterUpdate': typeof import('~/features/forms/event-forms/starters.server').getStarterUpdate
  'eventForms.starters': typeof import('~/features/forms/event-forms/starters.server').listStarters
  'eventForms.updateFromStarter': typeof import('~/features/forms/event-forms/starters.server').updateFromStarter
  'eventForms.version': typeof import('~/features/forms/event-forms/event-form-versions.server').getVersion
  'eventForms.versions': typeof import('~/features/forms/event-forms/event-form-versions.server').listVersions
  'events.byForm': typeof import('~/features/forms/events/explore/explore.server').listByForm
  'events.charts': typeof import('~/features/forms/events/explore/explore-charts.server').chartsOfForm
  'events.checkMedicines': typeof import('~/features/forms/events/event-medicines.server').checkMedicines
  'events.delete': typeof import('~/features/forms/events/events.server').deleteEvent
  'events.export': typeof import('~/features/forms/events/explore/export.server').exportEvents
  'events.get': typeof import('~/features/forms/events/events.server').getEvent
  'events.history': typeof import('~/features/forms/events/event-history.server').eventHistory
  'events.list': typeof import('~/features/forms/events/events.server').listEvents
  'events.new': typeof import('~/features/forms/events/events.server').newEvent
  'events.save': typeof import('~/features/forms/events/event-answers.server').saveEvent
  'events.snapshots': typeof import('~/features/forms/events/events.server').listSnapshots
  'externalCodes.clinics': typeof import('~/features/reports/exchange/external-codes.server').listClinicCodes
  'externalCodes.list': typeof import('~/features/reports/exchange/external-codes.server').listCodes
  'externalCodes.save': typeof import('~/features/reports/exchange/external-codes.server').saveCodes
  'externalCodes.saveClinics': typeof import('~/features/reports/exchange/external-codes.server').saveClinicCodes
  'followUpSchedules.list': typeof import('~/features/day/followups/schedules.server').listSchedules
  'followUpSchedules.save': typeof import('~/features/day/followups/schedules.server').saveSchedule
  'followups.call': typeof import('~/features/day/followups/calls.server').recordCall
  'followups.called': typeof import('~/features/day/followups/followups.server').calledFollowUps
  'followups.count': typeof import('~/features/day/followups/followups.server').countFollowUps
  'followups.counter': typeof import('~/features/day/followups/calls.server').counterCall
  'followups.list': typeof import('~/features/day/followups/followups.server').listFollowUps
  'followups.ofPatient': typeof import('~/features/day/followups/followups.server').followUpsOfPatient
  'hub.allow': typeof import('~/features/office/hub/hub.server').allowHubPhone
  'hub.get': typeof import('~/features/office/hub/hub.server').getHub
  'hub.revoke': typeof import('~/features/office/hub/hub.server').revokeHubPhone
  'hub.save': typeof import('~/features/office/hub/hub.server').saveHub
  'immunizations.delete': typeof import('~/features/care/immunizations/immunizations.server').deleteImmunization
  'immunizations.export': typeof import('~/features/care/immunizations/export.server').exportImmunizations
  'immunizations.ofPatient': typeof import('~/features/care/immunizations/immunizations.server').immunizationsOfPatient
  'immunizations.plan': typeof import('~/features/care/immunizations/immunizations.server').immunizationPlan
  'immunizations.save': typeof import('~/features/care/immunizations/immunizations.server').saveImmunization
  'imports.addPart': typeof import('~/features/exchange/imports/imports.server').addPart
  'imports.create': typeof import('~/features/exchange/imports/imports.server').createImport
  'imports.delete': typeof import('~/features/exchange/imports/imports.server').deleteImport
  'imports.doubtful': typeof import('~/features/exchange/imports/imports.server').listDoubtful
  'imports.get': typeof import('~/features/exchange/imports/imports.server').getImport
  'imports.list': typeof import('~/features/exchange/imports/imports.server').listImports
  'imports.newUsers': typeof import('~/features/exchange/imports/record-files/new-users.server').listNewUsers
  'imports.rejected': typeof import('~/features/exchange/imports/imports.server').listRejected
  'imports.run': typeof import('~/features/exchange/imports/imports.server').runImport
  'imports.setDelimiter': typeof import('~/features/exchange/imports/imports.server').setDelimiter
  'imports.setEncoding': typeof import('~/features/exchange/imports/imports.server').setEncoding
  'imports.setPlace': typeof import('~/features/exchange/imports/imports.server').setPlace
  'imports.stop': typeof import('~/features/exchange/imports/imports.server').stopImport
  'imports.undo': typeof import('~/features/exchange/imports/undo/request.server').undoImport
  'inventory.attention': typeof import('~/features/medicines/inventory/inventory.server').inventoryAttention
  'inventory.count': typeof import('~/features/medicines/inventory/changes/stock-changes.server').countStock
  'inventory.export': typeof import('~/features/medicines/inventory/inventory.server').exportInventory
  'inventory.list': typeof import('~/features/medicines/inventory/inventory.server').listInventory
  'inventory.save': typeof import('~/features/medicines/inventory/changes/stock-changes.server').saveClinicInventory
  'inventory.transfer': typeof import('~/features/medicines/inventory/changes/stock-changes.server').transferStock
  'inventory.writeOff': typeof import('~/features/medicines/inventory/changes/stock-changes.server').writeOffStock
  'ledger.list': typeof import('~/features/medicines/inventory/ledger/ledger.server').listLedger
  'medicines.current': typeof import('~/features/medicines/taken/current.server').currentMedicines
  'medicines.delete': typeof import('~/features/medicines/taken/medicines.server').deleteMedicine
  'medicines.list': typeof import('~/features/medicines/taken/medicines.server').listMedicines
  'medicines.save': typeof import('~/features/medicines/taken/medicines.server').saveMedicine
  'messageGateway.check': typeof import('~/features/day/followups/messages/gateway.server').checkGateway
  'messageGateway.delete': typeof import('~/features/day/followups/messages/gateway.server').deleteGateway
  'messageGateway.get': typeof import('~/features/day/followups/messages/gateway.server').getGateway
  'messageGateway.save': typeof import('~/features/day/followups/messages/gateway.server').saveGateway
  'messageTexts.list': typeof import('~/features/day/followups/messages/texts.server').listMessageTexts
  'messageTexts.reset': typeof import('~/features/day/followups/messages/texts.server').resetMessageText
  'messageTexts.save': typeof import('~/features/day/followups/messages/texts.server').saveMessageText
  'messages.cancel': typeof import('~/features/day/followups/messages/messages.server').cancelMessage
  'messages.create': typeof import('~/features/day/followups/messages/messages.server').createMessage
  'messages.get': typeof import('~/features/day/followups/messages/messages.server').getMessage
  'messages.ofPatient': typeof import('~/features/day/followups/messages/messages.server').messagesOfPatient
  'messages.prepare': typeof import('~/features/day/followups/messages/messages.server').prepareMessage
  'movedIn.list': typeof import('~/features/exchange/imports/moved-in/moved-in.server').listMovedIn
  'movedIn.settle': typeof import('~/features/exchange/imports/moved-in/moved-in.server').settleMovedIn
  'openings.close': typeof import('~/features/record/sharing/openings.server').closeOpening
  'openings.list': typeof import('~/features/record/sharing/openings.server').listOpenings
  'openings.ofPatient': typeof import('~/features/record/sharing/openings.server').hiddenHistory
  'openings.start': typeof import('~/features/record/sharing/openings.server').openHistory
  'patients.accesses': typeof import('~/features/office/audit/accesses.server').listPatientAccesses
  'patients.banner': typeof import('~/features/care/banner/banner.server').patientBanner
  'patients.card': typeof import('~/features/people/patients/card/cards.server').patientCard
  'patients.create': typeof import('~/features/people/patients/patients.server').createPatient
  'patients.delete': typeof import('~/features/people/patients/deletions/deletions.server').deletePatientWithRecords
  'patients.deleteMany': typeof import('~/features/people/patients/deletions/deletions.server').deletePatients
  'patients.deletionProgress': typeof import('~/features/people/patients/deletions/large-deletions.server').largeDeletion
  'patients.duplicates': typeof import('~/features/people/patients/duplicates/duplicates.server').findDuplicates
  'patients.export': typeof import('~/features/people/patients/search/export.server').exportPatients
  'patients.get': typeof import('~/features/people/patients/patients.server').getPatient
  'patients.link': typeof import('~/features/people/patients/duplicates/duplicates.server').linkPatient
  'patients.list': typeof import('~/features/people/patients/search/search.server').listPatients
  'patients.merge': typeof import('~/features/people/patients/duplicates/merge.server').mergePatients
  'patients.mergePreview': typeof import('~/features/people/patients/duplicates/merge.server').mergePreview
  'patients.merges': typeof import('~/features/people/patients/duplicates/merge.server').listMerges
  'patients.paperLanguage': typeof import('~/features/people/patients/language/paper.server').languageOfPaper
  'patients.rights': typeof import('~/features/people/patients/history.server').patientRights
  'patients.save': typeof import('~/features/people/patients/patients.server').savePatient
  'patients.search': typeof import('~/features/people/patients/search/search.server').searchPatients
  'patients.setDeath': typeof import('~/features/care/programs/programs.server').setDeath
  'patients.setLanguage': typeof import('~/features/people/patients/language/paper.server').setPatientLanguage
  'patients.stopDeletion': typeof import('~/features/people/patients/deletions/large-deletions.server').stopLargeDeletion
  'patients.unlink': typeof import('~/features/people/patients/duplicates/duplicates.server').unlinkPatient
  'patients.unmerge': typeof import('~/features/people/patients/duplicates/merge.server').unmergePatients
  'people.list': typeof import('~/features/office/demo/people.server').listPeople
  'permissions.check': typeof import('~/features/office/sessions/viewer.server').checkPermissions
  'permissions.give': typeof import('~/features/office/users/permissions.server').giveClinic
  'permissions.list': typeof import('~/features/office/users/permissions.server').listPermissions
  'permissions.revoke': typeof import('~/features/office/users/permissions.server').revokeClinic
  'permissions.save': typeof import('~/features/office/users/permissions.server').savePermissions
  'photos.delete': typeof import('~/features/people/patients/photos/photos.server').deletePhoto
  'photos.get': typeof import('~/features/people/patients/photos/photos.server').getPhoto
  'photos.save': typeof import('~/features/people/patients/photos/photos.server').savePhoto
  'pregnancies.delete': typeof import('~/features/care/pregnancies/pregnancies.server').deletePregnancy
  'pregnancies.list': typeof import('~/features/care/pregnancies/pregnancies.server').listPregnancies
  'pregnancies.record': typeof import('~/features/care/pregnancies/pregnancies.server').recordPregnancy
  'prescriptionSets.delete': typeof import('~/features/medicines/prescriptions/sets/sets.server').deleteSet
  'prescriptionSets.list': typeof import('~/features/medicines/prescriptions/sets/sets.server').listSets
  'prescriptionSets.save': typeof import('~/features/medicines/prescriptions/sets/sets.server').saveSet
  'prescriptionSets.use': typeof import('~/features/medicines/prescriptions/sets/sets.server').useSet
  'prescriptions.check': typeof import('~/features/medicines/prescriptions/check/safety-check.server').checkDrugs
  'prescriptions.delete': typeof import('~/features/medicines/prescriptions/prescriptions.server').deletePrescription
  'prescriptions.details': typeof import('~/features/medicines/prescriptions/listing.server').listPrescriptionDetails
  'prescriptions.export': typeof import('~/features/medicines/prescriptions/export.server').exportPrescriptions
  'prescriptions.get': typeof import('~/features/medicines/prescriptions/prescriptions.server').getPrescription
  'prescriptions.list': typeof import('~/features/medicines/prescriptions/listing.server').listPrescriptions
  'prescriptions.save': typeof import('~/features/medicines/prescriptions/prescriptions.server').savePrescription
  'prescriptions.setStatus': typeof import('~/features/medicines/prescriptions/status.server').setPrescriptionStatus
  'prints.record': typeof import('~/features/office/audit/accesses.server').recordPrint
  'problems.delete': typeof import('~/features/care/problems/problems.server').deleteProblem
  'problems.get': typeof import('~/features/care/problems/problems.server').getProblem
  'problems.importCodes': typeof import('~/features/care/problem-codes/codes.server').importCodes
  'problems.list': typeof import('~/features/care/problems/problems.server').listProblems
  'problems.save': typeof import('~/features/care/problems/problems.server').saveProblem
  'problems.searchCodes': typeof import('~/features/care/problem-codes/codes.server').searchCodes
  'programs.end': typeof import('~/features/care/programs/programs.server').endEnrollment
  'programs.enroll': typeof import('~/features/care/programs/programs.server').enrollInProgram
  'programs.list': typeof import('~/features/care/programs/programs.server').listPrograms
  'programs.ofPatient': typeof import('~/features/care/programs/programs.server').programsOfPatient
  'programs.save': typeof import('~/features/care/programs/programs.server').saveEnrollment
  'quarantine.apply': typeof import('~/features/office/devices/quarantine.server').applyRefused
  'quarantine.get': typeof import('~/features/office/devices/quarantine.server').getRefused
  'quarantine.list': typeof import('~/features/office/devices/quarantine.server').listRefused
  'quarantine.reject': typeof import('~/features/office/devices/quarantine.server').rejectRefused
  'queue.board': typeof import('~/features/day/queue/board.server').queueBoard
  'queue.boardLink': typeof import('~/features/day/queue/board.server').getBoardLink
  'queue.call': typeof import('~/features/day/queue/turns.server').callPatient
  'queue.callNext': typeof import('~/features/day/queue/turns.server').callNext
  'queue.checkIn': typeof import('~/features/day/queue/turns.server').checkIn
  'queue.finish': typeof import('~/features/day/queue/turns.server').finishStep
  'queue.leave': typeof import('~/features/day/queue/turns.server').leaveQueue
  'queue.list': typeof import('~/features/day/queue/queue.server').listQueue
  'queue.makeBoardLink': typeof import('~/features/day/queue/board.server').makeBoardLink
  'queue.ofPatient': typeof import('~/features/day/queue/queue.server').listPatientQueue
  'queue.passOver': typeof import('~/features/day/queue/turns.server').passOverPatient
  'queue.revokeBoardLink': typeof import('~/features/day/queue/board.server').revokeBoardLink
  'queue.send': typeof import('~/features/day/queue/turns.server').sendToDepartment
  'queue.setUrgency': typeof import('~/features/day/queue/turns.server').setUrgency
  'queue.showBoard': typeof import('~/features/day/queue/board.server').showBoard
  'queue.start': typeof import('~/features/day/queue/turns.server').startStep
  'reconciliations.change': typeof import('~/features/medicines/taken/reconciliation.server').changeMedicine
  'reconciliations.decide': typeof import('~/features/medicines/taken/reconciliation.server').decideMedicine
  'reconciliations.delete': typeof import('~/features/medicines/taken/reconciliation.server').deleteDecision
  'reconciliations.list': typeof import('~/features/medicines/taken/reconciliation.server').listReconciliation
  'referrals.delete': typeof import('~/features/care/referrals/referrals.server').deleteReferral
  'referrals.get': typeof import('~/features/care/referrals/referrals.server').getReferral
  'referrals.list': typeof import('~/features/care/referrals/referrals.server').listReferrals
  'referrals.ofPatient': typeof import('~/features/care/referrals/referrals.server').referralsOfPatient
  'referrals.save': typeof import('~/features/care/referrals/referrals.server').saveReferral
  'registers.day': typeof import('~/features/record/registers/registers.server').dayRegister
  'registers.program': typeof import('~/features/record/registers/registers.server').programRegister
  'registrationForm.answered': typeof import('~/features/people/registration/registration-forms.server').answeredFields
  'registrationForm.get': typeof import('~/features/people/registration/registration-forms.server').getRegistrationForm
  'registrationForm.list': typeof import('~/features/people/registration/registration-forms.server').listRegistrationForms
  'registrationForm.save': typeof import('~/features/people/registration/registration-forms.server').saveRegistrationForm
  'relatedPersons.delete': typeof import('~/features/people/related/related-persons.server').deleteRelatedPerson
  'relatedPersons.ofPatient': typeof import('~/features/people/related/related-persons.server').relatedPersonsOfPatient
  'relatedPersons.save': typeof import('~/features/people/related/related-persons.server').saveRelatedPerson
  'reportBindings.delete': typeof import('~/features/reports/definitions/bindings.server').deleteBinding
  'reportBindings.list': typeof import('~/features/reports/definitions/bindings.server').listBindings
  'reportBindings.save': typeof import('~/features/reports/definitions/bindings.server').saveBinding
  'reportDefinitions.delete': typeof import('~/features/reports/definitions/definitions.server').deleteDefinition
  'reportDefinitions.get': typeof import('~/features/reports/definitions/definitions.server').getDefinition
  'reportDefinitions.importDhis2': typeof import('~/features/reports/exchange/import.server').importDhis2
  'reportDefinitions.list': typeof import('~/features/reports/definitions/definitions.server').listDefinitions
  'reportDefinitions.preview': typeof import('~/features/reports/definitions/definitions.server').previewDefinition
  'reportDefinitions.save': typeof import('~/features/reports/definitions/definitions.server').saveDefinition
  'reportDefinitions.versions': typeof import('~/features/reports/definitions/definitions.server').listDefinitionVersions
  'reports.amend': typeof import('~/features/reports/runs/closing.server').amendReport
  'reports.close': typeof import('~/features/reports/runs/closing.server').closeReport
  'reports.closedOn': typeof import('~/features/reports/runs/closed-on.server').closedOn
  'reports.drill': typeof import('~/features/reports/runs/drill.server').drillReport
  'reports.export': typeof import('~/features/reports/exchange/export.server').exportReport
  'reports.exportAdx': typeof import('~/features/reports/exchange/export.server').exportAdx
  'reports.exportDhis2': typeof import('~/features/reports/exchange/export.server').exportDhis2
  'reports.history': typeof import('~/features/reports/runs/closing.server').historyOfReport
  'reports.late': typeof import('~/features/reports/runs/closing.server').lateRows
  'reports.list': typeof import('~/features/reports/runs/reports.server').listReports
  'reports.run': typeof import('~/features/reports/runs/reports.server').runReport
  'reports.saveManual': typeof import('~/features/reports/runs/reports.server').saveManual
  'reports.send': typeof import('~/features/reports/exchange/sendings.server').sendReport
  'reports.sign': typeof import('~/features/reports/runs/closing.server').signReport
  'reports.trend': typeof import('~/features/reports/runs/trend.server').trendOfReport
  'safety.confirm': typeof import('~/features/medicines/safety/second/second-person.server').confirmOverride
  'safety.overrides': typeof import('~/features/medicines/safety/overrides.server').listOverrides
  'safety.review': typeof import('~/features/medicines/safety/overrides.server').reviewOverride
  'safety.rules': typeof import('~/features/medicines/safety/rules.server').listRules
  'safety.switchRule': typeof import('~/features/medicines/safety/rules.server').switchRule
  'safety.unseen': typeof import('~/features/medicines/safety/overrides.server').unseenWarnings
  'sendings.cancel': typeof import('~/features/reports/exchange/sendings.server').cancelSending
  'sendings.list': typeof import('~/features/reports/exchange/sendings.server').listSendings
  'sessions.current': typeof import('~/features/office/sessions/sessions.server').currentOf
  'sessions.list': typeof import('~/features/office/sessions/sessions.server').listSessions
  'sessions.listOf': typeof import('~/features/office/sessions/sessions.server').listSessionsOf
  'sessions.lock': typeof import('~/features/office/sessions/sessions.server').lockSession
  'sessions.replacePassword': typeof import('~/features/office/sessions/sessions.server').replacePassword
  'sessions.revoke': typeof import('~/features/office/sessions/sessions.server').revokeSession
  'sessions.revokeAllOf': typeof import('~/features/office/sessions/sessions.server').revokeSessionsOf
  'sessions.revokeOthers': typeof import('~/features/office/sessions/sessions.server').revokeOtherSessions
  'sessions.signIn': typeof import('~/features/office/sessions/sessions.server').signIn
  'sessions.signOut': typeof import('~/features/office/sessions/sessions.server').signOutSession
  'sessions.unlock': typeof import('~/features/office/sessions/sessions.server').unlockSession
  'sessions.verifyTwoFactor': typeof import('~/features/office/sessions/sessions.server').verifyTwoFactor
  'setup.complete': typeof import('~/features/office/sessions/setup/setup.server').completeFirstSetup
  'setup.completeRestore': typeof import('~/features/office/sessions/setup/setup.server').completeServerRestore
  'setup.createSuperAdmin': typeof import('~/features/office/sessions/setup/setup.server').createSuperAdmin
  'setup.restoredAdmins': typeof import('~/features/office/sessions/setup/setup.server').restoredAdmins
  'setup.state': typeof import('~/features/office/sessions/setup/setup.server').setupState
  'shortfalls.list': typeof import('~/features/medicines/inventory/changes/shortfalls.server').listShortfalls
  'shortfalls.settle': typeof import('~/features/medicines/inventory/changes/shortfalls.server').settleShortfall
  'summary.care': typeof import('~/features/reports/dashboard/administration.server').summaryCare
  'summary.day': typeof import('~/features/reports/dashboard/summary.server').summaryDay
  'summary.stats': typeof import('~/features/reports/dashboard/summary.server').summaryStats
  'summary.stock': typeof import('~/features/reports/dashboard/stock-summary.server').summaryStock
  'summary.trends': typeof import('~/features/reports/dashboard/administration.server').summaryTrends
  'timeline.list': typeof import('~/features/record/timeline/timeline.server').listTimeline
  'trash.list': typeof import('~/features/office/trash/trash.server').listTrash
  'trash.restore': typeof import('~/features/office/trash/trash.server').restoreDeletion
  'trust.get': typeof import('~/features/office/trust/trust.server').getAuthority
  'twoFactor.disable': typeof import('~/features/office/sessions/two-factor/two-factor.server').disableOwnTwoFactor
  'twoFactor.disableOf': typeof import('~/features/office/sessions/two-factor/two-factor.server').disableTwoFactorOf
  'twoFactor.enable': typeof import('~/features/office/sessions/two-factor/two-factor.server').enableOwnTwoFactor
  'twoFactor.newRecoveryCodes': typeof import('~/features/office/sessions/two-factor/two-factor.server').newRecoveryCodes
  'twoFactor.start': typeof import('~/features/office/sessions/two-factor/two-factor.server').startTwoFactor
  'users.askForPasswords': typeof import('~/features/office/users/ask-passwords.server').askForPasswords
  'users.clinicsWhere': typeof import('~/features/office/users/users.server').clinicsOfUserWhere
  'users.current': typeof import('~/features/office/sessions/viewer.server').currentUser
  'users.currentId': typeof import('~/features/office/sessions/viewer.server').currentUserId
  'users.delete': typeof import('~/features/office/users/users.server').deleteUser
  'users.export': typeof import('~/features/office/users/export.server').exportUsers
  'users.find': typeof import('~/features/office/users/users.server').findUser
  'users.get': typeof import('~/features/office/users/users.server').getUser
  'users.hasRole': typeof import('~/features/office/sessions/viewer.server').hasRole
  'users.list': typeof import('~/features/office/users/users.server').listUsers
  'users.names': typeof import('~/features/office/users/users.server').listUserNames
  'users.passwordsToAsk': typeof import('~/features/office/users/ask-passwords.server').countPasswordsToAsk
  'users.resetPassword': typeof import('~/features/office/users/users.server').resetPassword
  'users.save': typeof import('~/features/office/users/users.server').saveUser
  'users.toCome': typeof import('~/features/office/users/users.server').appointmentsOfUser
  'visits.close': typeof import('~/features/record/visits/visits.server').closeVisit
  'visits.closeBefore': typeof import('~/features/record/visits/visits.server').closeVisitsBefore
  'visits.delete': typeof import('~/features/record/visits/visits.server').deleteVisit
  'visits.get': typeof import('~/features/record/visits/visits.server').getVisit
  'visits.list': typeof import('~/features/record/visits/visits.server').listVisits
  'visits.listOpen': typeof import('~/features/record/visits/visits.server').listOpenVisits
  'visits.open': typeof import('~/features/record/visits/visits.server').openVisits
  'visits.reopen': typeof import('~/features/record/visits/visits.server').reopenVisit
  'visits.save': typeof import('~/features/record/visits/visits.server').saveVisit
  'vitals.delete': typeof import('~/features/care/vitals/vitals.server').deleteVital
  'vitals.growth': typeof import('~/features/care/vitals/growth/growth.server').childGrowth
  'vitals.latest': typeof import('~/features/care/vitals/vitals.server').latestVital
  'vitals.list': typeof import('~/features/care/vitals/vitals.server').listVitals
  'vitals.save': typeof import('~/features/care/vitals/vitals.server').saveVital
  'vitals.trend': typeof import('~/features/care/vitals/vitals.server').vitalTrend
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

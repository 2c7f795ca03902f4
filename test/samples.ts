import { BASE_FIELDS } from '~/features/people/registration/registration-form'
import { PERMISSIONS } from '~/shared/permissions'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { backupSamples } from './backup-samples'
import { appointmentSamples } from './appointment-samples'
import { definitionSamples } from './definition-samples'
import { homeSamples } from './home-samples'
import { aDocument } from './foreign-document'
import { eventFormSamples } from './event-form-samples'
import { followUpSamples } from './follow-up-samples'
import { eventSamples } from './event-samples'
import { prescriptionSamples } from './prescription-samples'
import { reportSamples } from './report-samples'
import { sessionSamples } from './session-samples'
import { phoneSamples } from './phone-samples'
import { stockSamples } from './stock-samples'
import { ENTITIES } from './entities/all'
import { newId, type Side } from './world'

type Samples = Record<string, (side: Side) => unknown>

function entitySamples(): Samples {
  const names = Object.keys(ENTITIES) as (keyof typeof ENTITIES)[]
  const calls = names.map((name): Samples => {
    const { noun, list, saved } = ENTITIES[name]
    return {
      [`${noun}.${list}`]: ({ patient }) => ({ patientId: patient.id }),
      [`${noun}.save`]: (side) => ({ id: newId(), patient_id: side.patient.id, ...saved(side) }),
      [`${noun}.delete`]: (side) => ({ id: side[name].id }),
    }
  })
  return Object.assign({}, ...calls) as Samples
}

const switches = {
  can_dispense_medications: true,
  can_perform_labs: false,
  can_perform_imaging: false,
}

const aPerson = { given_name: 'Nour', date_of_birth: '1990', sex: 'female' }
/** One white pixel, as a PNG. */
const aPicture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const theBaseFields = Object.entries(BASE_FIELDS).map(([column, id]) => ({
  id,
  column,
  label: { en: column },
  fieldType: column === 'date_of_birth' ? ('date' as const) : ('text' as const),
  options: [],
  required: false,
  baseField: true,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
}))

const aProblem = {
  problem_code_system: 'icd10',
  problem_code: 'J45.9',
  problem_label: 'Asthma',
  clinical_status: 'active',
  verification_status: 'confirmed',
}

/**
 * For each operation a call that is right in every respect, about one of two clinics: whether it is
 * answered depends on who asks.
 */
export const samples: Samples = {
  ...backupSamples,
  ...appointmentSamples,
  ...homeSamples,
  ...sessionSamples,
  ...phoneSamples,
  ...stockSamples,
  ...prescriptionSamples,
  ...eventFormSamples,
  ...eventSamples,
  ...definitionSamples,
  ...reportSamples,
  ...followUpSamples,
  ...entitySamples(),
  'audit.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'audit.users': () => ({}),
  'audit.accesses': ({ clinic }) => ({ clinicId: clinic.id }),
  'audit.export': () => ({ format: 'csv', language: 'en' }),
  'audit.exportAccesses': () => ({ format: 'csv', language: 'en' }),
  'patients.accesses': ({ patient }) => ({ patientId: patient.id }),
  'prints.record': ({ patient }) => ({ patientIds: [patient.id] }),
  'audit.newestSeal': () => ({}),

  'clinics.list': () => ({}),
  'clinics.names': () => ({}),
  'clinics.get': ({ clinic }) => ({ id: clinic.id }),
  'clinics.save': ({ clinic }) => ({
    id: clinic.id,
    last_modified: clinic.last_modified,
    name: 'Renamed',
  }),
  'clinics.archive': ({ empty }) => ({ id: empty.id }),
  'clinics.restore': ({ empty }) => ({ id: empty.id }),
  'clinics.delete': ({ empty }) => ({ id: empty.id }),

  'departments.get': ({ department }) => ({ id: department.id }),
  'departments.hasCapability': ({ department }) => ({ id: department.id, capability: 'dialysis' }),
  'departments.save': ({ clinic }) => ({
    id: newId(),
    clinic_id: clinic.id,
    name: 'Laboratory',
    code: null,
    description: null,
    ...switches,
    additional_capabilities: [],
  }),
  'departments.setStatus': ({ department }) => ({ id: department.id, status: 'inactive' }),
  'departments.toggleCapability': ({ department }) => ({
    id: department.id,
    capability: 'can_perform_labs',
  }),
  'departments.delete': ({ department }) => ({ id: department.id }),

  'patients.get': ({ patient }) => ({ id: patient.id }),
  'patients.create': ({ clinic }) => ({ id: newId(), primary_clinic_id: clinic.id, ...aPerson }),
  'patients.save': ({ patient }) => ({
    id: patient.id,
    last_modified: patient.last_modified,
    phone: '555 0199',
  }),

  'patients.banner': ({ patient }) => ({ patientId: patient.id }),
  'patients.card': ({ patient }) => ({ patientId: patient.id }),
  'patients.paperLanguage': ({ patient }) => ({ patientId: patient.id }),
  'patients.setLanguage': ({ patient }) => ({ patientId: patient.id, language: 'ar' }),

  'photos.get': ({ patient }) => ({ id: patient.id }),
  'photos.save': ({ patient }) => ({ id: patient.id, image: aPicture }),
  'photos.delete': ({ patient }) => ({ id: patient.id }),

  'registrationForm.get': () => ({}),
  'registrationForm.list': () => ({}),
  'registrationForm.answered': () => ({}),
  'registrationForm.save': () => ({ id: newId(), name: 'Another form', fields: theBaseFields }),

  'medicines.current': ({ patient }) => ({ patientId: patient.id }),
  'documents.preview': ({ patient }) => ({ patientId: patient.id, text: aDocument() }),
  'documents.take': ({ patient }) => ({
    patientId: patient.id,
    text: aDocument(),
    file_name: 'summary.json',
    entries: ['a line that the file does not have'],
    same_person: true,
  }),
  'documents.ofPatient': ({ patient }) => ({ patientId: patient.id }),
  'documents.added': ({ takenDocument }) => ({ id: takenDocument.id }),
  'documents.undo': ({ takenDocument }) => ({ id: takenDocument.id }),
  'problems.list': ({ patient }) => ({ patientId: patient.id }),
  'problems.get': ({ problem }) => ({ id: problem.id }),
  'problems.save': ({ patient, visit }) => ({
    id: newId(),
    patient_id: patient.id,
    visit_id: visit.id,
    ...aProblem,
  }),
  'problems.delete': ({ problem }) => ({ id: problem.id }),
  'problems.searchCodes': () => ({ query: 'asthma' }),
  'problems.importCodes': () => ({
    rows: [{ code: 'X1', system: 'icd11', label_en: 'A problem' }],
  }),

  'patients.rights': ({ patient }) => ({ id: patient.id }),

  'immunizations.plan': ({ patient }) => ({ patientId: patient.id }),
  'referrals.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'referrals.get': ({ referral }) => ({ id: referral.id }),
  'registers.day': ({ clinic, visit }) => ({
    clinicId: clinic.id,
    day: dayIn(visit.check_in_timestamp, clinicTimeZone()),
  }),
  'registers.program': ({ clinic }) => ({ clinicId: clinic.id, program: 'hypertension' }),

  'timeline.list': ({ patient }) => ({ patientId: patient.id }),

  'visits.list': ({ patient }) => ({ patientId: patient.id }),
  'visits.listOpen': ({ clinic }) => ({ clinicId: clinic.id }),
  'visits.closeBefore': ({ clinic }) => ({ clinicId: clinic.id, before: '2026-03-01' }),
  'visits.open': ({ patient }) => ({ patientId: patient.id }),
  'visits.get': ({ visit }) => ({ id: visit.id }),
  'visits.save': ({ patient, clinic }) => ({
    id: newId(),
    patient_id: patient.id,
    clinic_id: clinic.id,
    check_in_timestamp: '2026-01-05T08:00:00Z',
  }),
  'visits.close': ({ visit }) => ({ id: visit.id }),
  'visits.reopen': ({ visit }) => ({ id: visit.id }),
  'visits.delete': ({ visit }) => ({ id: visit.id }),

  'vitals.list': ({ patient }) => ({ patientId: patient.id, from: '2020-01-01T00:00:00Z' }),
  'vitals.latest': ({ patient }) => ({ patientId: patient.id }),
  'vitals.trend': ({ patient }) => ({ patientId: patient.id }),
  'vitals.growth': ({ patient }) => ({ patientId: patient.id }),
  'vitals.save': ({ patient, visit }) => ({
    id: newId(),
    patient_id: patient.id,
    visit_id: visit.id,
    timestamp: '2026-01-05T08:10:00Z',
    temperature_celsius: 37.2,
  }),
  'vitals.delete': ({ vital }) => ({ id: vital.id }),

  'movedIn.list': () => ({}),
  'movedIn.settle': ({ movedInReview }) => ({ id: movedInReview.id }),
  'imports.list': () => ({}),
  'imports.get': ({ upload }) => ({ id: upload.id }),
  'imports.create': ({ clinic }) => ({
    id: newId(),
    clinic_id: clinic.id,
    file_name: 'people.csv',
    file_size: 100,
  }),
  'imports.addPart': ({ upload }) => ({ id: upload.id, part: 0, content: 'bmFtZQ==' }),
  'imports.setEncoding': ({ upload }) => ({ id: upload.id, encoding: 'windows-1256' }),
  'imports.setDelimiter': ({ upload }) => ({ id: upload.id, delimiter: 'semicolon' }),
  'imports.setPlace': ({ upload }) => ({ id: upload.id, heading_line: 2 }),
  'imports.run': ({ upload }) => ({
    id: upload.id,
    task: 'check',
    mapping: { name: 'given_name', born: 'date_of_birth', sex: 'sex' },
  }),
  'imports.undo': ({ upload }) => ({ id: upload.id }),
  'imports.stop': ({ running }) => ({ id: running.id }),
  'imports.rejected': ({ upload }) => ({ id: upload.id }),
  'imports.newUsers': ({ upload }) => ({ id: upload.id }),
  'imports.doubtful': ({ upload }) => ({ id: upload.id }),
  'imports.delete': ({ upload }) => ({ id: upload.id }),

  'patients.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'patients.search': ({ patient }) => ({ searchQuery: patient.surname }),
  'patients.duplicates': () => ({
    given_name: 'Layla',
    surname: 'Mansour',
    date_of_birth: '1990-05-17',
  }),
  'openings.start': ({ patient, clinic }) => ({
    id: newId(),
    patientId: patient.id,
    clinicId: clinic.id,
    reason: 'here',
  }),
  'openings.close': ({ opening }) => ({ id: opening.id }),
  'openings.list': () => ({}),
  'openings.ofPatient': ({ patient }) => ({ patientId: patient.id }),
  'emergencies.start': ({ patient }) => ({
    id: newId(),
    patientId: patient.id,
    reason: 'Found unconscious at the gate',
  }),
  'emergencies.allow': ({ newcomer }) => ({ userId: newcomer.id }),
  'emergencies.lookUp': () => ({ given_name: 'Yasmin', surname: 'Qabbani' }),
  'emergencies.list': () => ({}),
  'emergencies.review': ({ emergency }) => ({ id: emergency.id }),
  'patients.link': ({ patient, clinic }) => ({
    reason: 'here',
    id: newId(),
    patientId: patient.id,
    clinicId: clinic.id,
  }),
  'patients.unlink': ({ patient, clinic }) => ({
    id: newId(),
    patientId: patient.id,
    clinicId: clinic.id,
  }),
  'patients.mergePreview': ({ patient, twin }) => ({ winnerId: patient.id, loserId: twin.id }),
  'patients.merge': ({ patient, twin }) => ({
    id: newId(),
    winnerId: patient.id,
    loserId: twin.id,
    choices: {},
  }),
  'patients.unmerge': ({ merge }) => ({ mergeId: merge.id }),
  'patients.merges': () => ({ page: 1 }),
  'immunizations.export': ({ clinic }) => ({
    clinicId: clinic.id,
    format: 'csv',
    language: 'en',
  }),
  'patients.export': ({ clinic }) => ({ clinicId: clinic.id, format: 'csv', language: 'en' }),
  'patients.delete': ({ patient }) => ({ id: patient.id }),
  'patients.deleteMany': ({ patient, twin }) => ({ ids: [patient.id, twin.id] }),
  'patients.deletionProgress': ({ largeDeletion }) => ({ id: largeDeletion.id }),
  'patients.stopDeletion': ({ largeDeletion }) => ({ id: largeDeletion.id }),

  'users.list': () => ({}),
  'users.names': () => ({}),
  'users.get': ({ registrar }) => ({ id: registrar.id }),
  'users.find': ({ registrar }) => ({ id: registrar.id }),
  'users.save': ({ registrar, clinic }) => ({
    id: registrar.id,
    last_modified: registrar.last_modified,
    name: 'Renamed',
    email: registrar.email,
    role: 'registrar',
    clinic_id: clinic.id,
    password: null,
  }),
  'users.resetPassword': ({ registrar }) => ({ id: registrar.id, password: null }),
  'users.passwordsToAsk': () => ({}),
  'users.askForPasswords': () => ({}),
  'users.toCome': ({ registrar }) => ({ id: registrar.id }),
  'users.delete': ({ registrar }) => ({ id: registrar.id }),
  'users.clinicsWhere': ({ registrar }) => ({
    userId: registrar.id,
    permission: 'can_view_history',
  }),
  'permissions.list': ({ registrar }) => ({ userId: registrar.id }),
  'permissions.save': ({ registrar, clinic, permission }) => ({
    userId: registrar.id,
    clinicId: clinic.id,
    last_modified: permission.last_modified,
    ...Object.fromEntries(PERMISSIONS.map((name) => [name, name === 'can_view_history'])),
  }),
  'permissions.give': ({ registrar, empty }) => ({ userId: registrar.id, clinicId: empty.id }),
  'permissions.revoke': ({ registrar, clinic }) => ({ userId: registrar.id, clinicId: clinic.id }),

  'trash.list': () => ({}),
  'trash.restore': ({ deletion }) => ({ id: deletion.id }),
}

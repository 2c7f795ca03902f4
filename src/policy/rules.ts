import { type Actor, clinicsWhere, mayAnywhere, mayIn } from '~/shared/actor'
import { type Capability, CLINICAL, type Permission, PERMISSIONS } from '~/shared/permissions'

/**
 * Who may do what, each rule defined once (docs/rules.md, "Who may do what"). A rule is data: `facts.ts`
 * renders it as a boolean, `sql.server.ts` as a `where`, `sql-text.ts` as text for pulls, and a
 * property test holds the renderings to one answer. Administrators pass every rule.
 */
export type PatientRule = {
  /** What the role must allow. */
  capability: Capability
  /** One of these must be held in a clinic that has one of the links to the patient. */
  permissions: readonly Permission[]
  links: readonly LinkSource[]
  /** Emergency access (docs/rules.md, "Care across clinics") meets it, too. */
  inEmergency?: true
  /** `every`: in each such clinic, and there must be one. */
  clinics: 'some' | 'every'
}

/**
 * Links that come from care (`patient_links.source`); `explicit` is made by hand and shows only who a patient is;
 * `opened` is made with a reason and shows the clinic what others recorded.
 */
export const CARE = ['primary', 'registered', 'visit', 'appointment', 'prescription'] as const
export const LINK_SOURCES = [...CARE, 'explicit', 'opened'] as const
export type LinkSource = (typeof LINK_SOURCES)[number]

const reads = (permissions: readonly Permission[], links: readonly LinkSource[]): PatientRule => ({
  capability: 'read_patient',
  permissions,
  links,
  clinics: 'some',
})

/** Name, sex, birth, phone, ids, photo. */
export const knowPatient: PatientRule = {
  ...reads(['can_register_patients', 'can_view_history'], LINK_SOURCES),
  inEmergency: true,
}
/** Changes who a patient is; callers check `update_patient`. */
export const editPatient = reads(['can_register_patients', 'can_edit_records'], LINK_SOURCES)
export const deletePatient: PatientRule = {
  capability: 'delete_patient',
  permissions: ['can_delete_patient_records'],
  links: CARE,
  clinics: 'every',
}

/**
 * Visits, events, vital signs, problems, prescriptions: the rows that the actor's clinics recorded. Those of other
 * clinics follow `readOthersRows`.
 */
export const readHistory: PatientRule = {
  ...reads(['can_view_history'], LINK_SOURCES),
  inEmergency: true,
}
/** Rows of other clinics: opened with a reason (docs/rules.md, "Care across clinics"). */
export const readOthersRows: PatientRule = {
  ...reads(['can_view_history'], ['opened']),
  inEmergency: true,
}
/** The same where the clinics of an organization share their histories: care is enough. */
const readSharedRows: PatientRule = {
  ...readOthersRows,
  links: [...CARE, 'opened'],
}
/** A record of no visit; one of a visit belongs to the clinic of the visit. Callers check `readHistory`, too. */
export const editHistory = reads(['can_edit_records'], CARE)
export const deleteHistory = reads(['can_delete_records'], CARE)
/** A decision about a medicine, a taken document: callers check that it is the actor's own, or `deleteHistory`. */
export const undoOwn = reads(['can_edit_records', 'can_delete_records'], CARE)
/** Who saw the record. */
export const seeAccesses = reads(['is_clinic_admin'], CARE)
export const editOthersEvents = reads(['can_edit_other_provider_event'], CARE)
export const exportHistory = reads(['can_download_patient_reports'], CARE)
/** Callers check `knowPatient`, too. */
export const prescribeFor = reads(['can_prescribe_medications'], CARE)
/** Who dispenses a prescription must know the patient's allergies. */
export const dispenseTo = reads(['can_dispense_medications'], ['prescription'])
/**
 * Allergies, pregnancies and active medicines, which the safety check needs: never hidden from those who prescribe,
 * dispense or record care, whichever clinic recorded them.
 */
export const readForSafety: readonly PatientRule[] = [
  readHistory,
  dispenseTo,
  prescribeFor,
  editHistory,
]

export const PATIENT_RULES = {
  knowPatient,
  editPatient,
  deletePatient,
  readHistory,
  readOthersRows,
  readSharedRows,
  editHistory,
  deleteHistory,
  undoOwn,
  seeAccesses,
  editOthersEvents,
  exportHistory,
  prescribeFor,
  dispenseTo,
}

/** Rules about what belongs to one clinic: one of the permissions there. */
export type ClinicRule = readonly Permission[]
/** Sees, books and moves appointments, and runs the queue. */
export const seeAppointments: ClinicRule = knowPatient.permissions
export const prescribeAt: ClinicRule = ['can_prescribe_medications']
/** At the pickup clinic of a prescription. */
export const dispenseAt: ClinicRule = ['can_dispense_medications']
/** Opens, changes, closes and reopens visits of the clinic. */
export const openVisit: ClinicRule = editHistory.permissions
export const deleteVisitRule: ClinicRule = ['can_delete_patient_visits']
/** Departments and forms of the clinic. */
export const administerClinic: ClinicRule = ['is_clinic_admin']
/** Receives, transfers, adjusts and writes off stock of the clinic, and changes its batches. */
export const manageStock: ClinicRule = ['can_manage_stock', ...administerClinic]
/** Counts the stock, and sees what phones dispensed beyond it. */
export const countStockAt: ClinicRule = [...dispenseAt, ...manageStock]
/** Catalogue and stock, forms, departments. */
export const workAt: ClinicRule = PERMISSIONS

export const CLINIC_RULES = {
  seeAppointments,
  prescribeAt,
  dispenseAt,
  openVisit,
  deleteVisit: deleteVisitRule,
  administerClinic,
  manageStock,
  countStockAt,
  workAt,
}

/** Whether the actor may move a patient away from the home clinic: by a right there. */
export const mayMoveFrom = (actor: Actor, homeClinicId: string | null): boolean =>
  homeClinicId === null || editPatient.permissions.some((held) => mayIn(actor, held, homeClinicId))

/** The rule for rows that other clinics recorded. */
export const othersRows = ({ sharesHistory }: Pick<Actor, 'sharesHistory'>): PatientRule =>
  sharesHistory ? readSharedRows : readOthersRows

/** The clinics in which the actor meets the rule. */
export const clinicsMeetingRule = (
  rule: PatientRule | ClinicRule,
  actor: Actor,
): 'all' | string[] => clinicsWhere(actor, ...('permissions' in rule ? rule.permissions : rule))

/** A provider whose emergency access an administrator must allow. */
export const needsEmergencyGrant = (person: Pick<Actor, 'role' | 'grants'>) =>
  person.role === 'provider' && !mayAnywhere(person, ...CLINICAL)

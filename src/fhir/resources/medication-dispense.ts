import { sql } from 'kysely'
import { historyWhere } from '~/policy/sql.server'
import { inPermittedClinics } from '~/server/scope'
import { mayAnywhere } from '~/shared/actor'
import { bySubject, conditionalCodes, moment, referenceParameter } from '../parameters'
import { toQuantity } from '../parts'
import { compact, type Fhir, instant, refer, resource } from '../resource'

type DispenseRow = {
  patient_id: string
  clinic_id: string
  drug_id: string
  generic_name: string | null
  prescription_item_id: string | null
  quantity_dispensed: number
  days_supply: number | null
  dosage_instructions: string | null
  dispensed_by: string | null
  dispensed_at: Date
  /** One of a pair of entries that cancel each other. */
  is_reversed: boolean
}

const toFhir = (row: DispenseRow): Fhir => ({
  resourceType: 'MedicationDispense',
  ...compact({
    status: row.is_reversed ? 'entered-in-error' : 'completed',
    medicationReference: refer('Medication', row.drug_id, row.generic_name),
    subject: refer('Patient', row.patient_id),
    performer: [{ actor: refer('Practitioner', row.dispensed_by) }],
    location: refer('Location', row.clinic_id),
    authorizingPrescription: [refer('MedicationRequest', row.prescription_item_id)],
    quantity: { value: row.quantity_dispensed },
    daysSupply: row.days_supply === null ? null : toQuantity(row.days_supply, 'd', 'days'),
    whenHandedOver: instant(row.dispensed_at),
    dosageInstruction: [{ text: row.dosage_instructions }],
  }),
})

const isReversed = sql<boolean>`(r.reverses_id is not null or exists (select from dispensing_records back
  where back.reverses_id = r.id and not back.is_deleted))`

export const medicationDispense = resource<DispenseRow>({
  type: 'MedicationDispense',
  from: sql`dispensing_records r left join drug_catalogue d on d.id = r.drug_id`,
  columns: sql`r.patient_id, r.clinic_id, r.drug_id, d.generic_name, r.prescription_item_id,
    r.quantity_dispensed::float8, r.days_supply::float8, r.dosage_instructions, r.dispensed_by, r.dispensed_at,
    ${isReversed} as is_reversed`,
  permits: (actor) => mayAnywhere(actor, 'can_dispense_medications', 'can_view_history'),
  where: (
    actor,
  ) => sql<boolean>`(${inPermittedClinics(actor, 'r.clinic_id', 'can_dispense_medications')}
    or ${historyWhere(actor, 'r')})`,
  patient: 'patient_id',
  toFhir,
  search: {
    ...bySubject,
    whenhandedover: moment('whenHandedOver', sql`r.dispensed_at`),
    prescription: referenceParameter('authorizingPrescription', sql`r.prescription_item_id`, [
      'MedicationRequest',
    ]),
    performer: referenceParameter('performer.actor', sql`r.dispensed_by`, ['Practitioner']),
    medication: referenceParameter('medicationReference', sql`r.drug_id`, ['Medication']),
    status: conditionalCodes(
      'status',
      { 'entered-in-error': isReversed, completed: sql<boolean>`not ${isReversed}` },
      'http://terminology.hl7.org/CodeSystem/medicationdispense-status',
    ),
  },
})

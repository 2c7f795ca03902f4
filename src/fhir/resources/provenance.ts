import { type RawBuilder, sql } from 'kysely'
import { keysIn } from '~/shared/object'
import { isAdmin } from '~/shared/actor'
import { moment, referenceParameter, referenceBy } from '../parameters'
import { compact, instant, refer, resource } from '../resource'
import { type AuditedChange, ofTrail } from './audit-event'
import { isId } from '~/shared/id'

/** The types whose rows keep their id in FHIR, by table. */
const TYPE_OF = {
  patients: 'Patient',
  visits: 'Encounter',
  patient_problems: 'Condition',
  patient_allergies: 'AllergyIntolerance',
  prescription_items: 'MedicationRequest',
  dispensing_records: 'MedicationDispense',
  drug_catalogue: 'Medication',
  appointments: 'Appointment',
  events: 'QuestionnaireResponse',
  patient_immunizations: 'Immunization',
  users: 'Practitioner',
  clinics: 'Organization',
} as const
const TABLES = keysIn(TYPE_OF)
const resourceTypeOfTable = (table: string) => TYPE_OF[table as keyof typeof TYPE_OF]

const ACTIVITY = 'http://terminology.hl7.org/CodeSystem/v3-DataOperation'
const ACTIVITY_OF = { C: 'CREATE', U: 'UPDATE', D: 'DELETE' }

/** Who made the newest change of a record, and when. */
export const provenance = resource<AuditedChange>({
  ...ofTrail,
  type: 'Provenance',
  where: (actor) => sql<boolean>`(${sql.val(isAdmin(actor))}::boolean
    and r.table_name = any(${TABLES}) and r.record_id is not null and not exists (
      select from audit_log newer where newer.table_name = r.table_name
        and newer.record_id = r.record_id and newer.id > r.id))`,
  toFhir: (row) => ({
    resourceType: 'Provenance',
    ...compact({
      target: [refer(resourceTypeOfTable(row.table_name), row.record_id)],
      recorded: instant(row.at),
      activity: { coding: [{ system: ACTIVITY, code: ACTIVITY_OF[row.kind] }] },
      agent: [{ who: refer('Practitioner', row.user_id, row.user_name) ?? { display: 'Sanad' } }],
    }),
  }),
  summary: ['target', 'recorded'],
  search: {
    target: referenceBy(
      'target',
      Object.values(TYPE_OF),
      sql`r.record_id`,
      ({ type, id }): RawBuilder<boolean> => {
        const tables = TABLES.filter(
          (table) => type === undefined || resourceTypeOfTable(table) === type,
        )
        return isId(id)
          ? sql`(r.table_name = any(${tables}) and r.record_id = ${id}::uuid)`
          : sql`false`
      },
    ),
    recorded: moment('recorded', sql`r.at`),
    agent: referenceParameter('agent.who', sql`r.user_id`, ['Practitioner']),
  },
})

import { sql } from 'kysely'
import { isAdmin } from '~/shared/actor'
import { conditionalCodes, moment, referenceParameter } from '../parameters'
import { compact, instant, refer, resource } from '../resource'

/** A change in the audit trail, without its values. */
export type AuditedChange = {
  at: Date
  user_id: string | null
  user_name: string | null
  action: string
  via: string
  table_name: string
  record_id: string | null
  patient_id: string | null
  kind: 'C' | 'U' | 'D'
}

const created = sql<boolean>`r.changes -> 'is_deleted' = '[null, false]'::jsonb`
const removed = sql<boolean>`r.changes -> 'is_deleted' = '[false, true]'::jsonb`

/** What all resources of the audit trail share: administrators read it, as on its screen. */
export const ofTrail = {
  from: sql`audit_log r left join users on users.id = r.user_id`,
  columns: sql`r.at, r.user_id, users.name as user_name, r.action, r.via, r.table_name, r.record_id, r.patient_id,
    case when ${created} then 'C' when ${removed} then 'D' else 'U' end as kind`,
  permits: isAdmin,
  modified: sql<Date>`r.at`,
  deleted: sql<boolean>`false`,
  patient: 'patient_id' as const,
  hasId: (id: string) => (/^\d{1,18}$/.test(id) ? sql<boolean>`r.id = ${id}::bigint` : null),
}

export const auditEvent = resource<AuditedChange>({
  ...ofTrail,
  type: 'AuditEvent',
  where: (actor) => sql<boolean>`${sql.val(isAdmin(actor))}::boolean`,
  toFhir: (row) => ({
    resourceType: 'AuditEvent',
    ...compact({
      type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
      subtype: [{ code: row.action }],
      action: row.kind,
      recorded: instant(row.at),
      outcome: '0',
      agent: [
        {
          who: refer('Practitioner', row.user_id, row.user_name),
          name: row.user_name,
          requestor: true,
        },
      ],
      source: { observer: { display: `Sanad (${row.via})` } },
      entity: [
        row.patient_id && { what: refer('Patient', row.patient_id) },
        { name: [row.table_name, row.record_id].filter(Boolean).join('/') },
      ],
    }),
  }),
  search: {
    date: moment('recorded', sql`r.at`),
    agent: referenceParameter('agent.who', sql`r.user_id`, ['Practitioner']),
    patient: referenceParameter('entity.what', sql`r.patient_id`, ['Patient']),
    action: conditionalCodes(
      'action',
      {
        C: created,
        D: removed,
        U: sql`(${created} or ${removed}) is not true`,
      },
      'http://hl7.org/fhir/audit-event-action',
    ),
  },
})

import { sql } from 'kysely'
import { clinicsRead } from '~/features/office/clinics/clinics.server'
import { inPermittedClinics } from '~/server/scope'
import { PERMISSIONS } from '~/shared/permissions'
import { conditionalCodes, referenceParameter, string } from '../parameters'
import { compact, refer, resource } from '../resource'

type Place = {
  clinic_id: string
  parent_id: string | null
  name: string
  state: string
  code: string | null
  abilities: string[]
}

/** What a department can do (https://terminology.hl7.org/CodeSystem-v3-RoleCode.html). */
const ROLES = 'http://terminology.hl7.org/CodeSystem/v3-RoleCode'
const ROLE_OF: Record<string, string> = {
  dispense: 'PHARM',
  labs: 'MBL',
  imaging: 'RADDX',
}
const STATUS: Record<string, string> = { inactive: 'inactive', maintenance: 'suspended' }

/** Clinics and, as parts of them, their departments. */
export const location = resource<Place>({
  type: 'Location',
  from: sql`(
    select id, id as clinic_id, null::uuid as parent_id, name, null as code, is_archived, is_deleted,
      last_modified, case when is_archived then 'inactive' else 'active' end as state,
      array[]::text[] as abilities
    from clinics
    union all
    select d.id, d.clinic_id, d.clinic_id, d.name, d.code, c.is_archived,
      d.is_deleted or c.is_deleted, d.last_modified, d.status,
      array_remove(array[case when can_dispense_medications then 'dispense' end,
        case when can_perform_labs then 'labs' end, case when can_perform_imaging then 'imaging' end],
        null) || d.additional_capabilities
    from clinic_departments d join clinics c on c.id = d.clinic_id) r`,
  columns: sql`r.clinic_id, r.parent_id, r.name, r.code, r.state, r.abilities`,
  permits: () => true,
  where: (actor) => sql<boolean>`case when r.parent_id is null
    then not r.is_archived or ${clinicsRead(actor, 'r.clinic_id')}
    else ${inPermittedClinics(actor, 'r.clinic_id', ...PERMISSIONS)} end`,
  patient: null,
  toFhir: ({ clinic_id, parent_id, name, state, code, abilities }) => ({
    resourceType: 'Location',
    ...compact({
      status: STATUS[state] ?? 'active',
      name,
      alias: [code],
      mode: 'instance',
      type: abilities.map((ability) =>
        ROLE_OF[ability]
          ? { coding: [{ system: ROLES, code: ROLE_OF[ability] }] }
          : { text: ability },
      ),
      managingOrganization: refer('Organization', clinic_id),
      partOf: refer('Location', parent_id),
    }),
  }),
  summary: ['status', 'name', 'mode', 'type', 'managingOrganization'],
  search: {
    name: string('name|alias', [sql`r.name`, sql`r.code`]),
    status: conditionalCodes(
      'status',
      {
        active: sql`r.state = 'active'`,
        inactive: sql`r.state = 'inactive'`,
        suspended: sql`r.state = 'maintenance'`,
      },
      'http://hl7.org/fhir/location-status',
    ),
    organization: referenceParameter('managingOrganization', sql`r.clinic_id`, ['Organization']),
    partof: referenceParameter('partOf', sql`r.parent_id`, ['Location']),
  },
})

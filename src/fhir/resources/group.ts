import { sql } from 'kysely'
import { conditionalCodes, referenceParameter } from '../parameters'
import { refer, resource } from '../resource'
import { clinicWhere } from './organization'

type Clinic = { id: string; name: string; is_archived: boolean }

/** The patients of a clinic (`patient_links`), for exports. The members are not listed. */
export const group = resource<Clinic>({
  type: 'Group',
  from: sql`clinics r`,
  columns: sql`r.id, r.name, r.is_archived`,
  permits: () => true,
  where: (actor) => clinicWhere(actor),
  patient: null,
  toFhir: ({ id, name, is_archived }) => ({
    resourceType: 'Group',
    active: !is_archived,
    type: 'person',
    actual: true,
    name,
    managingEntity: refer('Organization', id, name),
  }),
  summary: ['active', 'type', 'actual', 'name', 'managingEntity'],
  search: {
    type: conditionalCodes('type', { person: sql`true` }, 'http://hl7.org/fhir/group-type'),
    'managing-entity': referenceParameter('managingEntity', sql`r.id`, ['Organization']),
  },
})

import { KIND_OF_OPERATION } from '~/shared/access-kinds.gen'
import type { AccessKind } from '~/shared/access-kinds'

/** What phones and FHIR clients read, by the names that the access log has for it. */
const OF_OTHER_DOORS: Readonly<Record<string, AccessKind>> = {
  'rpc.get_patient': 'record',
  'rpc.get_patients': 'list',
  'rpc.search_patients': 'search',
  'rpc.get_visits': 'visits',
  'rpc.get_visit_events': 'events',
  'rpc.events.by_form': 'events',
  'rpc.vitals.list': 'vitals',
  'rpc.problems.list': 'problems',
  'rpc.problems.get': 'problems',
  'sync.pull': 'phone',
  'fhir.everything': 'fhir',
  'fhir.export': 'fhir',
  'fhir.exportFile': 'fhir',
  'fhir.read': 'fhir',
  'fhir.search': 'fhir',
  'fhir.summary': 'fhir',
}

const kinds = new Map(Object.entries({ ...KIND_OF_OPERATION, ...OF_OTHER_DOORS }))

/** Undefined for writes, which are logged only if they were refused. */
export const accessKind = (operation: string): AccessKind | undefined => kinds.get(operation)

/** The names of all operations of the kind. */
export const operationsOfKind = (kind: AccessKind): string[] =>
  [...kinds].filter(([, of]) => of === kind).map(([name]) => name)

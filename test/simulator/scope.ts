import type { PersonScope } from '~/sync/schema/scope'
import type { Server } from './server'
import { keyOf, type PatientLink, type StoredRow } from './state'

// What src/sync/schema/scope.ts writes as SQL, over rows and links in memory.

export const patientIdOf = ({ table, id, values }: StoredRow) =>
  table === 'patients' ? id : String(values['patient_id'])

const clinicsFor = ({ table }: Pick<StoredRow, 'table'>, { known, history }: PersonScope) =>
  table === 'patients' ? known : history

type Counts = (link: PatientLink) => boolean
const isOpen: Counts = (link) => link.isOpen

/** `linked()` */
export const linked = (
  server: Server,
  row: StoredRow,
  scope: PersonScope,
  counts: Counts = isOpen,
) =>
  server.state.links.some(
    (link) =>
      link.patientId === patientIdOf(row) &&
      counts(link) &&
      (scope.everything || clinicsFor(row, scope).includes(link.clinicId)),
  )

/** `inScope()` for a table of patients. */
export const inScope = (
  server: Server,
  row: StoredRow,
  scope: PersonScope,
  counts: Counts = isOpen,
): boolean => scope.everything || (linked(server, row, scope, counts) && isRecordOpen(row, scope))

/** The user may see what the clinic that recorded the row has recorded. */
export const isRecordOpen = ({ table, recordedClinicId }: StoredRow, { history }: PersonScope) =>
  table === 'patients' || (recordedClinicId !== null && history.includes(recordedClinicId))

export const isLive = (server: Server, row: StoredRow | undefined, scope: PersonScope) =>
  row !== undefined && !row.isDeleted && inScope(server, row, scope)

/** The transaction that deleted a row. */
export function deletedBy({ state }: Server, row: StoredRow): number {
  const { columns, xid } = state.stamps.get(keyOf(row))!
  return columns['is_deleted'] ?? xid
}

/** `isDeletedInScope()`: deleted and, but for that, in scope. */
export const isDeletedInScope = (server: Server, row: StoredRow, scope: PersonScope): boolean =>
  row.isDeleted &&
  inScope(
    server,
    row,
    scope,
    (link) =>
      link.isOpen ||
      link.xid === deletedBy(server, row) ||
      (server.rules.model.countsLaterDeletions &&
        link.xid > deletedBy(server, row) &&
        isEndedByDeletion(server, link)),
  )

/** The deletion of the patient or of a visit ended the link. */
const isEndedByDeletion = ({ state }: Server, { patientId, xid }: PatientLink) =>
  [...state.rows.values()].some(
    (row) =>
      (row.table === 'patients' || (row.table === 'visits' && row.isDeleted)) &&
      patientIdOf(row) === patientId &&
      state.stamps.get(keyOf(row))!.columns['is_deleted'] === xid,
  )

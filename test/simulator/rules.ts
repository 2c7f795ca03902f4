import { conflictsOfDeletion, planDeletions, planInsert, planUpdate } from '~/sync/push/decide'
import { choosePushBasePull, LastPush } from '~/sync/push/delivered'
import { mayDelete } from '~/sync/push/rights.server'
import { asCopy, type Incoming, type RowId } from '~/sync/push/incoming'
import { buildPullPlan } from '~/sync/pull/plan'

/**
 * The decisions of the product that the simulated server calls. A deliberate fault replaces one.
 */
export const product = {
  basePullOf: (
    chain: Parameters<typeof choosePushBasePull>[0],
    delivered: LastPush,
    rows: readonly RowId[],
    // for faults
    _pullId: number,
  ) => choosePushBasePull(chain, delivered, rows),
  planInsert,
  planUpdate,
  conflictsOfDeletion,
  mayDelete,
  planOf: buildPullPlan,
  deliveredBy(rows: readonly Incoming[], deleted: readonly RowId[]): LastPush {
    const delivered = new LastPush()
    for (const { table, id } of deleted) delivered.delete(table, id)
    for (const row of rows) delivered.save(row)
    return delivered
  },
  deletionsOf: planDeletions,
  asCopy,
  /** Of the model alone: what SQL decides in the product. */
  model: {
    /** Whether a snapshot lists the transactions that run. */
    seesRunning: true,
    beginsEpoch: true,
    storesRefused: true,
    storesConflicts: true,
    resendsDifferent: true,
    /** A row that the phone sent is left out only in the version that it sent. */
    comparesEchoes: true,
    /** A pushed edit leaves the tombstone deleted. */
    keepsTombstones: true,
    /** A patient who comes into scope brings the rows that are older than the link. */
    sendsEntered: true,
    /** An entry of the resend list stays until its pull has been followed by a push. */
    keepsResend: true,
    /** A phone receives its rows that were released from quarantine. */
    tellsReleased: true,
    /** A quarantined row that several phones of its user have sent is settled for all of them. */
    tellsAllPhones: true,
    /** A deleted record keeps the visit with which it was sent. */
    keepsVisitsInTrash: true,
    /** The phone of a forced upload without a pull is known by its app password. */
    knowsUploads: true,
    /** What another clinic recorded leaves a phone at once. */
    checksWhoRecorded: true,
    /** A row inserted since a restore counts as unseen until it is sent. */
    comparesInserts: true,
    /** So does a value from before a restore in a row that was deleted for a time. */
    comparesUndone: true,
    /** A value that was refused, or whose row was deleted, has not lost if nobody else had changed it. */
    marksUnwritten: true,
    /** A deleted row stays in scope if a later deletion, of its visit or patient, ends the access. */
    countsLaterDeletions: true,
    /** A phone that has scanned both codes is one phone, known by its app password. */
    joinsWays: true,
    /** Through the hub, a pull that names a number follows a sync that is over. */
    countsNamed: true,
    /** A deletion is compared with what its own way has brought: through the hub, the app sends none. */
    comparesDeletionsByWay: true,
    /** What a phone wrote itself, its user has seen. */
    countsOwnEntries: true,
    /** A phone that has written into a row had been sent it. */
    knowsWrittenRows: true,
    /** A phone that waits after a restore may have a form that the server has lost. */
    asksAboutLostForms: true,
    /** The numbers of pulls lie near the clock. */
    numbersNearClock: true,
    /** A value that a copy holds and that the record had earlier is no conflict. */
    dropsOlderValues: true,
  },
}
export type Rules = typeof product

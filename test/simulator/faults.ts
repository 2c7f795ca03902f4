import { LastPush } from '~/sync/push/delivered'
import type { Existing } from '~/sync/push/merge'
import { personScope } from '~/sync/schema/scope'
import type { Wire } from '~/sync/schema/kinds'
import { product, type Rules } from './rules'
import { BESIDE } from '~/sync/schema/tables'
import { entriesIn, MAP, OF_APP } from './state'

/** `shownBy`: a seed whose history shows it, if the first few do not. */
type Fault = { rule: string; rules: Rules; shownBy?: number }

const fault = (rule: string, changes: Partial<Rules>): Fault => ({
  rule,
  rules: { ...product, ...changes },
})
const modelFault = (rule: string, changes: Partial<Rules['model']>): Fault =>
  fault(rule, { model: { ...product.model, ...changes } })
const ofExisting = (rule: string, change: (row: Existing) => Partial<Existing>): Fault =>
  fault(rule, {
    planUpdate: (state, table, incoming, before, facts) =>
      product.planUpdate(state, table, incoming, { ...before, ...change(before) }, facts),
  })
/** Another value of a column that is merged by its entries. */
const ofWritten = (
  rule: string,
  change: (kept: Wire, sent: Wire) => Wire,
  column: string = MAP.column,
): Fault =>
  fault(rule, {
    planUpdate(state, table, incoming, before, facts) {
      const planned = product.planUpdate(state, table, incoming, before, facts)
      const [kept, sent] = [planned?.values[column], incoming.values[column]]
      if (!planned || kept === undefined || sent === undefined) return planned
      return { ...planned, values: { ...planned.values, [column]: change(kept, sent) } }
    },
  })
const ofPlan = (
  rule: string,
  change: (
    plan: ReturnType<Rules['planOf']>,
    ...input: Parameters<Rules['planOf']>
  ) => Partial<ReturnType<Rules['planOf']>>,
): Fault =>
  fault(rule, {
    planOf(...input) {
      const plan = product.planOf(...input)
      return { ...plan, ...change(plan, ...input) }
    },
  })

/** One deliberate fault for each rule of a push or a pull. */
export const faults: Record<string, Fault> = {
  'last-write-wins': ofExisting('an edit that the author has not seen is kept', () => ({
    unseen: new Set<string>(),
    unseenLater: null,
  })),
  'base-too-new': fault('the base is the newest pull that a push has followed', {
    basePullOf: (_chain, _delivered, _rows, pullId) => pullId,
  }),
  'second-edit-overwrites': ofExisting('a second edit of a value that lost, loses', () => ({
    isResent: false,
  })),
  'changed-ignored': fault('only the columns in `_changed` are written', {
    planUpdate: (state, table, incoming, before, facts) =>
      product.planUpdate(
        state,
        table,
        { ...incoming, changed: Object.keys(incoming.values) },
        before,
        facts,
      ),
  }),
  'app-empties': ofExisting('a value that the app emptied is kept', () => ({
    emptiedByApp: new Set<string>(),
  })),
  'form-in-force-only': ofExisting(
    'the form that the phone had hides, too',
    ({ emptiedByApp }) => ({
      emptiedByApp: new Set([...emptiedByApp].slice(-1)),
    }),
  ),
  'clearing-ignored': ofExisting('a field that a person clears is cleared', () => ({
    emptiedByApp: new Set(['hometown', 'camp', 'photo_url']),
  })),
  'entries-unseen-overwritten': {
    ...ofExisting('an entry that others changed is kept', ({ unseen }) => ({
      unseen: new Set([...unseen].filter((column) => column !== MAP.column)),
      unseenLater: null,
    })),
    shownBy: 55,
  },
  'entries-as-a-whole': {
    ...ofExisting('only an entry that both sides changed is a conflict', () => ({ bases: {} })),
    shownBy: 406,
  },
  'own-entries-unseen': {
    ...modelFault('what a phone wrote itself, its user has seen', { countsOwnEntries: false }),
    shownBy: 2389,
  },
  'written-row-unseen': {
    ...modelFault('a phone that wrote into a row had been sent it', { knowsWrittenRows: false }),
    shownBy: 1796,
  },
  'entries-removed': {
    ...ofWritten('an entry that a phone does not send stays', (_kept, sent) => sent),
    shownBy: 43,
  },
  'time-goes-back': {
    ...ofWritten('of two times of the app the later one is kept', (kept, sent) => {
      const time = entriesIn(sent)[MAP.time]
      return JSON.stringify({ ...entriesIn(kept), ...(time && { [MAP.time]: time }) })
    }),
    shownBy: 43,
  },
  'newer-app-dropped': ofWritten('columns of a newer app are stored', () => '{}', BESIDE),
  'authors-in-conflict': {
    ...fault('what the app writes by itself is no conflict', {
      planUpdate(state, table, incoming, before, facts) {
        const planned = product.planUpdate(state, table, incoming, before, facts)
        const [phone, server] = [incoming.values[OF_APP], before.values[OF_APP]]
        if (planned && phone && server && phone !== server && before.unseen.has(OF_APP))
          state.conflicts.push({ column: OF_APP, phone, server, incoming, isDeleted: false })
        return planned
      },
    }),
    shownBy: 93,
  },
  'refused-has-lost': {
    ...modelFault('a value that was refused has lost to nobody', {
      marksUnwritten: false,
    }),
    shownBy: 1328,
  },
  'delivered-forgotten': fault('what a push delivered is skipped when it comes again', {
    deliveredBy: () => new LastPush(),
  }),
  'conflicts-dropped': modelFault('a value that lost is in the inbox', { storesConflicts: false }),
  'refused-dropped': modelFault('a row that was refused is in quarantine', {
    storesRefused: false,
  }),
  'rights-ignored': fault('a phone may do what its user may do', {
    planInsert: (_state, _table, incoming) => ({
      id: incoming.id,
      values: incoming.values,
      incoming,
      before: null,
    }),
  }),
  'tombstone-resurrected': modelFault('a push restores no deleted row', { keepsTombstones: false }),
  'edit-into-tombstone': ofExisting('an edit of a deleted row is in the inbox', () => ({
    isDeleted: false,
  })),
  'deletion-hides-edit': fault('an edit that a deletion had not seen is in the inbox', {
    conflictsOfDeletion: () => [],
  }),
  'deletion-hides-lost-edit': {
    ...fault('a value over which an edit has just lost is in the inbox when its row is deleted', {
      conflictsOfDeletion: (table, id, before) =>
        product.conflictsOfDeletion(table, id, before, {}),
    }),
    shownBy: 1423,
  },
  'visit-unlinked-in-trash': {
    ...modelFault('the visit of a deleted record is compared as it was sent', {
      keepsVisitsInTrash: false,
    }),
    shownBy: 2915,
  },
  'delete-repeated': fault('a delete that comes again deletes nothing more', {
    deletionsOf: (_state, named) => [...named],
  }),
  'deleted-in-one-step': ofPlan('a deleted row is hidden before it is removed', (plan) => ({
    removals:
      plan.acknowledged === null
        ? null
        : { from: plan.acknowledged, to: plan.snapshot, push: null },
  })),
  'never-removed': ofPlan('a deleted row leaves the phone', () => ({ removals: null })),
  'cursor-by-highest': modelFault('a cursor skips no transaction that commits late', {
    seesRunning: false,
  }),
  'resend-dropped': modelFault('a phone is sent the stored row again', { resendsDifferent: false }),
  'echo-too-broad': modelFault('a row that others changed since is sent', {
    comparesEchoes: false,
  }),
  'entered-not-sent': modelFault('a patient who enters the scope brings older rows', {
    sendsEntered: false,
  }),
  'rights-change-unnoticed': ofPlan('a new right brings the rows that are older', (plan) => ({
    since: plan.acknowledged ?? plan.since,
  })),
  'scope-not-withdrawn': ofPlan('rows that left the scope leave the phone', () => ({
    departures: null,
  })),
  'removed-before-push': ofPlan('rows leave the phone after its push', (plan) => ({
    departures:
      plan.acknowledged === null
        ? null
        : { from: plan.acknowledged, to: plan.snapshot, push: null },
  })),
  'departures-to-now': {
    ...ofPlan('what leaves the scope after the push waits for the next', (plan) =>
      plan.departures === 'all' ? { departuresUntil: plan.snapshot } : {},
    ),
    shownBy: 279,
  },
  'rejected-at-once': {
    ...ofPlan('a rejected row leaves the phone after its push', (plan) => ({
      resendsUntil: plan.snapshot,
    })),
    shownBy: 42,
  },
  'release-untold': {
    ...modelFault('a released row that its author may not see leaves the phone', {
      tellsReleased: false,
    }),
    shownBy: 818,
  },
  'later-deletion-removes': {
    ...modelFault('a hidden row stays when its patient is deleted, too', {
      countsLaterDeletions: false,
    }),
    shownBy: 447,
  },
  'one-phone-told': {
    ...modelFault('a version that two phones have sent is settled for both', {
      tellsAllPhones: false,
    }),
    shownBy: 2978,
  },
  'upload-unrecognized': {
    ...modelFault('a forced upload without a pull is the work of its phone', {
      knowsUploads: false,
    }),
    shownBy: 3413,
  },
  'others-rows-leave-later': {
    ...modelFault('only rows that the user could see leave later', { checksWhoRecorded: false }),
    shownBy: 3541,
  },
  'insert-after-restore-seen': {
    ...modelFault('a row that came back after a restore was not seen', {
      comparesInserts: false,
    }),
    shownBy: 1930,
  },
  'undo-after-restore-seen': {
    ...modelFault('a value that was in the trash after a restore was not seen', {
      comparesUndone: false,
    }),
    shownBy: 2912,
  },
  'held-before-restore': {
    ...ofPlan('a row that came back after a restore is hidden once it is deleted', () => ({
      holdsUnknown: false,
    })),
    shownBy: 3908,
  },
  'overwritten-after-restore': fault('a phone keeps what the server lost until it is given up', {
    planOf: (actor, input, { cursor, ...known }) =>
      product.planOf(actor, input, {
        ...known,
        cursor: cursor && { ...cursor, is_uploaded: cursor.withheld !== null },
      }),
  }),
  'handed-over-unnoticed': fault('a phone of another user is given all of that user', {
    planOf: (actor, input, { cursor, ...known }) =>
      product.planOf(actor, input, {
        ...known,
        cursor: cursor && { ...cursor, user_id: actor.userId, scope: personScope(actor) },
      }),
  }),
  'codes-are-two-phones': {
    ...modelFault('a phone that scanned both codes is one phone', { joinsWays: false }),
    shownBy: 85,
  },
  'named-pull-ignored': {
    ...modelFault('what a sync through the hub brought was seen', { countsNamed: false }),
    shownBy: 232,
  },
  'deletions-follow-the-hub': {
    ...modelFault('a deletion that waited has not seen what the hub brought', {
      comparesDeletionsByWay: false,
    }),
    shownBy: 750,
  },
  'numbers-count-up': modelFault('a number lies near the clock', { numbersNearClock: false }),
  'older-values-listed': modelFault('a value that the record had earlier is not in the inbox', {
    dropsOlderValues: false,
  }),
  'lost-forms-forgotten': {
    ...modelFault('a field that a lost form may hide is emptied by a decision only', {
      asksAboutLostForms: false,
    }),
    shownBy: 3501,
  },
  'epoch-ignored': modelFault('after a restore no earlier cursor is known', { beginsEpoch: false }),
}

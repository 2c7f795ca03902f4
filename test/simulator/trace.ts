import type { InboxEntry, Pulled, QuarantinedRow, RowRef, Values, Way } from './state'

/** What a user on the web writes. */
export type Statement =
  | { kind: 'save'; row: RowRef; values: Values }
  | { kind: 'delete'; row: RowRef }
  | { kind: 'undo'; root: RowRef }

type Changes = Record<string, { created: object[]; updated: object[]; deleted: string[] }>

/** What a server is asked in a history, and what the simulated one answered. */
export type Call =
  | (Statement & { xid: number })
  /** A transaction of the web that commits only after others that began later. */
  | { kind: 'begin' | 'commit'; xid: number }
  | { kind: 'give'; pullId: number }
  | { kind: 'form'; hidden: readonly string[] }
  | { kind: 'grant'; userId: string; clinicId: string; held: readonly string[] }
  | {
      kind: 'pull'
      userId: string
      appPassword: string
      way: Way
      lastPulledAt: number
      pulled: Pulled
    }
  | {
      kind: 'push'
      userId: string
      appPassword: string
      way: Way
      pullId: number
      body: Changes
      isUpload: boolean
      conflicts: number
      refused: number
    }
  | { kind: 'conflict'; entry: InboxEntry; takes: boolean }
  | { kind: 'refusal'; entry: QuarantinedRow; isApplied: boolean }
  | { kind: 'release' }
  | { kind: 'backup' | 'restore' }

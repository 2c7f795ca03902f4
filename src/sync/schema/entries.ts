import { isDeepStrictEqual } from 'node:util'
import { parseStored } from '~/db/stored-json'
import { isNoAnswer } from '~/shared/no-answer'
import { isObject } from '~/shared/object'

/** How the entries of a JSON column are merged. */
export type EntryRule = {
  /** What identifies an entry: the key of an object, or this member of the objects in a list. */
  by: 'key' | 'id' | 'fieldId'
  /** Two entries that are the same here are no two edits: the words of a question may have changed. */
  compared?: 'value'
  /** An entry that a phone does not send stays: no screen of the app removes one. */
  keepsOmitted: boolean
  /**
   * Whether a screen showed the held entry to the user who sent the other one. If not, an empty one is not the user's,
   * and a different one was entered without having seen the stored one.
   */
  isShown?: (held: unknown, sent: unknown) => boolean
  /** Entries that hold a time which the app writes by itself: the later one is kept. */
  latest?: readonly string[]
  /** Other entries that the app writes by itself: the one that arrives is kept, without a conflict. */
  ofApp?: readonly string[]
  /** A member of each entry that the app writes by itself: entries that differ in it alone are no conflict. */
  stamped?: string
}

type Versions = {
  stored: string
  sent: string
  /** The value on which the edit rests. Null if it is unknown: then each entry that differs is contested. */
  base: string | null
}

type Entries = Map<string, unknown>
type Merged = {
  value: string
  /** The value with the phone's entries where both sides changed the same one; null if there is none. */
  lost: string | null
}

/**
 * Merges the entries of two versions of a JSON value. Null if one of them is no object, or no list of objects with
 * different ids.
 */
export function mergeEntries(rule: EntryRule, { stored, sent, base }: Versions): Merged | null {
  const [ours, theirs] = [parseEntries(rule, stored), parseEntries(rule, sent)]
  if (!ours || !theirs) return null
  const before = base === null ? null : parseEntries(rule, base)
  const isSeen = base !== null && isDeepStrictEqual(before, ours)
  // an edit of what is stored keeps the order in which it was sent
  const keys = isSeen ? [...theirs.keys(), ...ours.keys()] : [...ours.keys(), ...theirs.keys()]
  const [value, lost]: [Entries, Entries] = [new Map(), new Map()]
  let isContested = false
  for (const key of new Set(keys)) {
    const entry = mergeEntry(rule, key, { ours, theirs, before })
    if (entry.kept !== undefined) value.set(key, entry.kept)
    if (entry.lost !== undefined) lost.set(key, entry.lost)
    isContested ||= entry.isContested
  }
  return {
    value: stringifyEntries(rule, value),
    lost: isContested ? stringifyEntries(rule, lost) : null,
  }
}

/** Whether two versions differ in entries that a user changed, and not only in those of the app. */
export function isEditedIn(rule: EntryRule, before: string, after: string): boolean {
  const [one, other] = [parseEntries(rule, before), parseEntries(rule, after)]
  if (!one || !other) return true
  return [...new Set([...one.keys(), ...other.keys()])].some(
    (key) =>
      !isWrittenByApp(rule, key) &&
      !isDeepStrictEqual(one.get(key), other.get(key)) &&
      !isSameIn(rule.compared, one.get(key), other.get(key)),
  )
}

/** A column before and after a change, as JSON. */
export type EntryChange = readonly [before: string | null, after: string | null]

/** The entries that a user has seen, with those that the user has written since. */
export function withOwnEntries(
  rule: EntryRule,
  seen: string,
  changes: readonly EntryChange[],
): string {
  const entries = parseEntries(rule, seen)
  if (!entries) return seen
  for (const [before, after] of changes) {
    const [one, other] = [before, after].map((text) => text && parseEntries(rule, text))
    if (!other) continue
    for (const key of new Set([...(one ? one.keys() : []), ...other.keys()])) {
      if (one && isDeepStrictEqual(one.get(key), other.get(key))) continue
      if (other.has(key)) entries.set(key, other.get(key))
      else entries.delete(key)
    }
  }
  return stringifyEntries(rule, entries)
}

type Entry = { kept: unknown; lost: unknown; isContested: boolean }
const agreed = (kept: unknown): Entry => ({ kept, lost: kept, isContested: false })
const contested = (kept: unknown, lost: unknown): Entry => ({ kept, lost, isContested: true })

/** `undefined` stands for no entry. */
function mergeEntry(
  { keepsOmitted, compared, isShown, latest = [], ofApp = [], stamped }: EntryRule,
  key: string,
  { ours, theirs, before }: { ours: Entries; theirs: Entries; before: Entries | null },
): Entry {
  const [stored, sent] = [ours.get(key), theirs.get(key)]
  if (sent === undefined && (keepsOmitted || before?.get(key) === undefined)) return agreed(stored)
  if (isDeepStrictEqual(stored, sent)) return agreed(stored)
  if (stored !== undefined && latest.includes(key)) return agreed(later(stored, sent))
  if (ofApp.includes(key)) return agreed(sent)
  if (stored === undefined && before === null) return agreed(sent)
  const held = before === null ? stored : before.get(key)
  if (held !== undefined && sent !== undefined && isShown?.(held, sent) === false) {
    if (isSameIn(compared, sent, undefined) || isSameIn(compared, sent, stored))
      return agreed(stored)
    return isSameIn(compared, stored, undefined) ? agreed(sent) : contested(stored, sent)
  }
  if (before !== null) {
    const base = before.get(key)
    if (isDeepStrictEqual(sent, base)) return agreed(stored)
    if (isDeepStrictEqual(stored, base)) return agreed(sent)
    if (isSameIn(compared, sent, base)) return agreed(stored)
    if (isSameIn(compared, stored, base)) return agreed(sent)
  }
  return isSameIn(compared, stored, sent) || isSameWithout(stamped, stored, sent)
    ? agreed(stored)
    : contested(stored, sent)
}

const isSameWithout = (member: string | undefined, one: unknown, other: unknown) =>
  member !== undefined &&
  isObject(one) &&
  isObject(other) &&
  isDeepStrictEqual({ ...one, [member]: null }, { ...other, [member]: null })

const isSameIn = (member: string | undefined, one: unknown, other: unknown) =>
  member !== undefined && isDeepStrictEqual(answerIn(member, one), answerIn(member, other))

/** A question without an answer, and one that an older version of the form did not ask, are the same. */
function answerIn(member: string, entry: unknown): unknown {
  const value = isObject(entry) ? entry[member] : undefined
  return isNoAnswer(value) ? undefined : value
}

const isWrittenByApp = ({ latest = [], ofApp = [] }: EntryRule, key: string) =>
  latest.includes(key) || ofApp.includes(key)

/** A text that is no time is the earlier one. */
function later(stored: unknown, sent: unknown): unknown {
  const [before, after] = [stored, sent].map((value) => Date.parse(String(value)))
  return Number.isNaN(after) || before! >= after! ? stored : sent
}

function parseEntries({ by }: EntryRule, text: string): Entries | null {
  const value = parseStored(text)
  if (by === 'key') return isObject(value) ? new Map(Object.entries(value)) : null
  if (!Array.isArray(value)) return null
  const entries: Entries = new Map()
  for (const each of value as unknown[]) {
    const id = isObject(each) ? each[by] : undefined
    if (typeof id !== 'string' || entries.has(id)) return null
    entries.set(id, each)
  }
  return entries
}

const stringifyEntries = ({ by }: EntryRule, entries: Entries): string =>
  JSON.stringify(by === 'key' ? Object.fromEntries(entries) : [...entries.values()])

import type { DrugClass } from './drug-classes'
import {
  type Fact,
  type Level,
  RULE_KINDS,
  type RuleWarning,
  type PublishedSource,
  type RuleText,
} from './rule'

/** What is recorded of a patient's allergies. */
export type AllergyState =
  | { state: 'not_asked' }
  | { state: 'none_known'; at: Date; by: string | null }
  | { state: 'recorded'; count: number }

/** An allergy that the check could not compare. */
export type NotCompared = {
  substance: string
  /** The parts of its text that the rules do not know; without it nothing of it was compared. */
  parts?: readonly string[]
}
/** What the check compared with what, as it ran. */
export type AllergyComparison = {
  /** How many allergies were compared in full. */
  compared: number
  notCompared: NotCompared[]
  /** Medicines of which the check knows all ingredients, and how many there were. */
  medicines: { compared: number; count: number }
}
/** What a check knew of the patient's allergies, for the sentence that says what was compared. */
export type AllergyScope =
  | Exclude<AllergyState, { state: 'recorded' }>
  | (Extract<AllergyState, { state: 'recorded' }> & AllergyComparison)

type About = {
  /** The same warning has the same key tomorrow: an override refers to it. */
  key: string
  drugId: string
  drug: string
}
export type Warning =
  | (About & {
      kind: 'allergy'
      ingredient: string
      substance: string
      reaction: string | null
      severity: string | null
      /** The substance itself, another of its class, or one of a class that is alike. */
      match: 'same' | 'class' | 'related'
      drugClass: DrugClass | null
      /** Of a related medicine: how grave, why, and where it is written. Overrides of before have none. */
      level?: Level
      why?: RuleText
      rule?: string
      source?: PublishedSource
    })
  /**
   * What could not be checked: a medicine of which the catalogue names no ingredient, an ingredient
   * that the rules do not know, or an allergy that they do not know (then `drugId` is the first
   * medicine of the check).
   */
  | (About & {
      kind: 'unchecked'
      ingredient?: string
      allergy?: string
      /** Of an allergy of which a part was compared: the parts that were not. */
      parts?: readonly string[]
      /** The allergy is a text that says that there is none. */
      saysNone?: true
    })
  | RuleWarning
type WarningKind = Warning['kind']

export const NOT_ASKED = 'not_asked'
/** What is kept with the reason why nobody asked about allergies before a medicine was given. */
export type NotAsked = About & { kind: typeof NOT_ASKED }

/** What an override kept before the tables had levels. It stays readable. */
export type OldWarning =
  | NotAsked
  | (About & { kind: 'duplicate'; ingredient: string; other: string })
  | (About & {
      kind: 'interaction'
      ingredient: string
      otherIngredient: string
      other: string
      rule: string
      effect: OldEffect
    })
const OLD_EFFECTS = [
  'hypertensiveCrisis',
  'antiviralFails',
  'marrowDepression',
  'serotoninSyndrome',
  'irinotecanToxicity',
  'torsade',
  'sedation',
  'rhabdomyolysis',
  'ergotism',
  'hypotension',
] as const
type OldEffect = (typeof OLD_EFFECTS)[number]

/** The lists that answer for each medicine. */
export const ANSWER_TABLES = [
  'allergy',
  'interaction',
  'duplicate',
  'age',
  'pregnancy',
  'kidney',
  'condition',
  'dose',
] as const
export type AnswerTable = (typeof ANSWER_TABLES)[number]

/**
 * Why a list says nothing about a medicine: no row is about it; the rows are switched off; an ingredient is unknown; an
 * allergy, or another medicine that the patient takes, is unknown; facts of the patient are missing; the dose is text,
 * or the catalogue lacks the strength.
 */
export type Silence =
  | 'list'
  | 'off'
  | 'ingredient'
  | 'allergies'
  | 'others'
  | 'facts'
  | 'text'
  | 'strength'

/** What a list says about a medicine: a warning, no limit by a source, or nothing. There is no fourth answer. */
export type TableAnswer = {
  table: AnswerTable
  /** Whether silence of this list matters for this patient. */
  bears: boolean
} & (
  | { answer: 'warned' }
  | { answer: 'no_limit'; sources: PublishedSource[] }
  | { answer: 'not_listed'; because: Silence; facts?: Fact[]; names?: string[] }
)
/** The answers of every list about one medicine of the check, in the order of `ANSWER_TABLES`. */
export type MedicineAnswers = { drugId: string; drug: string; answers: TableAnswer[] }

/** What a check compared and did not compare. */
export type CheckScope = {
  /** For each medicine, in the order in which they were asked about. */
  medicines: MedicineAnswers[]
  /** The medicines whose dose was not compared with the lowest published one. */
  leastUnchecked: string[]
  /** How many rules the administrator switched off. */
  off: number
}

/** The gravest level first, then the kinds in this order. */
const KIND_ORDER = ['allergy', ...RULE_KINDS, 'unchecked'] as const satisfies WarningKind[]
const GRAVITY = ['must_not', 'avoid', 'caution'] as const

export const warningLevel = (warning: Warning): Level => {
  if (isOfRule(warning)) return warning.level
  if (warning.kind === 'unchecked') return 'caution'
  return warning.level ?? 'must_not'
}

export const sortWarnings = (warnings: readonly Warning[]) =>
  warnings.toSorted(
    (a, b) =>
      Number(a.kind === 'unchecked') - Number(b.kind === 'unchecked') ||
      GRAVITY.indexOf(warningLevel(a)) - GRAVITY.indexOf(warningLevel(b)) ||
      KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind),
  )

/** Whether a warning comes from a table of rules and carries its own sentences. */
export const isOfRule = (warning: Warning | OldWarning): warning is RuleWarning => 'todo' in warning

/**
 * Unknown ingredients and allergies are said at every check but ask for no reason: half a catalogue can have names that
 * the rules do not know, and a reason typed each time teaches people to type "ok".
 */
export const asksReason = (warning: Warning) =>
  !isOfRule(warning) && warning.kind === 'unchecked'
    ? warning.ingredient === undefined && warning.allergy === undefined
    : warningLevel(warning) !== 'caution'

/**
 * The pharmacist looks at these with their own eyes: a prescriber's reason does not answer for the
 * one who hands out. It is the last barrier before the patient.
 */
export const asksOwnLook = (warning: Warning) =>
  warning.kind === 'allergy' && !isOfRule(warning)
    ? warning.match !== 'related'
    : warning.kind !== 'duplicate' && warningLevel(warning) === 'must_not'

type Answer = { key: string; stage: string; isOwn: boolean }

const ANAPHYLAXIS = /anaphyla|anafila|تأق|صدمة تحسسية/i

/**
 * The gravest warning: a medicine that must not be given to a patient with a recorded severe reaction to it. To
 * override it, the user types the name of the medicine.
 */
export const isGrave = (
  warning: Warning | OldWarning,
): warning is Extract<Warning, { kind: 'allergy'; match: string }> =>
  warning.kind === 'allergy' &&
  !isOfRule(warning) &&
  warningLevel(warning) === 'must_not' &&
  (warning.severity === 'severe' || ANAPHYLAXIS.test(warning.reaction ?? ''))

/** Whether a text names the medicine of a warning: its name, with or without strength, or its substance. */
export function namesMedicine(
  typed: string,
  { drug, ingredient }: { drug: string; ingredient: string },
) {
  const plain = (text: string) => text.toLocaleLowerCase().replaceAll(/\s+/g, ' ').trim()
  const [given, name] = [plain(typed), plain(drug)]
  if (given === '') return false
  return given === name || given === plain(ingredient) || given === name.split(/ (?=[\d(])/)[0]
}

/** Whether an earlier override answers a warning at this stage. */
export const answersWarning = (earlier: Answer, warning: Warning, stage: Answer['stage']) =>
  earlier.key === warning.key &&
  (stage !== 'dispensing' ||
    !asksOwnLook(warning) ||
    (earlier.stage === 'dispensing' && earlier.isOwn))

/** Whether a warning is about one of these medicines; an allergy that cannot be checked is about all of them. */
export const isWarningAbout = (warning: Warning, drugIds: readonly string[]) =>
  (warning.kind === 'unchecked' && warning.allergy !== undefined) ||
  drugIds.some((id) => warning.key.includes(id))

import type { Birth } from '~/fields/birth'
import type { Sex } from '~/fields/sex'
import type { UnusableWeight } from '~/features/care/vitals/usable-weight'
import type { CurrentPregnancyState } from '~/features/care/pregnancies/pregnancy'
import type { Language } from '~/shared/language'

/**
 * A sentence in each language of the product. Tables of clinical rules carry theirs: a stored
 * warning stays readable.
 */
export type RuleText = Readonly<Record<Language, string>>

/** A published source, as it is shown beside what rests on it; without an address where no page of its publisher is. */
export type PublishedSource = { text: string; url?: string | undefined }

/** A medicine as the rules look at it: by the active substances, the form and the route that the catalogue names. */
export type CheckedDrug = {
  drugId: string
  name: string
  ingredients: readonly string[]
  form?: string | null
  route?: string | null
  /**
   * `recorded`: written down in a form, which may repeat a prescription; `ended`: no longer taken
   * but still in the body, so it counts for pairs and not as a duplicate.
   */
  standing?: 'recorded' | 'ended'
  /** Of a medicine that is checked: the patient takes it already, such as a refill. */
  isContinued?: boolean
  /** Of a medicine that is taken: which share of the last supply is used up, 0 to 1; null if unknown. */
  supplyUsed?: number | null
  /** Null: the dose is free text, or the catalogue does not say the strength. */
  dosing?: Dosing | null
  /** The dose as it is written, in pieces and volumes; null where it is text. */
  written?: WrittenDose | null
}

/** A structured dose beside the form and strength of its medicine; null where they do not say it. */
export type WrittenDose = {
  /** Amount and unit, and the strength, as a reader sees them. */
  dose: RuleText
  strength: RuleText
  /** Tablets or capsules in one dose. */
  pieces: number | null
  /** Ampoules or vials in one dose. */
  vials: number | null
  /** How often the content that the strength of an ampoule names is in one dose. */
  ampouleContents: number | null
  /** Tablets, capsules and suppositories: how often a day. */
  timesPerDay: number | null
  /**
   * Millilitres of one injected dose. Into a vein (`isIntoVein`) they count where no list limits the dose, or only far
   * above `usual`.
   */
  injectedMl: number | null
  isIntoVein: boolean
  isBelowSkin: boolean
  /** Millilitres of one dose of a syrup or of drops that is swallowed. */
  swallowedMl: number | null
  /** Puffs or sprays in one dose. */
  puffs: number | null
  /** Drops into ears or nose, and into eyes, in one dose. */
  drops: number | null
  eyeDrops: number | null
  /** Suppositories or patches in one dose. */
  applied: number | null
  /** Units of insulin: the largest insulin syringe holds 100. */
  insulinUnits: number | null
  /** Pieces that the whole course takes. */
  quantity: number | null
  /** How many of the strength are in a dose whose unit is a thousand times, or more, that of the strength. */
  portionsByLargerUnit: number | null
  /** Milligrams of a medicine whose strength is in units, or the other way round. */
  isOtherKind: boolean
  /** Counted or poured as its form cannot be: tablets of a syrup. */
  isOtherForm: boolean
  /** By a route that its form cannot be given by: a tablet into a vein. */
  isOtherRoute: boolean
}

/** What of each active substance is given, from a structured dose and the strength. */
export type Dosing = {
  perDose: readonly { ingredient: string; quantity: number; unit: 'mg' | 'units' }[]
  dosesPerDay: number
  /** 1: every day; 7: once a week. Null: one single time. */
  everyDays: number | null
  /** How long, where it is written. */
  days?: number | null
}

/** A version such as "2026-11" in a sentence of either direction, on one line. */
export const versionText = (version: string) => `\u2066${version.replaceAll('-', '\u2011')}\u2069`

/** What a rule of a table speaks about. Each has one table, with its version, its sources and its date. */
export const RULE_KINDS = [
  'interaction',
  'duplicate',
  'age',
  'pregnancy',
  'kidney',
  'condition',
  'dose',
  'monitoring',
] as const
export type RuleKind = (typeof RULE_KINDS)[number]

/**
 * How grave: `must_not` is a contraindication, `avoid` asks for a reason as well, `caution` says
 * what to watch and asks for nothing.
 */
export const LEVELS = ['must_not', 'avoid', 'caution'] as const
export type Level = (typeof LEVELS)[number]

/** A rule of a table that a medicine breaks for this patient; the sentences are complete, names included. */
export type RuleWarning = {
  /**
   * The same warning has the same key tomorrow: an override refers to it. What makes it graver
   * belongs into the key.
   */
  key: string
  kind: RuleKind
  drugId: string
  drug: string
  /** Of two medicines: both, in a fixed order; of two warnings about one pair only the graver is shown. */
  pair?: string
  /** The other medicine's name. */
  other?: string
  /** The row of the table. */
  rule: string
  /** The version of the table, such as "2026-11". */
  version: string
  level: Level
  /** What was found and why it is dangerous. */
  text: RuleText
  /** What to do about it. */
  todo: RuleText
  source: PublishedSource
}

export type { CurrentPregnancyState as Pregnancy }

/** What the checks know of a patient; null if not recorded, which the checks say. Moments are of the recording. */
export type CheckedPatient = {
  birth: Birth | null
  sex: Sex | null
  /** `yyyy-MM-dd` where the clinic is. */
  today: string
  /** The newest that may be used; null if there is none. */
  weight: { kg: number; at: Date } | null
  /** A newer weight that counts as not measured, and why. */
  unusableWeight?: UnusableWeight | null
  pregnancy: {
    state: CurrentPregnancyState
    weeks: number | null
    at: Date | null
    /** False where an answer says that she cannot become pregnant. */
    isPossible?: boolean
  }
  /** mL/min/1.73 m2, CKD-EPI 2021. */
  kidneys: { egfr: number; at: Date } | null
  /** The worst recorded stage of chronic kidney disease, for the reader: the rules read `problems`. */
  kidneyStage?: string | null
  /** The last one measured, µmol/L: where the eGFR cannot be computed, a reader judges it. */
  creatinine?: { umol: number; at: Date } | null
  /** The day of death, which is said where medicines are chosen. */
  diedOn?: string | null
  /** ICD-10 codes of the active problems. */
  problems: readonly string[]
}

/** Everything that a rule may look at. `taken` are medicines that the patient has already. */
type Checked = {
  drugs: readonly CheckedDrug[]
  taken: readonly CheckedDrug[]
  /** Undefined where no patient is known (a list of medicines alone). */
  patient: CheckedPatient | undefined
}

/** The rules of one table. */
export type Check = (checked: Checked) => RuleWarning[]

/** What a table needs to know of the patient. A fact that is not recorded is listed under what was not checked. */
export const FACTS = ['birth', 'sex', 'weight', 'pregnancy', 'kidneys', 'problems'] as const
export type Fact = (typeof FACTS)[number]

/** Cross-reactions are shown as allergies. */
export const TABLE_NAMES = [...RULE_KINDS, 'cross_reaction'] as const
export type RuleTableName = (typeof TABLE_NAMES)[number]

/** A table as administrators see it: they can search its rows and switch single rows off. */
export type RuleTable = {
  table: RuleTableName
  /** Such as "2026-11". */
  version: string
  /** The source of the whole table; a row can name its own. */
  source: PublishedSource
  needs: readonly Fact[]
  rows: readonly RuleRow[]
  /**
   * The rows that are about a substance of a medicine as it is given, for a patient in this state. Without one, the
   * table says nothing about it.
   */
  rowsAbout?: (about: {
    drug: CheckedDrug
    ingredient: string
    patient?: CheckedPatient | undefined
  }) => readonly RuleRow[]
}
type RuleRow = {
  /** The `rule` of the warnings that the row raises. */
  id: string
  /** What the row needs beside what the whole table needs. */
  needs?: readonly Fact[]
  title: RuleText
  level?: Level
  /** INN of the medicines that the row is about. */
  members: readonly string[]
  source?: PublishedSource
  /** The source says that the medicine may be used: no fact of the patient is needed to say so. */
  isUsable?: true
}

/** Rules that the administrator of this installation switched off, as `table:rule`. */
export type RulesOff = ReadonlySet<string>
export const ruleName = (table: RuleTableName, rule: string) => `${table}:${rule}`

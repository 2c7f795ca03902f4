import { CHECKS, RULE_TABLES } from './rules/checks'
import { findCrossReaction } from './rules/cross-reactions'
import { drugClasses, type DrugClass, membersOf } from './rules/drug-classes'
import { compareDoses, dosesUnchecked } from './rules/doses'
import { canonicalIngredient, parseIngredients } from './rules/ingredients'
import {
  type CheckedDrug,
  LEVELS,
  type CheckedPatient,
  ruleName,
  type RulesOff,
  type RuleWarning,
  type RuleTableName,
} from './rules/rule'
import {
  isDrugClass,
  isFullyKnown,
  isPartlyKnown,
  type AllergySubstances,
  resolveAllergy,
  saysNone,
} from './rules/substances'
import {
  type AllergyComparison,
  type CheckScope,
  sortWarnings,
  type NotCompared,
  type Warning,
} from './rules/warning'
import { medicineAnswers } from './answers'
import { isNoneKnown } from '~/records/allergy'

export type KnownAllergy = {
  id: string
  substance: string
  substance_kind: string
  substance_code: string | null
  reaction: string | null
  severity: string | null
  /** The substances of the catalogue's brand that the allergy names, if it names one. */
  brandIngredients?: readonly string[]
}

const NONE: RulesOff = new Set()

type Checked = {
  drugs: readonly CheckedDrug[]
  /** What the patient takes already. */
  taken: readonly CheckedDrug[]
  allergies: readonly KnownAllergy[]
  /** Undefined where no patient is known. */
  patient?: CheckedPatient | undefined
  off?: RulesOff
}
type SafetyCheck = {
  /** Everything that speaks against giving the medicines, the gravest first. */
  warnings: Warning[]
  allergies: AllergyComparison
  scope: CheckScope
  /** The medicines whose dose was not compared. */
  dosesUnchecked: string[]
}

/**
 * Compares medicines with a patient's allergies, with the medicines that are taken already and with the tables of
 * rules, and says what it compared: each sentence about a check is made of this answer. No warning says only that no
 * rule was broken, not that there is no danger.
 */
export function runCheck(checked: Checked): SafetyCheck {
  const { drugs, taken, allergies, patient, off = NONE } = checked
  const { warnings, meant, notCompared, doses, fired, ofAllergies } = compare(checked)
  return {
    warnings,
    allergies: {
      compared: meant.length - notCompared.length,
      notCompared: notCompared.map(({ missed }) => missed),
      medicines: {
        compared: drugs.filter(
          (drug) => drug.ingredients.length > 0 && uncheckedIngredients(drug).length === 0,
        ).length,
        count: drugs.length,
      },
    },
    scope: {
      medicines: medicineAnswers({
        drugs,
        taken,
        patient,
        off,
        doses,
        fired,
        allergic: new Set(
          ofAllergies.flatMap(({ kind, drugId }) => (kind === 'allergy' ? [drugId] : [])),
        ),
        allergiesKnown: allergies.length > 0 && notCompared.length === 0,
      }),
      leastUnchecked: [
        ...new Set(doses.filter(({ hasLeast }) => !hasLeast).map(({ drug }) => drug.name)),
      ],
      off: RULE_TABLES.flatMap(({ table, rows }) =>
        rows.filter(({ id }) => off.has(ruleName(table, id))),
      ).length,
    },
    dosesUnchecked: dosesUnchecked(doses),
  }
}

/** The warnings of a check, without what it says of its scope: of many rows, that would take longer than the rules. */
export const warningsIn = (checked: Checked): Warning[] => compare(checked).warnings

function compare({ drugs, taken, allergies, patient, off = NONE }: Checked) {
  const meant = allergies
    .filter((allergy) => !isNoneKnown(allergy))
    .map((allergy) => ({ allergy, causes: resolveCauses(allergy) }))
  const ofAllergies = drugs.flatMap((drug) => {
    if (drug.ingredients.length === 0) return [unchecked(drug)]
    return [
      ...meant.flatMap(({ allergy, causes }) => allergyWarning(drug, allergy, causes, off) ?? []),
      ...uncheckedIngredients(drug),
    ]
  })
  const notCompared = meant.flatMap(({ allergy, causes }) => {
    const missed = notComparedIn(allergy, causes)
    return missed ? [{ id: allergy.id, missed }] : []
  })
  const [first] = drugs
  const marks = first
    ? notCompared.map(({ id, missed }) => uncheckedAllergy(first, id, missed))
    : []
  const isOn = (table: RuleTableName) => (rule: string) => !off.has(ruleName(table, rule))
  const doses = compareDoses(drugs, patient, isOn('dose'), taken)
  const ofRules = [
    ...CHECKS.flatMap((check) => check({ drugs, taken, patient })),
    ...doses.flatMap((one) => one.warnings),
  ].filter(({ kind, rule }) => isOn(kind)(rule))
  const byKey = new Map(
    [...ofAllergies, ...gravestOfPairs(ofRules), ...marks].map((warning) => [warning.key, warning]),
  )
  return {
    warnings: sortWarnings([...byKey.values()]),
    meant,
    notCompared,
    doses,
    fired: ofRules,
    ofAllergies,
  }
}

export const findWarnings = (
  drugs: readonly CheckedDrug[],
  taken: readonly CheckedDrug[],
  allergies: readonly KnownAllergy[],
  patient?: CheckedPatient,
  off?: RulesOff,
): Warning[] => warningsIn({ drugs, taken, allergies, patient, ...(off && { off }) })

/**
 * Two warnings about one pair tell the reader the same twice: the graver stays, of two alike the
 * more specific, later one.
 */
function gravestOfPairs(warnings: readonly RuleWarning[]): RuleWarning[] {
  const gravest = new Map<string, RuleWarning>()
  for (const warning of warnings) {
    const pair = warning.pair ?? warning.key
    const best = gravest.get(pair)
    const isGraver = !best || LEVELS.indexOf(warning.level) < LEVELS.indexOf(best.level)
    const isAlike = best?.kind === warning.kind && best.level === warning.level
    if (isGraver || isAlike) gravest.set(pair, warning)
  }
  return [...gravest.values()]
}

const unchecked = ({ drugId, name }: CheckedDrug): Warning => ({
  key: `unchecked:${drugId}`,
  kind: 'unchecked',
  drugId,
  drug: name,
})

const uncheckedIngredients = (drug: CheckedDrug): Warning[] =>
  drug.ingredients
    .flatMap(parseIngredients)
    .filter(({ isKnown }) => !isKnown)
    .map(
      ({ name }) =>
        ({
          ...unchecked(drug),
          key: `unchecked:${drug.drugId}:${name}`,
          ingredient: name,
        }) as Warning,
    )

/**
 * A recorded code is compared, and what its words name beyond it: "penicillin and other antibiotics" under the code of
 * penicillins is not wholly known. Words of one's own are resolved at each check, in every language.
 */
function resolveCauses({
  substance,
  substance_kind,
  substance_code,
  brandIngredients,
}: KnownAllergy): AllergySubstances {
  const resolved = resolveAllergy(substance)
  const code = codeMeaning(substance_kind, substance_code)
  if (code) {
    // words of another language or a brand that nothing is known of: the code speaks for them
    if (!isPartlyKnown(resolved)) return code
    return {
      classes: [...new Set([...code.classes, ...resolved.classes])],
      ingredients: [...new Set([...code.ingredients, ...resolved.ingredients])],
      unknown: [...code.unknown, ...resolved.unknown],
    }
  }
  if (isPartlyKnown(resolved) || !brandIngredients?.length) return resolved
  const found = brandIngredients.flatMap(parseIngredients)
  return {
    classes: [],
    ingredients: found.flatMap(({ name, isKnown }) => (isKnown ? [name] : [])),
    unknown: found.flatMap(({ name, isKnown }) => (isKnown ? [] : [name])),
  }
}

function codeMeaning(kind: string, code: string | null): AllergySubstances | undefined {
  if (kind === 'drug_class' && isDrugClass(code ?? ''))
    return { classes: [code as DrugClass], ingredients: [], unknown: [] }
  return kind === 'ingredient' && code ? resolveAllergy(code) : undefined
}

/** What of an allergy no medicine can be compared with; undefined if every part of it is known. */
function notComparedIn(
  { substance }: KnownAllergy,
  causes: AllergySubstances,
): NotCompared | undefined {
  if (isFullyKnown(causes)) return undefined
  return isPartlyKnown(causes) ? { substance, parts: causes.unknown } : { substance }
}

const uncheckedAllergy = (
  first: CheckedDrug,
  id: string,
  { substance, parts }: NotCompared,
): Warning => ({
  ...unchecked(first),
  key: `unchecked:allergy:${id}`,
  kind: 'unchecked',
  allergy: substance,
  ...(parts && { parts }),
  ...(saysNone(substance) && { saysNone: true as const }),
})

function allergyWarning(
  drug: CheckedDrug,
  allergy: KnownAllergy,
  causes: AllergySubstances,
  off: RulesOff,
): Warning | undefined {
  const matches = drug.ingredients.flatMap(parseIngredients).flatMap(({ name }) => {
    const match = matchAllergy(name, causes, allergy.severity, off)
    return match ? [{ ingredient: name, ...match }] : []
  })
  const best = matches.toSorted((a, b) => STRENGTH.indexOf(a.match) - STRENGTH.indexOf(b.match))[0]
  return (
    best && {
      // a reaction that turns out graver is another warning: an old reason does not answer for it
      key: [
        'allergy',
        drug.drugId,
        allergy.id,
        best.match,
        allergy.severity ?? '-',
        folded(allergy.reaction),
      ].join(':'),
      kind: 'allergy',
      drugId: drug.drugId,
      drug: drug.name,
      substance: allergy.substance,
      reaction: allergy.reaction,
      severity: allergy.severity,
      ...best,
    }
  )
}

const folded = (reaction: string | null) =>
  (reaction ?? '-').trim().toLowerCase().replaceAll(/\s+/g, ' ').slice(0, 80)

const STRENGTH = ['same', 'class', 'related'] as const
type Match = Pick<
  Extract<Warning, { kind: 'allergy' }>,
  'match' | 'drugClass' | 'level' | 'why' | 'rule' | 'source'
>

function matchAllergy(
  ingredient: string,
  causes: AllergySubstances,
  severity: string | null,
  off: RulesOff,
): Match | undefined {
  const { classes, ingredients, unknown } = causes
  // a name that the rules do not know is still compared with names that they do not know either
  if ([...ingredients, ...unknown.map(canonicalIngredient)].includes(ingredient))
    return { match: 'same', drugClass: null, level: 'must_not' }
  const all = [...classes, ...ingredients.flatMap(drugClasses)]
  const same = all.find((cause) => membersOf[cause].includes(ingredient))
  if (same) return { match: 'class', drugClass: same, level: 'must_not' }
  const crossed = findCrossReaction(
    ingredient,
    causes,
    (rule) => !off.has(ruleName('cross_reaction', rule)),
  )
  if (!crossed) return undefined
  const { level, why, id, source, from } = crossed
  const isSevere = severity === 'severe' && level === 'caution'
  const drugClass =
    all.find((cause) => membersOf[cause].some((member) => from.includes(member))) ?? null
  return { match: 'related', drugClass, level: isSevere ? 'avoid' : level, why, rule: id, source }
}

import { ageRangeInMonths } from '~/fields/birth'
import { RULE_TABLES } from './rules/checks'
import { crossReactionTable } from './rules/cross-reactions'
import type { ComparedDose, DoseLack } from './rules/doses'
import { parseIngredients, ingredientNames } from './rules/ingredients'
import { pairKey } from './rules/interactions'
import { worstKidneyStage } from './rules/problem-codes'
import {
  type CheckedDrug,
  type Fact,
  FACTS,
  type CheckedPatient,
  ruleName,
  type RulesOff,
  type RuleTable,
  type RuleWarning,
  type PublishedSource,
} from './rules/rule'
import {
  ANSWER_TABLES,
  type AnswerTable,
  type MedicineAnswers,
  type TableAnswer,
} from './rules/warning'

/** What a check ran with, and what it found. */
type Ran = {
  drugs: readonly CheckedDrug[]
  taken: readonly CheckedDrug[]
  patient: CheckedPatient | undefined
  off: RulesOff
  /** Of each medicine, in the order of `drugs`. */
  doses: readonly ComparedDose[]
  /** Every rule that fired, also those that another warning about the same pair hides. */
  fired: readonly RuleWarning[]
  /** Ids of the medicines that an allergy speaks against. */
  allergic: ReadonlySet<string>
  /** Whether allergies are recorded, and all of them, or that there are none, could be compared. */
  allergiesKnown: boolean
}
type Answer =
  | Pick<Extract<TableAnswer, { answer: 'warned' }>, 'answer'>
  | Pick<Extract<TableAnswer, { answer: 'no_limit' }>, 'answer' | 'sources'>
  | Omit<Extract<TableAnswer, { answer: 'not_listed' }>, 'table' | 'bears'>

/** The answer of each list about each medicine: every sentence about what was compared is made of it. */
export const medicineAnswers = (ran: Ran): MedicineAnswers[] => {
  const bearing = new Set(ANSWER_TABLES.filter((table) => bearsOn(table, ran.patient)))
  return ran.drugs.map((drug, at) => ({
    drugId: drug.drugId,
    drug: drug.name,
    answers: ANSWER_TABLES.map((table) => ({
      table,
      bears: bearing.has(table),
      ...answerFromTable(table, drug, at, ran),
    })),
  }))
}

const WARNED = { answer: 'warned' } as const

function answerFromTable(table: AnswerTable, drug: CheckedDrug, at: number, ran: Ran): Answer {
  if (table === 'dose') return answerOfDose(ran.doses[at]!)
  if (table === 'allergy') return answerOfAllergies(drug, ran)
  const isAbout = ({ kind, drugId, key, pair }: RuleWarning) =>
    kind === table &&
    (drugId === drug.drugId ||
      // of two medicines of the check, or of a warning about several
      (pair !== undefined &&
        ran.drugs.some((other) => other !== drug && pair === pairKey(drug, other))) ||
      (table === 'pregnancy' && key.includes(drug.drugId)))
  if (ran.fired.some(isAbout)) return WARNED
  const unknown = unknownIn(drug)
  if (unknown) return unknown
  return answerOfTable(
    RULE_TABLES.find((one) => one.table === table)!,
    drug,
    ran,
  )
}

function answerOfTable(table: RuleTable, drug: CheckedDrug, ran: Ran): Answer {
  const { patient, off } = ran
  const found = ingredientNames(drug).map((ingredient) =>
    table.rowsAbout!({ drug, ingredient, patient }),
  )
  if (found.some((rows) => rows.length === 0)) return { answer: 'not_listed', because: 'list' }
  const on =
    off.size === 0
      ? found
      : found.map((rows) => rows.filter(({ id }) => !off.has(ruleName(table.table, id))))
  // a row that is switched off compared nothing, although another row of the same medicine is on
  if (
    on.some((rows, at) => rows.length < found[at]!.length && !rows.some(({ isUsable }) => isUsable))
  )
    return { answer: 'not_listed', because: 'off' }
  const needs = on.flatMap((rows) =>
    rows.some(({ isUsable }) => isUsable)
      ? []
      : [...table.needs, ...rows.flatMap((row) => row.needs ?? [])],
  )
  const facts = FACTS.filter(
    (fact) => needs.includes(fact) && (!patient || isMissing[fact](patient)),
  )
  if (facts.length > 0) return { answer: 'not_listed', because: 'facts', facts }
  const others =
    table.table === 'interaction' || table.table === 'duplicate' ? othersUnknown(drug, ran) : []
  if (others.length > 0) return { answer: 'not_listed', because: 'others', names: others }
  return {
    answer: 'no_limit',
    sources: distinct(on.flat().map(({ source }) => source ?? table.source)),
  }
}

function answerOfAllergies(drug: CheckedDrug, { allergic, allergiesKnown, off }: Ran): Answer {
  if (allergic.has(drug.drugId)) return WARNED
  const unknown = unknownIn(drug)
  if (unknown) return unknown
  const names = ingredientNames(drug)
  const isOff = ({ id, members }: RuleTable['rows'][number]) =>
    off.has(ruleName('cross_reaction', id)) && names.some((name) => members.includes(name))
  if (off.size > 0 && crossReactionTable.rows.some(isOff))
    return { answer: 'not_listed', because: 'off' }
  return allergiesKnown
    ? { answer: 'no_limit', sources: [crossReactionTable.source] }
    : { answer: 'not_listed', because: 'allergies' }
}

const OF_DOSE = {
  text: { because: 'text' },
  strength: { because: 'strength' },
  limit: { because: 'list' },
  age: { because: 'facts', facts: ['birth'] },
  weight: { because: 'facts', facts: ['weight'] },
} as const satisfies Record<DoseLack, unknown>

function answerOfDose({ drug, warnings, notCompared, sources }: ComparedDose): Answer {
  if (warnings.length > 0) return WARNED
  if (drug.ingredients.length === 0) return { answer: 'not_listed', because: 'ingredient' }
  const [first] = notCompared
  if (!first) return { answer: 'no_limit', sources: distinct(sources) }
  const { because, ...rest } = OF_DOSE[first.lack]
  return { answer: 'not_listed', because, ...('facts' in rest && { facts: [...rest.facts] }) }
}

const distinct = (sources: readonly PublishedSource[]) => [
  ...new Map(sources.map((source) => [source.text, source])).values(),
]

const isKnown = ({ ingredients }: CheckedDrug) =>
  ingredients.length > 0 && ingredients.flatMap(parseIngredients).every((one) => one.isKnown)

function unknownIn(drug: CheckedDrug): Answer | undefined {
  if (isKnown(drug)) return undefined
  const names = drug.ingredients
    .flatMap(parseIngredients)
    .flatMap((one) => (one.isKnown ? [] : [one.name]))
  return { answer: 'not_listed', because: 'ingredient', names }
}

/** Other medicines with which the check could not compare a medicine, because it does not know their ingredients. */
const othersUnknown = (drug: CheckedDrug, { drugs, taken }: Ran) => [
  ...new Set(
    [...drugs, ...taken]
      .filter((other) => other !== drug && !isKnown(other))
      .map(({ name }) => name),
  ),
]

const isMissing: Readonly<Record<Fact, (facts: CheckedPatient) => boolean>> = {
  birth: ({ birth }) => birth === null,
  sex: ({ sex }) => sex === null,
  weight: ({ weight }) => weight === null,
  pregnancy: ({ pregnancy }) =>
    pregnancy.state === 'not_known' || pregnancy.state === 'after_birth',
  // a stage decides every row of the table, but for stage 3 without a or b, which 45 divides
  kidneys: ({ kidneys, problems }) =>
    kidneys === null && (worstKidneyStage(problems)?.most ?? Infinity) > 44,
  // an empty list of problems is an answer
  problems: () => false,
}

const ADULT_YEARS = 18
/** Years in which a pregnancy is thought of where medicines are given. */
const [PREGNANT_FROM, PREGNANT_TO] = [10, 55]
/** Below this eGFR, and with these problems, kidney function is thought of. */
const KIDNEYS_BELOW = 60
const KIDNEY_PROBLEMS = /^(?:N1[89]|I1[0-5]|E1[0-4]|O1[0-1]|O24)/

/** Whether a list that says nothing about a medicine leaves a question open for this patient. */
function bearsOn(table: AnswerTable, patient: CheckedPatient | undefined): boolean {
  if (table === 'allergy' || table === 'interaction' || table === 'dose') return true
  if (!patient) return false
  const { birth, today, sex, kidneys, problems } = patient
  const years = birth
    ? ageRangeInMonths(birth, today).map((months) => Math.floor(months / 12))
    : null
  const [from = 0, to = Infinity] = years ?? []
  switch (table) {
    case 'age':
      return from < ADULT_YEARS
    case 'pregnancy':
      return sex !== 'male' && from <= PREGNANT_TO && to >= PREGNANT_FROM
    case 'kidney':
      return (
        (kidneys?.egfr ?? Infinity) < KIDNEYS_BELOW ||
        problems.some((code) => KIDNEY_PROBLEMS.test(code))
      )
    default:
      return false
  }
}

import { ageSpanOf } from '~/fields/birth'
import { largest } from '~/shared/any-length'
import { RULE_TABLES } from './rules/checks'
import { type ComparedDose, isDoseCompared } from './rules/doses'
import { ingredientsOf } from './rules/ingredients'
import { kidneys } from './rules/patient-rules'
import {
  type CheckedDrug,
  type Fact,
  FACTS,
  type PatientFacts,
  RULE_KINDS,
  type RuleKind,
  type RulesOff,
  type RuleTable,
} from './rules/rule'
import type { CheckScope } from './rules/warning'

const isMissing: Readonly<Record<Fact, (facts: PatientFacts) => boolean>> = {
  birth: ({ birth }) => birth === null,
  sex: ({ sex }) => sex === null,
  weight: ({ weight }) => weight === null,
  pregnancy: ({ pregnancy }) => pregnancy.state === 'not_known',
  kidneys: ({ kidneys }) => kidneys === null,
  // an empty list of problems is an answer
  problems: () => false,
}

type Ran = {
  drugs: readonly CheckedDrug[]
  taken: readonly CheckedDrug[]
  patient: PatientFacts | undefined
  off: RulesOff
  doses: readonly ComparedDose[]
}
type Coverage = {
  table: RuleTable
  compared: boolean
  missing: readonly Fact[]
  notListed: string[]
}

/** What a check compared and what it did not: made of the medicines, the facts and the rules that it ran with. */
export function scopeOf(ran: Ran): CheckScope {
  const known = ran.drugs.filter(({ ingredients }) =>
    ingredients.flatMap(ingredientsOf).some(({ isKnown }) => isKnown),
  )
  const covered = RULE_TABLES.flatMap((table) =>
    table.table === 'cross_reaction' ? [] : coverageOf(table, known, ran),
  )
  const kinds = (is: (one: Coverage) => boolean): RuleKind[] =>
    RULE_KINDS.filter((kind) => covered.some((one) => one.table.table === kind && is(one)))
  const names = [...new Set(covered.flatMap(({ notListed }) => notListed))]
  return {
    tables: covered.flatMap(({ table: { table, version }, compared }) =>
      compared ? [{ table: table as RuleKind, version }] : [],
    ),
    notChecked: ran.drugs.length > 0 && known.length === 0 ? [...RULE_KINDS] : [],
    notListed: names.map((drug) => ({
      drug,
      tables: kinds(({ notListed }) => notListed.includes(drug)),
    })),
    missing: FACTS.flatMap((fact) => {
      const tables = kinds(({ missing }) => missing.includes(fact))
      return tables.length > 0 ? [{ fact, tables }] : []
    }),
    off: RULE_TABLES.flatMap(({ table, rows }) =>
      rows.filter(({ id }) => ran.off.has(`${table}:${id}`)),
    ).length,
  }
}

function coverageOf(table: RuleTable, known: readonly CheckedDrug[], ran: Ran): Coverage {
  if (table.table === 'dose') return coverageOfDoses(table, ran.doses)
  const { patient, off } = ran
  const rows = table.rows.filter(({ id }) => !off.has(`${table.table}:${id}`))
  const rowsAbout = ({ ingredients }: CheckedDrug) => {
    const names = ingredients.flatMap(ingredientsOf).map(({ name }) => name)
    return rows.filter(({ members }) => names.some((name) => members.includes(name)))
  }
  // the same substance twice needs no list
  const isListed = (drug: CheckedDrug) =>
    table.table === 'duplicate' ? rows.length > 0 : rowsAbout(drug).length > 0
  const listed = known.filter(isListed)
  const needs =
    listed.length === 0
      ? []
      : [...table.needs, ...listed.flatMap(rowsAbout).flatMap((row) => row.needs ?? [])]
  const missing = FACTS.filter(
    (fact) => needs.includes(fact) && (!patient || isMissing[fact](patient)),
  )
  return {
    table,
    compared: listed.length > 0 && missing.length === 0,
    missing,
    notListed: matters(table, ran)
      ? known.filter((drug) => !isListed(drug)).map(({ name }) => name)
      : [],
  }
}

function coverageOfDoses(table: RuleTable, doses: readonly ComparedDose[]): Coverage {
  const lacks = new Set(doses.flatMap(({ notCompared }) => notCompared.map(({ lack }) => lack)))
  return {
    table,
    compared: doses.some(isDoseCompared),
    missing: [
      ...(lacks.has('age') ? (['birth'] as const) : []),
      ...(lacks.has('weight') ? (['weight'] as const) : []),
    ],
    // each is named under "Dose not checked"
    notListed: [],
  }
}

/** The highest limit of the table of kidney function; above it, a medicine on no row raises no question. */
const KIDNEYS_BELOW = largest(kidneys.rows.map(({ under }) => under))
const ADULT_MONTHS = 18 * 12

/** Whether it matters for this patient that a medicine is on no row of a table. */
function matters(table: RuleTable, { drugs, taken, patient }: Ran): boolean {
  switch (table.table) {
    case 'interaction':
      return drugs.length + taken.length > 1
    case 'pregnancy':
      return patient !== undefined && patient.pregnancy.state !== 'not_pregnant'
    case 'kidney':
      return (patient?.kidneys?.egfr ?? Infinity) < KIDNEYS_BELOW
    case 'condition':
      return patient !== undefined && patient.problems.length > 0
    case 'age':
      return !patient?.birth || ageSpanOf(patient.birth, patient.today)[0] < ADULT_MONTHS
    default:
      return false
  }
}

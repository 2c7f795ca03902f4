import { RULE_TABLES } from './rules/checks'
import { type Fact, FACTS, type PatientFacts, RULE_KINDS } from './rules/rule'
import type { CheckScope } from './rules/warning'
import type { RulesOff } from './warnings'

const isMissing: Readonly<Record<Fact, (facts: PatientFacts) => boolean>> = {
  birth: ({ birth }) => birth === null,
  sex: ({ sex }) => sex === null,
  weight: ({ weight }) => weight === null,
  pregnancy: ({ pregnancy }) => pregnancy.state === 'not_known',
  kidneys: ({ kidneys }) => kidneys === null,
  // an empty list of problems is an answer
  problems: () => false,
}

/** What a check of this patient could compare, and what it could not: made from the tables that are there. */
export function scopeOf(patient: PatientFacts | undefined, off: RulesOff): CheckScope {
  const compared = RULE_TABLES.filter(({ needs }) => patient || needs.length === 0)
  return {
    tables: compared.map(({ table, version }) => ({ table, version })),
    notChecked: RULE_KINDS.filter((kind) => !compared.some(({ table }) => table === kind)),
    missing: FACTS.filter((fact) => patient && isMissing[fact](patient)).flatMap((fact) => {
      const tables = compared.filter(({ needs }) => needs.includes(fact)).map(({ table }) => table)
      const kinds = RULE_KINDS.filter((kind) => tables.includes(kind))
      return kinds.length > 0 ? [{ fact, tables: kinds }] : []
    }),
    off: RULE_TABLES.flatMap(({ table, rows }) =>
      rows.filter(({ id }) => off.has(`${table}:${id}`)),
    ).length,
  }
}

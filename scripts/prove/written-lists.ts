import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namedDrug } from '~/features/medicines/prescriptions/check/medicine-names.server'
import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import { type KnownAllergy, findWarnings } from '~/features/medicines/safety/warnings'
import { WrongUsage } from '../command'
import { interval, percent, type Proof, parseProofOptions } from './proof'

const HELP = `npm run prove -- written-lists --folder <folder> [--rows]

Reads lists that are not the source of Sanad's tables, and prints how many of their lines the safety check knows. They
stay in the folder: nothing of them is part of Sanad. Files of tab-separated lines:

  brands-<region>.tsv   name, substances joined by "+"; an allergy to the name must warn of the substance
  pairs-<name>.tsv      medicine, medicine, "major" (must not be missed), "other", or "none" (must not warn)

--rows lists each line that is missed.
`

const GOALS = { brands: 0.7, major: 0.97, other: 0.8, none: 0.01 }

const readTsvLines = (path: string): string[][] =>
  readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.split('\t').map((cell) => cell.trim()))
    .filter(([first]) => first)

const allergyTo = (substance: string): KnownAllergy => ({
  id: 'allergy',
  substance,
  substance_kind: 'other',
  substance_code: null,
  reaction: null,
  severity: null,
})

type Outcome = 'warned' | 'unchecked' | 'silent'

/** What the check says of a medicine under an allergy written as a brand. */
function ofBrand(brand: string, substance: string): Outcome {
  const warnings = findWarnings([namedDrug({ name: substance })], [], [allergyTo(brand)])
  if (warnings.some(({ kind }) => kind === 'allergy')) return 'warned'
  return warnings.some(({ kind }) => kind === 'unchecked') ? 'unchecked' : 'silent'
}

const isPair = (kind: string) => kind === 'interaction' || kind === 'duplicate'
/** What the check says of two medicines. */
function ofPair(a: string, b: string): Outcome {
  const warnings = findWarnings([namedDrug({ name: a })], [namedDrug({ name: b })], [])
  if (warnings.some(({ kind }) => isPair(kind))) return 'warned'
  return warnings.some(({ kind }) => kind === 'unchecked') ? 'unchecked' : 'silent'
}

/** Substances of a line that Sanad knows at all: what it has never heard of is no miss of a name. */
const knownIn = (text: string) =>
  text
    .split('+')
    .map((name) => name.trim())
    .filter((name) => name && parseIngredients(name).some(({ isKnown }) => isKnown))

function figure(
  name: string,
  outcomes: readonly Outcome[],
  goal: number,
  wanted: Outcome,
): boolean {
  const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length
  const share = outcomes.length === 0 ? 0 : count(wanted) / outcomes.length
  process.stdout.write(
    `${name}: ${count(wanted)} of ${outcomes.length}, ${percent(share)}${interval(share, outcomes.length)}; ` +
      `${count('unchecked')} said unchecked, ${count('silent')} silent\n`,
  )
  return share >= goal
}

export const writtenLists: Proof = {
  summary: 'brands and interactions of lists in a folder: known, said unchecked, missed',
  run(args) {
    const values = parseProofOptions(args, HELP, {
      folder: { type: 'string' },
      rows: { type: 'boolean', default: false },
    })
    if (!values) return Promise.resolve(0)
    const { folder, rows } = values
    if (!folder || !existsSync(folder)) throw new WrongUsage(HELP)
    const files = readdirSync(folder).filter((name) => /^(brands|pairs)-.*\.tsv$/.test(name))
    const missed = (text: string) => rows && process.stdout.write(`  ${text}\n`)
    const kept = files.toSorted().flatMap((file): boolean[] => {
      const lines = readTsvLines(join(folder, file))
      if (file.startsWith('brands-')) {
        const outcomes = lines.flatMap(([brand = '', substances = '']) => {
          const [substance] = knownIn(substances)
          if (!substance) return []
          const outcome = ofBrand(brand, substance)
          if (outcome !== 'warned') missed(`${brand}: ${substances} (${outcome})`)
          return [outcome]
        })
        return [figure(file, outcomes, GOALS.brands, 'warned')]
      }
      return (['major', 'other', 'none'] as const).flatMap((level) => {
        const outcomes = lines
          .filter(([, , of]) => of === level)
          .filter(([a = '', b = '']) => knownIn(a).length > 0 && knownIn(b).length > 0)
          .map(([a = '', b = '']) => {
            const outcome = ofPair(a, b)
            if ((outcome === 'warned') === (level === 'none')) missed(`${a} + ${b} (${outcome})`)
            return outcome
          })
        if (outcomes.length === 0) return []
        const wanted = level === 'none' ? 'silent' : 'warned'
        const goal = level === 'none' ? 1 - GOALS.none : GOALS[level]
        return [figure(`${file}, ${level}`, outcomes, goal, wanted)]
      })
    })
    return Promise.resolve(kept.every(Boolean) ? 0 : 1)
  },
}

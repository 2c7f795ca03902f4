import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { CODE_SYSTEM_NAMES } from '~/features/care/problem-codes/code'
import { bringCodes, type CodeFate } from '~/features/care/problem-codes/codes.server'
import { CODE_SYSTEMS, type CodeSystem } from '~/records/problem'
import type { OpenContext } from '~/server/operation'
import { bringBatches, type Watch } from '../batches.server'
import type { Csv, CsvRow } from '../csv.server'
import type { ColumnMapping, ImportTarget } from '../lists'
import { firstProblem } from '../medicines-file/medicines-file.server'
import { readCells } from '../reader/cells'
import { cellsByTarget, headingsOfTargets, labelIn } from '../reader/headings.server'
import { stableId } from '../stable-id'
import { type Fate, imported, left, rejected, repeated, type Tally } from '../tally'
import { recordChanges } from '../undo/changes.server'
import { committing, rehearse, type Steps } from '../write.server'
import headings from './code-headings.json'
import { unspacedWords } from './words'

type CodesFile = {
  headers: readonly string[]
  mapping: ColumnMapping
  /** Known codes get the labels of the file; otherwise they stay as they are. */
  updates: boolean
  /** Of rows that name no code system. */
  system?: CodeSystem | undefined
  importId?: string
}

export const codeTargets = (): ImportTarget[] => [
  { name: 'code', label: labelIn('imports.codes.code'), required: true },
  { name: 'system', label: labelIn('imports.codes.system'), required: false },
  { name: 'label_en', label: labelIn('imports.codes.label_en'), required: false },
  { name: 'label_ar', label: labelIn('imports.codes.label_ar'), required: false },
  { name: 'label_es', label: labelIn('imports.codes.label_es'), required: false },
]

export const codeHeadings = () => headingsOfTargets(codeTargets(), [headings])

/** "ICD-10", "icd10" and "CIE-10" are one system; a word that is no system is refused by the check of the row. */
const systemIn = (cell: string) => {
  const word = unspacedWords(cell).replace(/^cie/, 'icd')
  return (
    CODE_SYSTEMS.find((name) => name === word || unspacedWords(CODE_SYSTEM_NAMES[name]) === word) ??
    cell
  )
}

const ACTION = 'problems.importCodes'
const IDENTITIES = new Set(['code'])
const TEXTS = new Set(['label_en', 'label_ar', 'label_es'])

/**
 * Brings a list of codes for problems in. It can run again at any time, also after an interruption. A dry run does the
 * same and rolls it back.
 */
export async function importCodesFile(
  ctx: OpenContext,
  csv: Csv,
  file: CodesFile,
  tally: Tally,
  { isDryRun, ...watch }: Watch & { isDryRun?: boolean } = {},
) {
  const earlier: Parameters<typeof bringCodes>[2]['earlier'] = new Map()
  const work = (steps: Steps) =>
    bringBatches(csv, tally, steps, watch, (db, rows) => bring(db, rows, { file, earlier }))
  await (isDryRun ? rehearse(ctx, ACTION, work) : work(committing(ctx, ACTION)))
}

type Work = { file: CodesFile; earlier: Parameters<typeof bringCodes>[2]['earlier'] }

async function bring(db: Kysely<DB>, rows: CsvRow[], { file, earlier }: Work): Promise<Fate[]> {
  const { columns, headings: named } = cellsByTarget(file.headers, file.mapping)
  const readings = rows.map((row) =>
    readCells(row, columns, { identities: IDENTITIES, texts: TEXTS }),
  )
  const read = readings.flatMap((reading) => ('refused' in reading ? [] : [reading.cells]))
  const fates = await bringCodes(
    db,
    read.map(({ system, ...cells }) => ({
      ...cells,
      system: system === undefined ? file.system : systemIn(system),
    })),
    { updates: file.updates, ...(earlier && { earlier }) },
  )
  if (file.importId)
    await recordChanges(
      db,
      file.importId,
      fates.flatMap(({ kind, code, before }) =>
        code && (kind === 'added' || kind === 'changed')
          ? [
              {
                table: 'problem_codes' as const,
                id: stableId('problem_codes', code.system, code.code),
                before: before ?? null,
                after: code,
              },
            ]
          : [],
      ),
    )
  let at = 0
  return readings.map((reading): Fate => {
    if ('refused' in reading) return rejected(reading.refused)
    return readFate(fates[at++]!, named)
  })
}

function readFate(fate: CodeFate, named: Readonly<Record<string, string>>): Fate {
  switch (fate.kind) {
    case 'rejected':
      return rejected(firstProblem(fate.problems, named))
    case 'added':
      return imported
    case 'changed':
      return { outcome: 'changed' }
    case 'left':
      return left('imports.reasons.codeKept')
    default:
      return repeated
  }
}

import { latinDigits } from '~/fields/typed'
import written from '../tables/written-problems.json'

const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}ـ]/gu, '')
    .toLowerCase()
    .replaceAll('أ', 'ا')
    .replaceAll('إ', 'ا')
    .replaceAll('ى', 'ي')
    .replaceAll('ة', 'ه')
    .replaceAll(/[^\p{L}\p{Nd}?]+/gu, ' ')
    .trim()

/** A phrase in whole words of a text. */
const holds = (text: string, phrase: string) => ` ${text} `.includes(` ${phrase} `)

const NOT_THIS_PATIENT = written.not.words.map(folded)
const NAMES = written.names.map(({ code, names, unless = [] }) => ({
  code,
  names: names.map(folded),
  unless: unless.map(folded),
}))
const KIDNEY = written.kidney.names.map(folded)
const STAGE = new RegExp(
  `(?:^| )(?:${written.kidney.stage.map(folded).join('|')}) ?(3 ?a|3 ?b|[1-5]|iv|v|iii|ii|i)(?: |$)`,
)
/** "المرحلة الرابعة" is "المرحلة 4". */
const numbered = (text: string) =>
  text
    .split(' ')
    .map((word) => ORDINALS.get(word) ?? word)
    .join(' ')
const ORDINALS = new Map(
  Object.entries(written.kidney.ordinals).map(([word, number]) => [folded(word), number]),
)

const STAGE_CODES: Readonly<Record<string, string>> = {
  1: 'N18.1',
  i: 'N18.1',
  2: 'N18.2',
  ii: 'N18.2',
  3: 'N18.3',
  iii: 'N18.3',
  '3a': 'N18.31',
  '3b': 'N18.32',
  4: 'N18.4',
  iv: 'N18.4',
  5: 'N18.5',
  v: 'N18.5',
}

/**
 * The ICD-10 codes of a problem that is written clearly: "CKD stage 4", "DVT 2019", "hipertensión arterial". A text
 * with a denial, a doubt or a relative in it has none: it asserts nothing about the patient.
 */
export function codesOfWritten(label: string): string[] {
  const text = numbered(folded(latinDigits(label)))
  if (text.includes('?') || NOT_THIS_PATIENT.some((word) => holds(text, word))) return []
  const codes = NAMES.filter(
    ({ names, unless }) =>
      names.some((name) => holds(text, name)) && !unless.some((word) => holds(text, word)),
  ).map(({ code }) => code)
  if (!KIDNEY.some((name) => holds(text, name))) return codes
  const stage = STAGE.exec(text)?.[1]?.replaceAll(' ', '')
  return [...codes, (stage && STAGE_CODES[stage]) || 'N18.9']
}

/**
 * Stages of chronic kidney disease by ICD-10 (N18.3 to N18.5, and of the clinical modification N18.30 to N18.32 and
 * N18.6), with the highest eGFR of each: KDIGO 2012, table 5 (G3a 45 to 59, G3b 30 to 44, G4 15 to 29, G5 below 15).
 */
const STAGES = [
  { codes: ['N18.5', 'N18.6'], name: '5', most: 14 },
  { codes: ['N18.4'], name: '4', most: 29 },
  { codes: ['N18.32'], name: '3b', most: 44 },
  { codes: ['N18.3'], name: '3', most: 59 },
]

/** The worst stage among the ICD-10 codes of a patient's problems. */
export const worstKidneyStage = (codes: readonly string[]) =>
  STAGES.find((stage) => codes.some((code) => stage.codes.some((start) => code.startsWith(start))))

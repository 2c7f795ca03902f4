import type { MessageKey } from '~/shared/language'
import { isOneSlip, nameLikeness, type NameWord } from './names'

/** What is known of a person when two records are compared, as the database folds it. */
export type Profile = {
  names: readonly NameWord[]
  /** `yyyy-MM-dd` */
  birth: string | null
  isApproximate: boolean
  sex: string | null
  /** Digits, without leading zeros. */
  phones: readonly string[]
  government: string | null
  external: string | null
  hometown: string | null
}

/**
 * How much each finding speaks for (or against) one and the same person. The sum is the score. Fitted to the pairs of
 * `duplicate-pairs.ts`; a twin shares all but the first name, a father and son all but the birth, and neither may pass.
 */
const WEIGHTS = {
  sameGovernmentId: 10.5,
  governmentIdSlip: 3,
  otherGovernmentId: -3,
  sameExternalId: 6,
  samePhone: 3,
  phoneSlip: 1.5,
  otherPhone: -0.5,
  sameName: 5,
  nameAlike: 4,
  nameClose: 2,
  sameFirstName: 0.5,
  otherName: -4,
  sameBirth: 4,
  birthSwapped: 3,
  birthSlip: 2,
  sameYear: 2.5,
  sameYearOtherDay: 0.3,
  yearClose: 0.5,
  otherBirth: -3,
  otherGeneration: -6,
  sameSex: 0.3,
  otherSex: -4,
  sameHometown: 1,
  otherHometown: -0.8,
  commonName: -1,
  veryCommonName: -2,
} as const
export type Finding = keyof typeof WEIGHTS

/** From here on two records are likely those of one person. */
export const LIKELY = 6.4
/** Beyond this many namesakes a name says less. */
const COMMON = 10
const VERY_COMMON = 60

/** What speaks for one person, as people are told; what speaks against it is not. */
export const REASONS = [
  'sameGovernmentId',
  'governmentIdSlip',
  'sameExternalId',
  'samePhone',
  'phoneSlip',
  'sameName',
  'nameAlike',
  'nameClose',
  'sameFirstName',
  'sameBirth',
  'birthSwapped',
  'birthSlip',
  'sameYear',
  'yearClose',
  'sameHometown',
] as const satisfies readonly Finding[]
export type Reason = (typeof REASONS)[number]
export const reasonText = (reason: Reason): MessageKey => `duplicates.${reason}`

/** Compares two people. `namesakes`: how many others bear the name. */
export function likenessOf(a: Profile, b: Profile, namesakes = 0): { score: number; reasons: Reason[] } {
  const findings = [
    governmentOf(a, b),
    a.external && a.external === b.external ? 'sameExternalId' : null,
    phoneOf(a, b),
    nameOf(a, b),
    namesakes > VERY_COMMON ? 'veryCommonName' : namesakes > COMMON ? 'commonName' : null,
    birthOf(a, b),
    a.sex && b.sex ? (a.sex === b.sex ? 'sameSex' : 'otherSex') : null,
    a.hometown && b.hometown ? (a.hometown === b.hometown ? 'sameHometown' : 'otherHometown') : null,
  ].filter((finding): finding is Finding => finding !== null)
  const score = findings.reduce((sum, finding) => sum + WEIGHTS[finding], 0)
  return { score: Math.round(score * 10) / 10, reasons: REASONS.filter((reason) => findings.includes(reason)) }
}

function governmentOf(a: Profile, b: Profile): Finding | null {
  if (!a.government || !b.government) return null
  if (a.government === b.government) return a.government.length > 3 ? 'sameGovernmentId' : null
  return a.government.length > 5 && isOneSlip(a.government, b.government) ? 'governmentIdSlip' : 'otherGovernmentId'
}

function phoneOf(a: Profile, b: Profile): Finding | null {
  if (a.phones.length === 0 || b.phones.length === 0) return null
  const some = (same: (x: string, y: string) => boolean) => a.phones.some((x) => b.phones.some((y) => same(x, y)))
  // with and without the country's code
  if (some((x, y) => Math.min(x.length, y.length) > 6 && (x.endsWith(y) || y.endsWith(x)))) return 'samePhone'
  return some((x, y) => x.length > 7 && isOneSlip(x.slice(-9), y.slice(-9))) ? 'phoneSlip' : 'otherPhone'
}

function nameOf(a: Profile, b: Profile): Finding | null {
  if (a.names.length === 0 || b.names.length === 0) return null
  const { whole, isSameFirst } = nameLikeness(a.names, b.names)
  if (!isSameFirst) return 'otherName'
  if (whole >= 0.99) return 'sameName'
  if (whole >= 0.85) return 'nameAlike'
  return whole >= 0.8 ? 'nameClose' : 'sameFirstName'
}

function birthOf(a: Profile, b: Profile): Finding | null {
  if (!a.birth || !b.birth) return null
  const [[yearA, monthA, dayA], [yearB, monthB, dayB]] = [a.birth.split('-'), b.birth.split('-')]
  const years = Math.abs(Number(yearA) - Number(yearB))
  const isApproximate = a.isApproximate || b.isApproximate
  if (isApproximate)
    return years === 0 ? 'sameYear' : years <= 3 ? 'yearClose' : years > 12 ? 'otherGeneration' : 'otherBirth'
  // 1 January is what stands on papers when only the year was known
  if (a.birth === b.birth) return a.birth.endsWith('-01-01') ? 'sameYear' : 'sameBirth'
  if (years === 0 && monthA === dayB && dayA === monthB) return 'birthSwapped'
  if (years === 0 && (monthA === monthB || dayA === dayB)) return 'birthSlip'
  // twins of another year do not exist, but 1987 for 1978 and 1990 for 1991 do
  if (monthA === monthB && dayA === dayB && (years === 1 || years === 10 || isOneSlip(yearA!, yearB!)))
    return 'birthSlip'
  if (years <= 1) return years === 0 ? 'sameYearOtherDay' : null
  return years > 12 ? 'otherGeneration' : 'otherBirth'
}

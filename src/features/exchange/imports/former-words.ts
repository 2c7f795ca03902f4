/**
 * What the words of a Hikma server mean for problems and allergies. The lists of docs/exchange.md ("Words of other
 * systems") and of the guide are these lists. A word that is on no list asserts nothing and lowers no risk: it stays as
 * text, is shown, and goes to the file for a clinician.
 */

const plain = (word: unknown) =>
  typeof word === 'string'
    ? word
        .normalize('NFKC')
        .trim()
        .toLowerCase()
        .replaceAll(/[\s_-]+/g, '-')
    : ''

/**
 * https://hl7.org/fhir/R4/valueset-condition-clinical.html: a recurrence and a relapse are active. Undefined: a word
 * that is on no list.
 */
export const parseClinicalStatus = (word: unknown): string | undefined => CLINICAL.get(plain(word))
const CLINICAL = new Map([
  ['active', 'active'],
  ['recurrence', 'active'],
  ['relapse', 'active'],
  ['remission', 'remission'],
  ['inactive', 'inactive'],
  ['resolved', 'resolved'],
])

/**
 * https://hl7.org/fhir/R4/valueset-condition-ver-status.html: a differential diagnosis is an unconfirmed one.
 * "withdrawn": the entry never was true.
 */
export const parseVerificationStatus = (word: unknown): string | undefined =>
  VERIFICATION.get(plain(word))
const VERIFICATION = new Map([
  ['confirmed', 'confirmed'],
  ['provisional', 'provisional'],
  ['unconfirmed', 'unconfirmed'],
  ['differential', 'unconfirmed'],
  ['refuted', 'refuted'],
  ['entered-in-error', 'withdrawn'],
])

/**
 * Of an allergy. Only a word that says how severe a reaction was lowers it to mild or moderate; what threatens life is
 * severe (CTCAE 5.0, US National Cancer Institute, 2017: grades 3 to 5 are severe, life-threatening and death;
 * https://hl7.org/fhir/R4/valueset-allergy-intolerance-criticality.html: high is potentially life-threatening).
 */
const parseSeverity = (word: unknown): Severity | undefined => SEVERITIES.get(plain(word))
type Severity = 'mild' | 'moderate' | 'severe'
const SEVERITIES = new Map<string, Severity>([
  ...['mild', 'leve', 'خفيف', 'خفيفة', '255604002'].map((word) => [word, 'mild'] as const),
  ...['moderate', 'moderado', 'moderada', 'متوسط', 'متوسطة', '6736007'].map(
    (word) => [word, 'moderate'] as const,
  ),
  ...[
    'severe',
    'very-severe',
    'serious',
    'extreme',
    'critical',
    'high',
    'life-threatening',
    'lifethreatening',
    'fatal',
    'anaphylaxis',
    'anaphylactic',
    'anaphylactic-shock',
    'grave',
    'muy-grave',
    'severo',
    'severa',
    'mortal',
    'anafilaxia',
    'شديد',
    'شديدة',
    'شديد-جدا',
    'خطير',
    'خطيرة',
    'مهدد-للحياة',
    'مهددة-للحياة',
    'مميت',
    '24484000',
    '442452003',
    '399166001',
  ].map((word) => [word, 'severe'] as const),
])

/** The severity of an allergy and its reactions: the highest, unless a word that is on no list may say more. */
export function highestSeverity(words: readonly unknown[]): {
  severity: Severity | null
  unknown: string[]
} {
  const given = words.filter((word) => plain(word) !== '')
  const known = new Set(given.map(parseSeverity))
  const unknown = given.filter((word) => parseSeverity(word) === undefined).map(String)
  if (known.has('severe')) return { severity: 'severe', unknown }
  if (unknown.length > 0) return { severity: null, unknown }
  return {
    severity: (['moderate', 'mild'] as const).find((each) => known.has(each)) ?? null,
    unknown,
  }
}

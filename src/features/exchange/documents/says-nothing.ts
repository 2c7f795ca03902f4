import { plainWords } from '~/fields/plain-words'
import { CODE_SYSTEM_URLS } from '~/features/care/problem-codes/code'
import { type Concept, conceptLabel } from './shapes'

/**
 * Codes that say that there is nothing, or that nobody knows. Those of the International Patient Summary 1.1 are
 * http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips; those of SNOMED CT are in the value sets of 2.0 for
 * allergies (716186003, no known allergy, and its kinds: 409137002 to medicines, 429625007 to food, 428607008 to the
 * environment), problems (160245001) and medicines (787481004): https://hl7.org/fhir/uv/ips/terminology.html. Further
 * kinds of allergies in SNOMED CT itself: 428197003 to insects, 716220001 to animals, 1003774007 to latex.
 */
const NOTHING_KNOWN = new Set([
  '716186003',
  '409137002',
  '429625007',
  '428607008',
  '428197003',
  '716220001',
  '1003774007',
  '160245001',
  '787481004',
])

/** How such a statement begins or is built, in the words of the three languages, as `plainWords` leaves them. */
const NOTHING_WORDS = [
  /^no known\b/,
  /^no current\b/,
  /^(?:none|nil)(?: known| reported| recorded)?$/,
  /^(?:sin|ning\p{L}*|no (?:se conocen?|hay|tiene)) (?:.* )?conocid[oa]s?\b/u,
  /^no se conocen?\b/,
  /^(?:ning\p{L}*|sin datos)$/u,
  /^لا (?:يوجد|توجد)(?: |$)/,
]

/** A statement that nothing is known, of whatever kind: it is no row. */
export const saysNothing = (concept: Concept | undefined) =>
  (concept?.coding.some(
    ({ system, code }) =>
      system?.endsWith('/absent-unknown-uv-ips') ||
      (system === CODE_SYSTEM_URLS.snomed && code !== undefined && NOTHING_KNOWN.has(code)),
  ) ??
    false) ||
  [conceptLabel(concept), ...(concept?.coding ?? []).map(({ display }) => display)].some((words) =>
    NOTHING_WORDS.some((pattern) => pattern.test(plainWords(words ?? ''))),
  )

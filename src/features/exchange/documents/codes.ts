import { CODE_SYSTEMS } from '~/records/problem'
import { LOINC } from '~/shared/loinc'
import { ATC, CVX } from '~/features/care/immunizations/immunization'
import { CODE_SYSTEM_NAMES, CODE_SYSTEM_URLS } from '~/features/care/problem-codes/code'
import type { Concept } from './shapes'

/** Names of code systems for a reader (https://hl7.org/fhir/R4/terminologies-systems.html). */
const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    CODE_SYSTEMS.map((system) => [CODE_SYSTEM_URLS[system], CODE_SYSTEM_NAMES[system]]),
  ),
  [LOINC]: 'LOINC',
  [ATC]: 'ATC',
  [CVX]: 'CVX',
  'http://www.nlm.nih.gov/research/umls/rxnorm': 'RxNorm',
  'http://fdasis.nlm.nih.gov': 'UNII',
}
/** Of one entry, for a reader. */
const MOST_CODES = 6

/** The codes of a concept, each after the name of its system. */
export const conceptCodes = (concept: Concept | undefined): string[] =>
  (concept?.coding ?? [])
    .flatMap(({ system, code }) =>
      code ? `${NAMES[system ?? ''] ?? system ?? ''} ${code}`.trim() : [],
    )
    .slice(0, MOST_CODES)

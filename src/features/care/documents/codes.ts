import type { Concept } from './shapes'

/** Names of code systems for a reader (https://hl7.org/fhir/R4/terminologies-systems.html). */
const NAMES: Readonly<Record<string, string>> = {
  'http://snomed.info/sct': 'SNOMED CT',
  'http://hl7.org/fhir/sid/icd-10': 'ICD-10',
  'http://hl7.org/fhir/sid/icd-10-cm': 'ICD-10-CM',
  'http://id.who.int/icd/release/11/mms': 'ICD-11',
  'http://loinc.org': 'LOINC',
  'http://www.whocc.no/atc': 'ATC',
  'http://hl7.org/fhir/sid/cvx': 'CVX',
  'http://www.nlm.nih.gov/research/umls/rxnorm': 'RxNorm',
  'http://fdasis.nlm.nih.gov': 'UNII',
}
/** Of one entry, for a reader. */
const MOST_CODES = 6

/** The codes of a concept, each after the name of its system. */
export const codesOf = (concept: Concept | undefined): string[] =>
  (concept?.coding ?? [])
    .flatMap(({ system, code }) =>
      code ? `${NAMES[system ?? ''] ?? system ?? ''} ${code}`.trim() : [],
    )
    .slice(0, MOST_CODES)

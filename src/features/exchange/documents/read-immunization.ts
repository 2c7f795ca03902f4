import { ATC, CVX, vaccineFacts } from '~/features/care/immunizations/immunization'
import { CODE_SYSTEM_URLS } from '~/features/care/problem-codes/code'
import type { Message } from '~/shared/errors'
import { LANGUAGES } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { type Vaccine, VACCINES } from '~/shared/vaccines'
import { plainWords } from '~/fields/plain-words'
import type { DocumentEntry } from './bundle'
import { conceptCodes } from './codes'
import type { EntryReading } from './document'
import { daySaid } from './said-times'
import { type Concept, ImmunizationShape, conceptLabel } from './shapes'
import { saysNothing } from './says-nothing'
import { statusCodes } from './status'

export function readImmunization(entry: DocumentEntry): EntryReading {
  const said = ImmunizationShape.parse(entry.resource)
  const words = conceptLabel(said.vaccineCode)
  const dose = doseIn(said.protocolApplied[0])
  const details: Sayable[] = []
  if (dose !== null) details.push({ key: 'documents.doseSaid', values: { number: dose } })
  if (said.lotNumber) details.push({ key: 'documents.lotSaid', values: { lot: said.lotNumber } })
  if (said.note) details.push({ text: said.note })
  const about = {
    kind: 'immunizations' as const,
    words: words ?? '',
    codes: conceptCodes(said.vaccineCode),
    details,
    when: said.occurrenceDateTime ?? said.occurrenceString ?? null,
    statuses: statusCodes(said.status),
    notes: [],
  }
  const refuse = (key: Message['key']) => ({ ...about, refused: { key } })
  if (words === undefined) return refuse('documents.noWords')
  if (saysNothing(said.vaccineCode)) return refuse('documents.saysNone')
  if (said.status === 'entered-in-error') return refuse('documents.enteredInError')
  if (said.status !== 'completed') return refuse('documents.notGiven')
  if (said.isSubpotent) return refuse('documents.subpotent')
  const vaccine = vaccineIn(said.vaccineCode!)
  if (!vaccine) return refuse('documents.unknownVaccine')
  const given_on = daySaid(said.occurrenceDateTime)
  if (given_on === null) return refuse('documents.noDay')
  return {
    ...about,
    take: {
      kind: 'immunizations',
      input: {
        vaccine,
        given_on,
        dose_number: dose,
        lot: said.lotNumber ?? null,
        notes: [said.note],
      },
    },
  }
}

/**
 * By its codes where they mean one vaccine, else by its name in one of the languages. Codes that mean different ones
 * mean none. A class of ATC counts where `atcAlso` has it: "polio vaccines" are given by mouth or injected.
 */
function vaccineIn(concept: Concept): Vaccine | undefined {
  const said = concept.coding.flatMap(({ system, code }) => {
    const meant = code === undefined ? [] : vaccinesWithCode(system, code)
    return meant.length > 0 ? [{ meant, isAlone: system !== ATC || isTold(code!) }] : []
  })
  const found = VACCINES.filter((vaccine) => said.every(({ meant }) => meant.includes(vaccine)))
  if (found.length === 0) return undefined
  if (found.length === 1 && said.some(({ isAlone }) => isAlone)) return found[0]
  const words = plainWords(conceptLabel(concept) ?? '')
  return found.find((vaccine) =>
    LANGUAGES.some(
      (language) =>
        plainWords(sentence(language, { key: `immunizations.vaccines.${vaccine}` })) === words,
    ),
  )
}

/** The vaccines of the list that a code can mean. */
const vaccinesWithCode = (system: string | undefined, code: string): Vaccine[] =>
  VACCINES.filter((vaccine) => {
    const { cvx, cvxAlso = [], atc, atcAlso = [], snomed = [] } = vaccineFacts[vaccine]
    if (system === CVX) return cvx === code || cvxAlso.includes(code)
    if (system === ATC) return [atc, ...atcAlso].some((own) => own.startsWith(code))
    return system === CODE_SYSTEM_URLS.snomed && snomed.includes(code)
  })

/** A code of ATC that says a vaccine without another code: of a product, or of a class of one vaccine. */
const isTold = (atc: string) =>
  atc.length === PRODUCT || VACCINES.some((vaccine) => vaccineFacts[vaccine].atcAlso?.includes(atc))
/** Characters of an ATC code of a product (https://atcddd.fhi.no/atc/structure_and_principles). */
const PRODUCT = 7

function doseIn(
  applied: { doseNumberPositiveInt?: number; doseNumberString?: string } | undefined,
): number | null {
  const { doseNumberPositiveInt: number, doseNumberString: text } = applied ?? {}
  const dose = number ?? (text && /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN)
  return Number.isInteger(dose) && dose >= 0 && dose <= 20 ? dose : null
}

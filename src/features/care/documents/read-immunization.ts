import { ATC, CVX, vaccineFacts } from '~/features/care/immunizations/immunization'
import type { Message } from '~/shared/errors'
import { LANGUAGES } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { type Vaccine, VACCINES } from '~/shared/vaccines'
import { plainWords } from '~/fields/plain-words'
import { type Entry, saysNothing, statusesOf } from './bundle'
import { codesOf } from './codes'
import type { Reading } from './document'
import { daySaid } from './said-times'
import { codeIn, type Concept, ImmunizationShape, wordsOf } from './shapes'

export function readImmunization(entry: Entry): Reading {
  const said = ImmunizationShape.parse(entry.resource)
  const words = wordsOf(said.vaccineCode)
  const dose = doseIn(said.protocolApplied[0])
  const about = {
    kind: 'immunizations' as const,
    words: words ?? '',
    codes: codesOf(said.vaccineCode),
    details: [
      ...(dose === null
        ? []
        : [{ key: 'documents.doseSaid', values: { number: dose } } satisfies Message]),
      ...(said.lotNumber
        ? [{ key: 'documents.lotSaid', values: { lot: said.lotNumber } } satisfies Message]
        : []),
      ...(said.note ? [{ text: said.note }] : []),
    ],
    when: said.occurrenceDateTime ?? said.occurrenceString ?? null,
    statuses: statusesOf(said.status),
    notes: [],
  }
  const refuse = (key: Message['key']) => ({ ...about, refused: { key } })
  if (words === undefined) return refuse('documents.noWords')
  if (saysNothing(said.vaccineCode)) return refuse('documents.saysNone')
  if (said.status === 'entered-in-error') return refuse('documents.enteredInError')
  if (said.status !== 'completed') return refuse('documents.notGiven')
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

/** By its codes where they mean one vaccine, else by its name in one of the languages. A class of vaccines is none. */
function vaccineIn(concept: Concept): Vaccine | undefined {
  const [cvx, atc] = [codeIn(concept, CVX), codeIn(concept, ATC)]
  const byCvx = VACCINES.filter((vaccine) => cvx !== undefined && vaccineFacts[vaccine].cvx === cvx)
  const byAtc = VACCINES.filter((vaccine) => vaccineFacts[vaccine].atc === atc)
  const both = byCvx.filter((vaccine) => byAtc.includes(vaccine))
  const found = both.length > 0 ? both : byCvx.length > 0 ? byCvx : byAtc
  const named = (vaccine: Vaccine) =>
    LANGUAGES.some(
      (language) =>
        plainWords(sentence(language, { key: `immunizations.vaccines.${vaccine}` })) ===
        plainWords(wordsOf(concept) ?? ''),
    )
  if (found.length === 0) return VACCINES.find(named)
  if (found.length > 1) return found.find(named)
  const [one] = found
  // "polio vaccines" may be the other kind
  const isClass = byCvx.length === 0 && VACCINES.some((other) => other !== one && isBelow(other, atc!))
  return isClass && !named(one!) ? undefined : one
}
const isBelow = (vaccine: Vaccine, atc: string) => vaccineFacts[vaccine].atc.startsWith(atc)

function doseIn(
  applied: { doseNumberPositiveInt?: number; doseNumberString?: string } | undefined,
): number | null {
  const { doseNumberPositiveInt: number, doseNumberString: text } = applied ?? {}
  const dose = number ?? (text && /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN)
  return Number.isInteger(dose) && dose >= 0 && dose <= 20 ? dose : null
}

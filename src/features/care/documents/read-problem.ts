import type { Message } from '~/shared/errors'
import type { Sayable } from '~/shared/say'
import { CODE_SYSTEM_URLS } from '../problem-codes/code'
import { type Entry, saysNothing, statusesOf } from './bundle'
import { codesOf } from './codes'
import type { ProblemToTake, Reading } from './document'
import { daySaid, isPartial, momentSaid } from './said-times'
import { type Concept, ConditionShape, firstCode, wordsOf } from './shapes'

const CLINICAL: Readonly<Record<string, ProblemToTake['clinical_status']>> = {
  active: 'active',
  // what R4 counts as active, and Sanad does not tell apart
  recurrence: 'active',
  relapse: 'active',
  inactive: 'inactive',
  remission: 'remission',
  resolved: 'resolved',
}
const VERIFICATION: Readonly<Record<string, ProblemToTake['verification_status']>> = {
  confirmed: 'confirmed',
  provisional: 'provisional',
  unconfirmed: 'unconfirmed',
}
const SIDES = ['left', 'right', 'both'] as const

export function readProblem(entry: Entry): Reading {
  const said = ConditionShape.parse(entry.resource)
  const label = wordsOf(said.code)
  const [clinical, verification] = [said.clinicalStatus, said.verificationStatus].map(firstCode)
  const onset = said.onsetDateTime ?? said.onsetPeriod?.start
  const end = said.abatementDateTime ?? said.abatementPeriod?.end ?? said.onsetPeriod?.end
  const notes: Message[] = []
  const severity = wordsOf(said.severity)
  const score = scoreIn(said.severity?.text)
  const details: Sayable[] = []
  if (severity) details.push({ key: 'documents.severitySaid', values: { severity } })
  if (end) details.push({ key: 'documents.endSaid', values: { day: daySaid(end) ?? end } })
  const about = {
    kind: 'problems' as const,
    words: label ?? '',
    codes: codesOf(said.code),
    details,
    when: onset ?? null,
    statuses: statusesOf(said.clinicalStatus, said.verificationStatus),
    notes,
  }
  const refuse = (key: Message['key']) => ({ ...about, refused: { key } })
  if (label === undefined) return refuse('documents.noWords')
  if (saysNothing(said.code)) return refuse('documents.saysNone')
  if (verification === 'entered-in-error') return refuse('documents.enteredInError')
  if (verification === 'refuted') return refuse('documents.refuted')
  const coded = codedIn(said.code)
  if (coded.problem_code_system === 'uncoded') notes.push({ key: 'documents.uncoded' })
  if (severity && score === null) notes.push({ key: 'documents.severityLeft' })
  if (isPartial(onset) || isPartial(end)) notes.push({ key: 'documents.partialDate' })
  return {
    ...about,
    take: {
      kind: 'problems',
      input: {
        ...coded,
        problem_label: label,
        clinical_status: CLINICAL[clinical ?? ''] ?? 'unknown',
        verification_status: VERIFICATION[verification ?? ''] ?? 'unconfirmed',
        severity_score: score,
        onset_date: daySaid(onset),
        onset_at: momentSaid(onset),
        end_date: daySaid(end),
        ended_at: momentSaid(end),
        laterality:
          SIDES.find((side) => said.bodySite.length === 1 && said.bodySite[0]?.text === side) ??
          null,
      },
    },
  }
}

/** The first code of a system that Sanad knows; else the words alone, with a code of another system if there is one. */
function codedIn(code: Concept | undefined) {
  const systems = Object.entries(CODE_SYSTEM_URLS)
  for (const coding of code?.coding ?? []) {
    const [known] = systems.find(([, url]) => url === coding.system) ?? []
    if (known && coding.code)
      return {
        problem_code_system: known as keyof typeof CODE_SYSTEM_URLS,
        problem_code: coding.code,
      }
  }
  return {
    problem_code_system: 'uncoded' as const,
    problem_code: firstCode(code)?.slice(0, 50) ?? '',
  }
}

/** A score from 0 to 10, as Sanad's FHIR writes it. The words of others are no number. */
function scoreIn(text: string | undefined): number | null {
  const score = text && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return score >= 0 && score <= 10 ? score : null
}

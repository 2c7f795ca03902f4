import type { Message } from '~/shared/errors'
import type { Sayable } from '~/shared/say'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { CODE_SYSTEM_URLS } from '~/features/care/problem-codes/code'
import type { DocumentEntry } from './bundle'
import { conceptCodes } from './codes'
import type { ProblemToTake, EntryReading } from './document'
import { daySaid, isPartial, lastDayOfPartialDate, momentSaid } from './said-times'
import {
  type Concept,
  ConditionShape,
  firstCode,
  onsetText,
  saysCode,
  statusIn,
  conceptLabel,
} from './shapes'
import { saysNothing } from './says-nothing'
import { statusCodes } from './status'

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

export function readProblem(entry: DocumentEntry, now: Date): EntryReading {
  const said = ConditionShape.parse(entry.resource)
  const label = conceptLabel(said.code)
  const clinical = CLINICAL[statusIn(said.clinicalStatus, 'condition-clinical') ?? '']
  const verification = statusIn(said.verificationStatus, 'condition-ver-status')
  const onset = onsetText(said)
  const end = said.abatementDateTime ?? said.abatementPeriod?.end
  const notes: Message[] = []
  const severity = conceptLabel(said.severity)
  const score = scoreIn(said.severity?.text)
  const details: Sayable[] = []
  if (severity) details.push({ key: 'documents.severitySaid', values: { severity } })
  if (end)
    details.push({
      key: 'documents.endSaid',
      values: { day: daySaid(end) ?? end },
    })
  if (said.note) details.push({ text: said.note })
  const about = {
    kind: 'problems' as const,
    words: label ?? '',
    codes: conceptCodes(said.code),
    details,
    when: onset,
    until: end,
    statuses: statusCodes(said.clinicalStatus, said.verificationStatus),
    notes,
  }
  const refuse = (key: Message['key']) => ({ ...about, refused: { key } })
  if (label === undefined) return refuse('documents.noWords')
  if (saysNothing(said.code)) return refuse('documents.saysNone')
  if (saysCode(said.verificationStatus, 'entered-in-error'))
    return refuse('documents.enteredInError')
  if (saysCode(said.verificationStatus, 'refuted')) return refuse('documents.refuted')
  const coded = codedIn(said.code)
  if (coded.problem_code_system === 'uncoded') notes.push({ key: 'documents.uncoded' })
  if (severity && score === null) notes.push({ key: 'documents.severityLeft' })
  if (isPartial(onset) || isPartial(end)) notes.push({ key: 'documents.partialDate' })
  if (said.note) notes.push({ key: 'documents.noteLeft' })
  // only where the document says no status: what it says counts
  const today = dayIn(now, clinicTimeZone())
  const lastDay = daySaid(end) ?? lastDayOfPartialDate(end, today)
  const isOver = clinical === undefined && lastDay !== null && lastDay <= today
  const isPast = clinical === undefined && !isOver && entry.isPast
  const statusOfOpen = isPast ? 'inactive' : 'unknown'
  if (isOver) notes.push({ key: 'documents.endedSaid' })
  if (isPast) notes.push({ key: 'documents.pastSection' })
  return {
    ...about,
    take: {
      kind: 'problems',
      input: {
        ...coded,
        problem_label: label,
        clinical_status: clinical ?? (isOver ? 'resolved' : statusOfOpen),
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
      codes: (said.code?.coding ?? []).flatMap(({ system, code }) =>
        system && code ? { system, code } : [],
      ),
      onset,
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

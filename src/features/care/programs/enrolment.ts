import { isEndOfPregnancy, type PregnancyAnswer } from '~/features/care/pregnancies/pregnancy'
import { addDays, monthsBetween } from '~/shared/zone'
import { PREGNANCY, findProgram } from './programs'

/** A record that enrols its patient in a program: a problem, or a dose of a child. */
export type Origin = {
  id: string
  program: string
  day: string
  /** The day on which the problem was resolved. */
  until: string | null
  /** The clinic of its visit. */
  clinicId: string | null
}

/** A row of `program_enrollments`. */
export type Enrollment = {
  id: string
  program: string
  clinic_id: string
  enrolled_on: string
  ended_on: string | null
  end_reason: string | null
  lmp: string | null
  origin_id: string | null
  is_deleted: boolean
  metadata: EnrollmentFacts
}
export type EnrollmentFacts = {
  /** A user changed the day or the clinic: records no longer change them. */
  corrected?: true
  /** Why the row has its end, if no user ended it: it is taken back with its reason. */
  ended?: 'records' | 'death'
  /** The first day of the last period comes from an answer about pregnancy. */
  dated?: true
  /** The moment at which a user gave the end. */
  ended_at?: string
}

export type EnrolmentPatient = {
  primaryClinicId: string | null
  /** `yyyy-MM-dd`. */
  born: string | null
  diedOn: string | null
  origins: readonly Origin[]
  enrollments: readonly Enrollment[]
  /** Answers about pregnancy, newest first. */
  answers: readonly PregnancyAnswer[]
}

type Wanted = Omit<Enrollment, 'id'> & { id: string | null }

const FOREVER = '9999-12-31'
const PREGNANCY_DAYS = 280
const first = <T extends string>(a: T, b: T) => (a < b ? a : b)
const later = <T extends string>(a: T, b: T) => (a > b ? a : b)

/**
 * The enrolments of a patient as the records want them (docs/rules.md, "Programs"): new ones have no
 * id, unchanged ones are returned as they are. The same records give the same rows, in whatever order
 * they arrived.
 */
export const deriveEnrolments = (patient: EnrolmentPatient, today: string): Wanted[] =>
  [
    ...new Set([
      ...patient.origins.map(({ program }) => program),
      ...patient.enrollments.map(({ program }) => program),
    ]),
  ].flatMap((program) => ofProgram(patient, program, today))

function ofProgram(patient: EnrolmentPatient, program: string, today: string): Wanted[] {
  const rows = patient.enrollments.filter((row) => row.program === program)
  const byUsers = rows.filter(({ origin_id, is_deleted }) => origin_id === null && !is_deleted)
  const byRecords = rows.filter(({ origin_id }) => origin_id !== null)
  const closed = rows
    .filter((row) => !row.is_deleted && row.ended_on !== null && !row.metadata.ended)
    .map((row) => row.ended_on!)
    .toSorted()
  const spans = enrolmentSpans(patient, program, closed)

  const used = new Set<string>()
  const wanted = spans.flatMap((span): Wanted[] => {
    const match = byRecords
      .filter((row) => span.ids.includes(row.origin_id!) && !used.has(row.id))
      .toSorted((a, b) => Number(a.is_deleted) - Number(b.is_deleted) || (a.id < b.id ? -1 : 1))[0]
    const isCovered = byUsers.some(
      (row) => row.enrolled_on <= span.end && (row.ended_on ?? FOREVER) >= span.start,
    )
    if (isCovered) return []
    const clinic_id = patient.primaryClinicId ?? span.clinicId
    if (!match && !clinic_id) return []
    if (match) used.add(match.id)
    const isKept = match?.metadata.corrected
    const row: Wanted = {
      id: match?.id ?? null,
      program,
      clinic_id: isKept ? match.clinic_id : (clinic_id ?? match!.clinic_id),
      enrolled_on: isKept ? match.enrolled_on : span.start,
      ended_on: match?.ended_on ?? null,
      end_reason: match?.end_reason ?? null,
      lmp: match?.lmp ?? null,
      origin_id: span.ids[0]!,
      is_deleted: false,
      metadata: match?.metadata ?? {},
    }
    return [settled(patient, row, span.end, today)]
  })
  const rest = byRecords
    .filter(({ id }) => !used.has(id))
    .map((row) => ({ ...row, is_deleted: true }))
  return [...byUsers.map((row) => settled(patient, row, FOREVER, today)), ...wanted, ...rest]
}

type Span = { start: string; end: string; ids: string[]; clinicId: string | null }

/**
 * The times in which records keep the patient in the program: problems that follow each other without
 * a gap are one. What a user ended is over; only a later record begins anew.
 */
function enrolmentSpans(
  patient: EnrolmentPatient,
  program: string,
  closed: readonly string[],
): Span[] {
  const { lasts, until_months } = findProgram(program) ?? {}
  const spans: Span[] = []
  const origins = patient.origins
    .filter((origin) => origin.program === program)
    .filter(({ day }) => !until_months || isBelow(patient.born, day, until_months))
    .toSorted((a, b) => {
      const isFirst = a.day === b.day ? a.id < b.id : a.day < b.day
      return isFirst ? -1 : 1
    })
  for (const { id, day, until, clinicId } of origins) {
    const natural = lasts === undefined ? FOREVER : addDays(day, lasts)
    const over = closed.find((end) => end >= day) ?? FOREVER
    const end = later(day, first(first(until ?? FOREVER, natural), over))
    const last = spans.at(-1)
    if (last && day <= last.end) {
      last.end = later(last.end, end)
      last.ids.push(id)
      last.clinicId ??= clinicId
    } else spans.push({ start: day, end, ids: [id], clinicId })
  }
  return spans
}

const isBelow = (born: string | null, day: string, months: number) =>
  born !== null && monthsBetween(born, day) < months

/** With the dating of a pregnancy, and the end that the records say. An end by a user stays. */
function settled(patient: EnrolmentPatient, row: Wanted, end: string, today: string): Wanted {
  const dated = withDating(patient, row)
  if (row.ended_on && !row.metadata.ended) return dated
  const { ended: _ended, ...facts } = dated.metadata
  const open = { ...dated, ended_on: null, end_reason: null, metadata: facts }
  const ends = [
    ...(end <= today ? [{ on: end, reason: 'completed', ended: 'records' as const }] : []),
    ...pregnancyEnds(patient, dated).filter(({ on }) => on <= today),
    ...(patient.diedOn ? [{ on: patient.diedOn, reason: 'died', ended: 'death' as const }] : []),
  ].toSorted((a, b) => (a.on < b.on ? -1 : 1))
  const [over] = ends
  if (!over) return open
  return {
    ...open,
    ended_on: later(over.on, row.enrolled_on),
    end_reason: over.reason,
    metadata: { ...facts, ended: over.ended },
  }
}

/**
 * The newest date of this pregnancy that an answer gives. The last period of an enrollment dates that enrollment alone,
 * and what was said before a pregnancy ended does not date the next one.
 */
function withDating(patient: EnrolmentPatient, row: Wanted): Wanted {
  if (row.program !== PREGNANCY || (row.lmp !== null && !row.metadata.dated)) return row
  const earliest = addDays(row.enrolled_on, -PREGNANCY_DAYS)
  const latest = row.metadata.ended || !row.ended_on ? FOREVER : row.ended_on
  const end = patient.answers.findIndex(
    (answer) =>
      isEndOfPregnancy(answer) &&
      answer.asked_on <= row.enrolled_on &&
      answer.enrollment_id !== row.id,
  )
  const answer = (end < 0 ? patient.answers : patient.answers.slice(0, end))
    .filter(({ due_on, enrollment_id }) => due_on !== null && enrollment_id === null)
    .filter(({ asked_on }) => asked_on >= earliest && asked_on <= latest)
    .map(({ due_on }) => ({ lmp: addDays(due_on!, -PREGNANCY_DAYS) }))
    .find(({ lmp }) => lmp >= earliest && lmp <= row.enrolled_on)
  const { dated: _dated, ...facts } = row.metadata
  return answer
    ? { ...row, lmp: answer.lmp, metadata: { ...facts, dated: true } }
    : { ...row, lmp: null, metadata: facts }
}

/** A pregnancy ends at birth, or when its weeks are over. */
function pregnancyEnds(patient: EnrolmentPatient, row: Wanted) {
  if (row.program !== PREGNANCY) return []
  const lasts = findProgram(PREGNANCY)!.lasts!
  const births = patient.answers
    .flatMap(({ ended_on }) => (ended_on ? [ended_on] : []))
    .filter((on) => on >= row.enrolled_on)
  return [
    ...births.map((on) => ({ on, reason: 'birth', ended: 'records' as const })),
    {
      on: addDays(row.lmp ?? row.enrolled_on, lasts),
      reason: 'completed',
      ended: 'records' as const,
    },
  ]
}

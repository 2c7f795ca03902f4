import { useFormatter } from 'use-intl'
import type { ReactNode } from 'react'
import {
  hasOutcomes,
  programName,
  findProgram,
  showsPressure,
  SPUTUM_MONTHS,
  TUBERCULOSIS,
} from '~/features/care/programs/programs'
import { Sheet } from '~/ui/Sheet'
import classes from '~/ui/Sheet.module.css'
import { PatientAge } from '~/features/people/patients/PatientAge'
import { isEndReason } from '~/records/enrollment'
import type { Language, MessageKey } from '~/shared/language'
import { type Sayable, useSay } from '~/shared/say'
import { TIME_OF_DAY, useToday } from '~/ui/clock'
import { Day } from '~/ui/Day'
import { isLongText } from '~/ui/RecordText'
import type { DayLine, ProgramLine } from './registers.server'

type Column<Row> = { label: Sayable; cell: (row: Row) => ReactNode }
type Line = Pick<DayLine, 'name' | 'sex' | 'date_of_birth' | 'metadata' | 'phone'>

const sexLabel = ({ sex }: Line): MessageKey | null =>
  sex === 'male' || sex === 'female' ? `patientPage.${sex}` : null

type Props<Row> = {
  organization: string
  clinic: string
  title: Sayable
  aside: ReactNode
  rows: readonly Row[]
  columns: readonly Column<Row>[]
}

/** A page of a register: a numbered line for each row; its head is repeated on each page. */
function Register<Row extends Line & { id: string }>({
  organization,
  clinic,
  title,
  aside,
  rows,
  columns,
}: Props<Row>) {
  const say = useSay()
  const shown: Column<Row>[] = [
    { label: 'paper.name', cell: ({ name }) => <bdi>{name || '—'}</bdi> },
    {
      label: 'patientSearch.sex',
      cell: (row) => {
        const sex = sexLabel(row)
        return sex && say(sex)
      },
    },
    { label: 'patientSearch.age', cell: (row) => <PatientAge patient={row} /> },
    ...columns,
  ]
  return (
    <Sheet
      organization={organization}
      clinic={clinic}
      title={title}
      aside={aside}
      onEveryPage={
        <>
          <b>{say(title)}</b> · <bdi>{clinic}</bdi> · {aside}
        </>
      }
    >
      <div className={classes.part}>
        <table className={`${classes.table} ${classes.small}`}>
          <thead>
            <tr>
              <th scope="col">{say('paper.line')}</th>
              {shown.map(({ label }) => (
                <th key={say(label)} scope="col">
                  {say(label)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, number) => (
              <tr key={row.id}>
                <td>{number + 1}</td>
                {shown.map(({ label, cell }) => (
                  <td key={say(label)}>{cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p>{say('paper.registerEmpty')}</p>}
    </Sheet>
  )
}

type DayProps = { organization: string; clinic: string; day: string; rows: readonly DayLine[] }

/** The outpatient register of a day. */
export function DayRegisterSheet({ organization, clinic, day, rows }: DayProps) {
  const say = useSay()
  const format = useFormatter()
  return (
    <Register
      organization={organization}
      clinic={clinic}
      title="paper.dayRegister"
      aside={<Day value={day} />}
      rows={rows}
      columns={[
        { label: 'paper.time', cell: ({ at }) => format.dateTime(at, TIME_OF_DAY) },
        { label: 'paper.address', cell: ({ camp }) => <bdi>{camp}</bdi> },
        {
          label: 'paper.kindOfVisit',
          cell: ({ is_return }) =>
            is_return === null ? '—' : say(is_return ? 'visits.revisit' : 'visits.new'),
        },
        { label: 'paper.diagnoses', cell: ({ problems }) => <Lines of={problems} /> },
        { label: 'paper.treatment', cell: ({ medicines }) => <Lines of={medicines} /> },
        { label: 'referrals.to_name', cell: ({ referred_to }) => <bdi>{referred_to}</bdi> },
        { label: 'visits.provider', cell: ({ provider_name }) => <bdi>{provider_name}</bdi> },
      ]}
    />
  )
}

const Lines = ({ of }: { of: readonly string[] }) => (
  <div data-long-text={isLongText(of.join('\n')) || undefined}>
    {of.map((text) => (
      <div key={text}>
        <bdi>{text}</bdi>
      </div>
    ))}
  </div>
)

type ProgramProps = {
  organization: string
  clinic: string
  /** Its code. */
  program: string
  language: Language
  rows: readonly ProgramLine[]
}

/** The register of a program: what its paper names, or a column for each of the last twelve months. */
export function ProgramRegisterSheet({
  organization,
  clinic,
  program,
  language,
  rows,
}: ProgramProps) {
  const say = useSay()
  const format = useFormatter()
  const today = useToday()
  const answered = (findProgram(program)?.register ?? []).map(({ concept, names }) => ({
    label: { text: names[language] },
    cell: ({ answers }: ProgramLine) => <bdi>{answers[concept]}</bdi>,
  }))
  const months: readonly string[] = program === TUBERCULOSIS ? SPUTUM_MONTHS : []
  const sputum = months.map((month) => ({
    label: { key: 'paper.sputumOfMonth' as const, values: { month } },
    cell: (row: ProgramLine) => <bdi>{row.sputum[month]}</bdi>,
  }))
  const outcome: Column<ProgramLine> = {
    label: 'paper.outcome',
    cell: ({ ended_on, end_reason }) =>
      ended_on && (
        <>
          {isEndReason(end_reason) && say(`programs.end_${end_reason}`)} <Day value={ended_on} />
        </>
      ),
  }
  return (
    <Register
      organization={organization}
      clinic={clinic}
      title={{ text: programName(program, language) }}
      aside={<Day value={today} />}
      rows={rows}
      columns={[
        { label: 'patientPage.phone', cell: ({ phone }) => <bdi dir="ltr">{phone}</bdi> },
        { label: 'paper.enrolled', cell: ({ enrolled_on }) => <Day value={enrolled_on} /> },
        ...answered,
        ...sputum,
        ...(showsPressure(program) ? lastMonths(today) : []).map((month) => ({
          label: {
            text: format.dateTime(new Date(`${month}-15T12:00:00Z`), {
              month: 'short',
              year: '2-digit',
            }),
          },
          cell: ({ pressures }: ProgramLine) => <bdi dir="ltr">{pressures[month]}</bdi>,
        })),
        {
          label: 'paper.lastVisit',
          cell: ({ last_visit_on }) => last_visit_on && <Day value={last_visit_on} />,
        },
        ...(hasOutcomes(program) ? [outcome] : []),
      ]}
    />
  )
}

/** The twelve months that end with that of the day, `yyyy-MM`. */
function lastMonths(day: string): string[] {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return Array.from({ length: 12 }, (_, at) =>
    new Date(Date.UTC(year, month - 12 + at, 1)).toISOString().slice(0, 7),
  )
}

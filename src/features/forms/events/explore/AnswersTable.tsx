import { Group, Text } from '@mantine/core'
import { answerKind, type FormAnswer } from '~/forms/answers'
import { answerFlaw } from '~/forms/answer-flaws'
import { answerTexts } from '~/forms/answers-text'
import type { EventFormField } from '~/forms/definition'
import { checkAnswerRange } from '~/forms/rules'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import type { Pagination } from '~/ui/Paging'
import { StatusBadge } from '~/ui/StatusBadge'
import { EventMoment } from '../EventMoment'
import { EXPLORE_FILTERS } from './ExploreFilters'
import type { ExploreSearch } from './explore-search'
import type { ExploredColumn, ExploredRow } from './explore.server'
import { ClearFilters, narrowing } from '~/ui/filters'

type Props = {
  columns: readonly ExploredColumn[]
  rows: readonly ExploredRow[]
  pagination: Pagination
  search: ExploreSearch
}

/** Each filled-in form a row, each question a column; questions that are no longer asked stand last. */
export function AnswersTable({ columns, rows, pagination, search }: Props) {
  const say = useSay()
  const isNarrowed = narrowing(search, EXPLORE_FILTERS) > 0
  const rowPatientName = ({ patient }: ExploredRow) => patient || say('patientSearch.unnamed')
  const questions = columns.map(({ question, isAsked }): Column<ExploredRow> => {
    const kind = answerKind(question)
    return {
      key: question.id,
      label: { text: isAsked ? question.name : `${question.name} (${say('explore.gone')})` },
      sortable: kind !== 'files' && kind !== 'medicines' && kind !== 'diagnoses',
      align: kind === 'number' ? 'end' : undefined,
      cell: ({ answers }) =>
        answers[question.id] === undefined ? (
          <Nothing />
        ) : (
          <ShortAnswer question={question} answer={answers[question.id] ?? null} />
        ),
    }
  })
  return (
    <DataTable
      label="explore.title"
      columns={[
        {
          key: 'patient',
          label: 'patients.one',
          sortable: true,
          cell: (row) => <bdi>{rowPatientName(row)}</bdi>,
        },
        {
          key: 'recorded',
          card: 'badge',
          label: 'explore.happened',
          sortable: true,
          cell: (row) => <EventMoment {...row} />,
        },
        {
          key: 'clinic',
          label: 'clinics.one',
          isOfClinic: true,
          sortable: true,
          cell: ({ clinic }) => <bdi>{clinic}</bdi>,
        },
        ...questions,
        {
          key: 'recorded_by',
          label: 'explore.recordedBy',
          cell: ({ recorded_by }) => (recorded_by ? <bdi>{recorded_by}</bdi> : <Nothing />),
        },
      ]}
      rows={rows}
      pagination={pagination}
      rowLink={({ id }) => `/app/events/${id}`}
      nameOf={rowPatientName}
      empty={isNarrowed ? 'explore.noMatch' : 'explore.empty'}
      emptyAction={isNarrowed ? <ClearFilters filters={EXPLORE_FILTERS} /> : undefined}
    />
  )
}

/** What is no longer stays on one line, a day or a number with its unit above all; the rest has two, of this width. */
const FITS = 24

function ShortAnswer({ question, answer }: { question: EventFormField; answer: FormAnswer }) {
  const say = useSay()
  if (question.fieldType === 'file')
    return say({ key: 'events.files', values: { count: [answer].flat().length } })
  const text = answerTexts(question, answer, say).join('; ')
  const isLong = text.length > FITS
  const side = checkAnswerRange(question, answer)
  const flaw = answerFlaw(question, answer)
  return (
    <Group
      gap={6}
      wrap="nowrap"
      justify={answerKind(question) === 'number' ? 'flex-end' : undefined}
    >
      {(side === 'low' || side === 'high') && (
        <StatusBadge tone="warning">{say(`events.${side}`)}</StatusBadge>
      )}
      {flaw && <StatusBadge tone="warning">{say(`events.${flaw}`)}</StatusBadge>}
      {isLong ? (
        <Text fz="inherit" lineClamp={2} miw="min(14rem, 100%)" title={text} dir="auto">
          {text}
        </Text>
      ) : (
        <Text fz="inherit" dir="auto" style={{ whiteSpace: 'nowrap' }}>
          {text}
        </Text>
      )}
    </Group>
  )
}

import { Box, Group, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import { latinDigits } from '~/fields/typed'
import { answerKind } from '~/forms/answers'
import type { EventFormField } from '~/forms/definition'
import { useSay } from '~/shared/say'
import { ClearFilters, DayFilter, named, narrowing, PickFilter, useFilter } from '~/ui/filters'
import type { ExploreSearch } from './explore-search'
import type { ExploredColumn } from './explore.server'

type Props = {
  search: ExploreSearch
  clinics: readonly { id: string; name: string }[]
  columns: readonly ExploredColumn[]
  /** Whose answers alone are shown. */
  patient: { id: string; name: string } | null
}

/** What narrows the answers. */
export const EXPLORE_FILTERS = [
  'clinicId',
  'from',
  'to',
  'patientId',
  'field',
  'value',
  'least',
  'most',
] as const
/** Narrows the answers: by clinic, by day, and by what one question was answered. Every choice is in the address. */
export function ExploreFilters({ search, clinics, columns, patient }: Props) {
  const say = useSay()
  const choose = useFilter<ExploreSearch>()
  const question = columns.find((column) => column.question.id === search.field)?.question
  return (
    <Group gap="sm" align="flex-end" component="section" aria-label={say('explore.filters')}>
      {clinics.length > 1 && (
        <PickFilter
          label="clinics.one"
          any="explore.anyClinic"
          value={search.clinicId}
          onPick={(clinicId) => choose({ clinicId })}
          options={named(clinics)}
          w={{ base: '100%', xs: '12rem' }}
        />
      )}
      <Box w={{ base: '100%', xs: '14rem' }}>
        <PatientPicker
          key={patient?.id}
          label="patients.one"
          value={patient}
          onChange={(one) => choose({ patientId: one?.id })}
        />
      </Box>
      <DayFilter
        {...day}
        label="explore.from"
        value={search.from}
        onPick={(from) => choose({ from })}
      />
      <DayFilter {...day} label="explore.to" value={search.to} onPick={(to) => choose({ to })} />
      <PickFilter
        label="explore.question"
        any="explore.anyQuestion"
        value={question?.id}
        onPick={(field) => choose({ field, value: undefined, least: undefined, most: undefined })}
        options={columns
          .filter((column) => answerKind(column.question) !== 'files')
          .map((column) => ({ value: column.question.id, label: column.question.name }))}
        w={{ base: '100%', xs: '15rem' }}
      />
      {question && <AnswerFilter key={question.id} question={question} search={search} />}
      {narrowing(search, EXPLORE_FILTERS) > 0 && <ClearFilters filters={EXPLORE_FILTERS} />}
    </Group>
  )
}

const day = { w: { base: '46%', xs: '9.5rem' } } as const

/** One of the options, a range of numbers or days, or words. */
function AnswerFilter({ question, search }: { question: EventFormField; search: ExploreSearch }) {
  const choose = useFilter<ExploreSearch>()
  const kind = answerKind(question)
  if (kind === 'date') {
    return (
      <>
        <DayFilter
          {...day}
          label="explore.least"
          value={search.least}
          onPick={(least) => choose({ least })}
        />
        <DayFilter
          {...day}
          label="explore.most"
          value={search.most}
          onPick={(most) => choose({ most })}
        />
      </>
    )
  }
  if (kind === 'number') {
    const onlyNumbers = (text: string) => (Number.isFinite(Number(text)) ? text : '')
    return (
      <>
        <Typed
          label="explore.least"
          value={search.least}
          clean={onlyNumbers}
          onSettle={(least) => choose({ least })}
        />
        <Typed
          label="explore.most"
          value={search.most}
          clean={onlyNumbers}
          onSettle={(most) => choose({ most })}
        />
      </>
    )
  }
  const options = 'options' in question ? question.options : []
  const [ticked] = options
  if (kind === 'choice' || kind === 'choices' || kind === 'tick') {
    return (
      <PickFilter
        label="explore.answer"
        any="form.choose"
        value={search.value}
        onPick={(value) => choose({ value })}
        options={(kind === 'tick' && ticked ? [ticked] : options).map(({ value, label }) => ({
          value,
          label,
        }))}
        w={{ base: '100%', xs: '12rem' }}
      />
    )
  }
  return (
    <Typed label="explore.contains" value={search.value} onSettle={(value) => choose({ value })} />
  )
}

type TypedProps = {
  label: 'explore.least' | 'explore.most' | 'explore.contains'
  value?: string
  clean?: (text: string) => string
  onSettle: (text: string | undefined) => void
}

/** Goes to the address a moment after the last key. */
function Typed({ label, value, clean = (text) => text, onSettle }: TypedProps) {
  const say = useSay()
  const [text, setText] = useState(value ?? '')
  const settle = useDebouncedCallback(
    (typed: string) => onSettle(clean(latinDigits(typed).trim()) || undefined),
    400,
  )
  return (
    <TextInput
      label={say(label)}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        settle(event.currentTarget.value)
      }}
      inputMode={label === 'explore.contains' ? undefined : 'decimal'}
      dir="auto"
      autoComplete="off"
      w={{ base: '46%', xs: label === 'explore.contains' ? '12rem' : '7rem' }}
    />
  )
}

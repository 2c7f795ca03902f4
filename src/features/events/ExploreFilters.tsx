import { Box, Button, Group, Select, TextInput } from '@mantine/core'
import { DateInput } from '@mantine/dates'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { PatientPicker } from '~/features/patients/PatientPicker'
import { dayFrom, latinDigits } from '~/fields/typed'
import { answerKind } from '~/forms/answers'
import type { FormField } from '~/forms/definition'
import { useSay } from '~/shared/say'
import type { ExploreSearch } from './explore'
import type { ExploredColumn } from './explore.server'

type Props = {
  search: ExploreSearch
  clinics: readonly { id: string; name: string }[]
  columns: readonly ExploredColumn[]
  /** Whose answers alone are shown. */
  patient: { id: string; name: string } | null
}

const FILTERS = ['clinicId', 'from', 'to', 'patientId', 'field', 'value', 'least', 'most'] as const
export const narrows = (search: ExploreSearch) => FILTERS.some((name) => search[name] !== undefined)

function useChoose() {
  const navigate = useNavigate()
  return (filter: Partial<ExploreSearch>) =>
    void navigate({
      to: '.',
      search: ((current: object) => ({ ...current, ...filter, page: undefined })) as never,
      replace: true,
      resetScroll: false,
    })
}

/** Narrows the answers: by clinic, by day, and by what one question was answered. Every choice is in the address. */
export function ExploreFilters({ search, clinics, columns, patient }: Props) {
  const say = useSay()
  const choose = useChoose()
  const question = columns.find((column) => column.question.id === search.field)?.question
  const clear = { 'aria-label': say('common.clear') }
  return (
    <Group gap="sm" align="flex-end" component="section" aria-label={say('explore.filters')}>
      {clinics.length > 1 && (
        <Select
          label={say('clinics.one')}
          placeholder={say('explore.anyClinic')}
          value={search.clinicId ?? null}
          onChange={(value) => choose({ clinicId: value ?? undefined })}
          data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
          searchable
          clearable
          clearButtonProps={clear}
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
      <Day name="from" value={search.from} onChange={(from) => choose({ from })} />
      <Day name="to" value={search.to} onChange={(to) => choose({ to })} />
      <Select
        label={say('explore.question')}
        placeholder={say('explore.anyQuestion')}
        value={question?.id ?? null}
        onChange={(field) => choose({ field: field ?? undefined, value: undefined, least: undefined, most: undefined })}
        data={columns
          .filter((column) => answerKind(column.question) !== 'files')
          .map((column) => ({ value: column.question.id, label: column.question.name }))}
        searchable
        clearable
        clearButtonProps={clear}
        w={{ base: '100%', xs: '15rem' }}
      />
      {question && <AnswerFilter key={question.id} question={question} search={search} />}
      {narrows(search) && <ClearFilters />}
    </Group>
  )
}

type DayProps = { name: 'from' | 'to' | 'least' | 'most'; value?: string; onChange: (day: string | undefined) => void }

function Day({ name, value, onChange }: DayProps) {
  const say = useSay()
  return (
    <DateInput
      label={say(`explore.${name}`)}
      value={value ?? null}
      onChange={(day) => onChange(day ?? undefined)}
      valueFormat="YYYY-MM-DD"
      placeholder="YYYY-MM-DD"
      dateParser={dayFrom}
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      w={{ base: '46%', xs: '9.5rem' }}
    />
  )
}

/** One of the options, a range of numbers or days, or words. */
function AnswerFilter({ question, search }: { question: FormField; search: ExploreSearch }) {
  const say = useSay()
  const choose = useChoose()
  const kind = answerKind(question)
  if (kind === 'date') {
    return (
      <>
        <Day name="least" value={search.least} onChange={(least) => choose({ least })} />
        <Day name="most" value={search.most} onChange={(most) => choose({ most })} />
      </>
    )
  }
  if (kind === 'number') {
    const onlyNumbers = (text: string) => (Number.isFinite(Number(text)) ? text : '')
    return (
      <>
        <Typed label="explore.least" value={search.least} clean={onlyNumbers} onSettle={(least) => choose({ least })} />
        <Typed label="explore.most" value={search.most} clean={onlyNumbers} onSettle={(most) => choose({ most })} />
      </>
    )
  }
  const options = 'options' in question ? question.options : []
  const [ticked] = options
  if (kind === 'choice' || kind === 'choices' || kind === 'tick') {
    return (
      <Select
        label={say('explore.answer')}
        placeholder={say('form.choose')}
        value={search.value ?? null}
        onChange={(value) => choose({ value: value ?? undefined })}
        data={(kind === 'tick' && ticked ? [ticked] : options).map(({ value, label }) => ({ value, label }))}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': say('common.clear') }}
        w={{ base: '100%', xs: '12rem' }}
      />
    )
  }
  return <Typed label="explore.contains" value={search.value} onSettle={(value) => choose({ value })} />
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
  const settle = useDebouncedCallback((typed: string) => onSettle(clean(latinDigits(typed).trim()) || undefined), 400)
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

export function ClearFilters() {
  const say = useSay()
  const choose = useChoose()
  return (
    <Button variant="default" onClick={() => choose(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}>
      {say('explore.clear')}
    </Button>
  )
}

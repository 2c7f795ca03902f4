import { TextInput } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { ageOn, type Birth, birthFrom, dayOfClock, FIRST_DAY, latestDay } from '../birth'
import { useFrame } from '../frame'
import { IsoDay } from '../IsoDay'
import { type CellProps, type InputProps, type Kind, typed } from '../kind'

/** Typed in whatever shape people know it; what was understood stands below before anything is saved. */
function Input(props: InputProps) {
  const say = useSay()
  const understood = useUnderstood()
  const text = typed(props.value)
  const birth = birthFrom(text, dayOfClock())
  const { description: _hint, ...frame } = useFrame(props)
  // the complaint says what can be typed; saying it twice helps nobody
  const hint = frame.error ? '' : say(props.field.hint ?? 'form.birthHint')
  return (
    <TextInput
      {...frame}
      description={<span aria-live="polite">{birth ? understood(birth) : hint}</span>}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      value={text}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      dir="ltr"
      autoComplete="off"
    />
  )
}

/** "17 May 1990 · 36 years"; "about 1992 · 34 years" where only a year or an age is known. */
function useUnderstood() {
  const say = useSay()
  const format = useFormatter()
  return ({ day, precision }: Birth) => {
    if (day < FIRST_DAY) return say('validation.tooEarly')
    if (day > latestDay()) return say('validation.inFuture')
    const years = ageOn(day, dayOfClock())
    const age = say({ key: 'form.years', values: { count: Math.max(0, years) } })
    const date = format.dateTime(new Date(`${day}T00:00:00Z`), { dateStyle: 'long', timeZone: 'UTC' })
    if (precision === 'day') return `${date} · ${age}`
    return say({
      key: precision === 'year' ? 'form.bornInYear' : 'form.bornAbout',
      values: { year: day.slice(0, 4), age },
    })
  }
}

function Cell({ value }: CellProps) {
  const say = useSay()
  const birth = birthFrom(typed(value), dayOfClock())
  if (!birth) return <bdi>{typed(value)}</bdi>
  if (birth.precision !== 'day') return <bdi>{say({ key: 'form.about', values: { year: birth.day.slice(0, 4) } })}</bdi>
  return <IsoDay day={birth.day} />
}

export const birthDate: Kind = { Input, Cell, toText: typed, fhirType: 'date' }

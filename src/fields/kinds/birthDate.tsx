import { TextInput } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { daysBetween } from '~/shared/zone'
import {
  ageOn,
  ageRangeInMonths,
  type Birth,
  birthChoices,
  birthFrom,
  dayOfClock,
  FIRST_BIRTH_DAY,
  isAgeOfZero,
  isVague,
  latestDay,
} from '../birth'
import { useFrame } from '../frame'
import { IsoDay } from '../IsoDay'
import { WhichDay } from '../WhichDay'
import { type CellProps, type InputProps, type FieldKindSpec, typed } from '../kind'

/** A birth, typed as a day, a year or an age. The text below the input says how it was read. */
function Input(props: InputProps) {
  const say = useSay()
  const understood = useUnderstood()
  const text = typed(props.value)
  const birth = birthFrom(text, dayOfClock())
  const { description: _hint, ...given } = useFrame(props)
  const either = birthChoices(text)
  const frame = either
    ? { ...given, error: say('validation.whichDay'), 'aria-invalid': true }
    : given
  // the error says what can be typed; it is not repeated
  const hint = frame.error
    ? ''
    : say(isAgeOfZero(text) ? 'validation.ageOfZero' : (props.field.hint ?? 'form.birthHint'))
  return (
    <div>
      <TextInput
        {...frame}
        description={<span aria-live="polite">{birth ? understood(birth) : hint}</span>}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        value={text}
        onChange={(event) => props.onChange(event.currentTarget.value)}
        dir="ltr"
        autoComplete="off"
      />
      {either && <WhichDay days={either} onChoose={props.onChange} disabled={props.disabled} />}
    </div>
  )
}

/** "17 May 1990 · 36 years"; "about 1992 · 34 years" where only a year or an age is known. */
function useUnderstood() {
  const say = useSay()
  const format = useFormatter()
  /** Days of a newborn, months of a small child, else years. */
  const ageText = (day: string) => {
    const months = ageRangeInMonths({ day, precision: 'day' }, dayOfClock())[0]
    if (months < 2) {
      const days = daysBetween(day, dayOfClock())
      return say({ key: 'patientPage.days', values: { count: Math.max(0, days) } })
    }
    if (months < 24) return say({ key: 'patientPage.months', values: { count: months } })
    return say({ key: 'form.years', values: { count: ageOn(day, dayOfClock()) } })
  }
  return ({ day, precision }: Birth) => {
    if (day < FIRST_BIRTH_DAY) return say('validation.tooEarly')
    if (day > latestDay()) return say('validation.inFuture')
    const [youngest, oldest] = ageRangeInMonths({ day, precision }, dayOfClock())
    const age = isVague({ day, precision }, dayOfClock())
      ? say({
          key: 'patientPage.ageBetween',
          values: { from: Math.max(0, youngest), to: Math.max(0, oldest) },
        })
      : ageText(day)
    const date = format.dateTime(new Date(`${day}T00:00:00Z`), {
      dateStyle: 'long',
      timeZone: 'UTC',
    })
    if (precision === 'day') return `${date} · ${age}`
    if (precision === 'week' || precision === 'month')
      return say({ key: 'form.bornAbout', values: { year: date, age } })
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
  if (birth.precision === 'week' || birth.precision === 'month')
    return (
      <bdi>
        ~<IsoDay day={birth.day} />
      </bdi>
    )
  if (birth.precision !== 'day')
    return <bdi>{say({ key: 'form.about', values: { year: birth.day.slice(0, 4) } })}</bdi>
  return <IsoDay day={birth.day} />
}

export const birthDate: FieldKindSpec = { Input, Cell, toText: typed, fhirType: 'date' }

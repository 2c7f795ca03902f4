import { TextInput } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { useSay } from '~/shared/say'
import { useFrame } from '../frame'
import { IsoDay } from '../IsoDay'
import { type CellProps, type InputProps, type Kind, typed } from '../kind'
import { dayFrom } from '../typed'

const DatePicker = lazy(() => import('./DatePicker'))

/** Typed or picked. Shown year first, the one order that nobody reads as another. */
function Input(props: InputProps) {
  const say = useSay()
  const frame = useFrame(props)
  const look = {
    ...frame,
    description: frame.description ?? say('form.dateHint'),
    leftSection: <IconCalendar size={16} aria-hidden />,
    placeholder: 'YYYY-MM-DD',
    autoComplete: 'off',
  }
  const day = dayFrom(typed(props.value))
  return (
    // the same to look at while the calendar is on its way
    <Suspense fallback={<TextInput {...look} value={day ?? ''} readOnly />}>
      <DatePicker
        {...look}
        value={day}
        onChange={props.onChange}
        valueFormat="YYYY-MM-DD"
        dateParser={dayFrom}
        clearable={!props.field.required}
        clearButtonProps={{ 'aria-label': say('common.clear') }}
      />
    </Suspense>
  )
}

/** As it is written into the box and on phones (specification, section 3); what is no day is shown as it stands. */
function Cell({ value }: CellProps) {
  const day = dayFrom(typed(value))
  return day ? <IsoDay day={day} /> : <bdi>{typed(value)}</bdi>
}

export const date: Kind = { Input, Cell, toText: typed, fhirType: 'date' }

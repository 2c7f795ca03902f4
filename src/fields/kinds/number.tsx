import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { useFrame } from '../frame'
import { type CellProps, type InputProps, type FieldKindSpec, typed } from '../kind'
import { isAmbiguousNumber, numberFrom, numberText } from '../typed'

/** A plain text box: a spin button changes a dose when the page is scrolled, and refuses Arabic digits. */
function Input(props: InputProps) {
  const [draft, setDraft] = useState(typed(props.value))
  const { limits } = props.field
  // a value set from outside wins, but "1." is left alone while it is being typed
  const text = numberFrom(draft, limits) === (props.value ?? null) ? draft : typed(props.value)
  return (
    <TextInput
      {...useFrame(props)}
      value={text}
      onChange={(event) => {
        setDraft(event.currentTarget.value)
        props.onChange(numberFrom(event.currentTarget.value, limits))
      }}
      onBlur={() => {
        // how "3.450" was read is shown: 3.45
        if (isAmbiguousNumber(draft)) setDraft(typed(props.value))
        props.onBlur?.()
      }}
      inputMode="decimal"
      dir="ltr"
      autoComplete="off"
    />
  )
}

function Cell({ value }: CellProps) {
  const format = useFormatter()
  return (
    <bdi>
      {typeof value === 'number'
        ? format.number(value, { maximumFractionDigits: 6 })
        : typed(value)}
    </bdi>
  )
}

export const numberKind: FieldKindSpec = {
  Input,
  Cell,
  toText: (value) => (typeof value === 'number' ? numberText(value) : typed(value)),
  fhirType: 'decimal',
}

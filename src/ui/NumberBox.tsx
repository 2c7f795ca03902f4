import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { isAmbiguousNumber, numberFrom } from '~/fields/typed'
import { useSay } from '~/shared/say'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'defaultValue'> & {
  value: number | '' | null | undefined
  /** "" while the text is not a number: `isReadable` tells this from an empty box. */
  onChange: (value: number | '') => void
  /** Where a number beyond it is brought once the box is left. */
  min?: number
  max?: number
  /** What counts once the box is left without a number in it. */
  fallback?: number
}

/** Whether a text is empty or one number. */
export const isReadable = (text: string) => typeof numberFrom(text) !== 'string'

/**
 * A box for one number, outside of `FieldForm`. A plain text box, as the kind of field is: a spin button loses "2." on
 * the way to "2.5", refuses Arabic digits, and changes a dose when the page is scrolled.
 */
export function NumberBox({ value, onChange, min, max, fallback, error, ...look }: Props) {
  const say = useSay()
  const known = value ?? ''
  /** The text while it is typed; null once the box was left. */
  const [typed, setTyped] = useState<string | null>(null)

  // "1,000" or "abc" is never replaced by the fallback: it stays with its error until it is corrected
  const isWrong = known === '' && typed !== null && !isReadable(typed)
  const [isLeft, setIsLeft] = useState(false)
  /** What was typed beyond `min` or `max`, once the nearest value has taken its place. */
  const [outside, setOutside] = useState<number | null>(null)

  function leave() {
    setIsLeft(true)
    if (isWrong) return
    setTyped(null)
    const settled =
      known === '' ? (fallback ?? '') : Math.max(min ?? known, Math.min(max ?? known, known))
    if (settled === known) return
    if (known !== '') setOutside(known)
    onChange(settled)
  }

  return (
    <TextInput
      {...look}
      error={
        isWrong && isAmbiguousNumber(typed)
          ? say('validation.ambiguousNumber')
          : isWrong && isLeft
            ? say('validation.number')
            : outside !== null && known !== ''
              ? say({ key: 'validation.outside', values: { typed: outside, value: known } })
              : error
      }
      value={typed ?? String(known)}
      onChange={(event) => {
        const text = event.currentTarget.value
        const number = numberFrom(text)
        setTyped(text)
        setIsLeft(false)
        setOutside(null)
        onChange(typeof number === 'number' ? number : '')
      }}
      onBlur={leave}
      inputMode="decimal"
      dir="ltr"
      autoComplete="off"
    />
  )
}

import { TextInput, type TextInputProps } from '@mantine/core'
import { type FocusEvent, useState } from 'react'
import { isAmbiguousNumber, numberFrom } from '~/fields/typed'
import { useSay } from '~/shared/say'
import { REFUSES } from '~/fields/refuses'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'defaultValue'> & {
  value: number | '' | null | undefined
  /** "" for an empty box; NaN for a text that is not one number: no check of values accepts it. */
  onChange: (value: number | '') => void
  /** Where a number beyond it is brought once the box is left. */
  min?: number
  max?: number
  /** "7.5" is not one either. */
  isWhole?: boolean
  /** The value of a box that is left empty. */
  fallback?: number
}

/**
 * A box for one number, outside of `FieldForm`. A plain text box, as the kind of field is: a spin button loses "2." on
 * the way to "2.5", refuses Arabic digits, and changes a dose when the page is scrolled.
 *
 * Red means that the form is not saved (`REFUSES`, read by `useFormState`): "1,000" and "abc" stay as typed, with their
 * error, until they are corrected. A number that the box changes itself, the fallback or the nearest possible one, is
 * shown with what was changed; a save in the same moment is refused once, so that the user has seen it.
 */
export function NumberBox({ value, onChange, min, max, fallback, isWhole, error, ...look }: Props) {
  const say = useSay()
  const known = value ?? ''
  /** The text while it is typed, or while it is not a number; else null. */
  const [typed, setTyped] = useState<string | null>(null)
  const [isFocused, setFocused] = useState(false)
  /** Since the last letter: "-" is on the way to a number. */
  const [wasLeft, setWasLeft] = useState(true)
  /** What was typed where the box has put another value. */
  const [replaced, setReplaced] = useState<{ typed: number | ''; isSeen: boolean } | null>(null)

  const isUnreadable =
    Number.isNaN(known) || (known === '' && typed !== null && typeof numberFrom(typed) === 'string')
  const nearest =
    known === '' ? (fallback ?? '') : Math.max(min ?? known, Math.min(max ?? known, known))
  const settled = isUnreadable ? known : nearest
  const isReplaced = replaced !== null && known !== '' && !isUnreadable

  function leave({ currentTarget: box, relatedTarget: next }: FocusEvent) {
    // in the next box the user is still at the form; a button may save it
    const staysAtForm = next instanceof HTMLElement && !next.matches('button')
    function settle() {
      // a refused save may have brought the focus back
      const isBack = box === document.activeElement
      setFocused(isBack)
      setWasLeft(true)
      if (isUnreadable) return
      setTyped(null)
      const isSeen = staysAtForm || isBack
      setReplaced(settled === known ? null : { typed: known, isSeen })
      if (settled !== known) onChange(settled)
    }
    // a sentence that appears below the box would move what is being pressed away from the pointer
    const isPressed = next instanceof HTMLElement && next.matches(':active')
    if (isPressed) window.addEventListener('pointerup', () => setTimeout(settle), { once: true })
    else settle()
  }

  const notNumber = () =>
    say(typeof numberFrom(typed ?? '') === 'number' ? 'vitals.whole' : 'validation.number')
  let unreadable: string | undefined
  if (isUnreadable && isAmbiguousNumber(typed)) unreadable = say('validation.ambiguousNumber')
  else if (isUnreadable && wasLeft) unreadable = notNumber()
  const change =
    isReplaced &&
    say(
      replaced.typed === ''
        ? { key: 'validation.emptied', values: { value: known } }
        : { key: 'validation.outside', values: { typed: replaced.typed, value: known } },
    )
  const shownError = unreadable ?? (isReplaced && !replaced.isSeen ? change : error)
  const isRefused =
    isUnreadable || (isFocused && settled !== known) || (isReplaced && !replaced.isSeen)
  const text = typed !== null && (isFocused || isUnreadable) ? typed : String(known)

  return (
    <TextInput
      {...look}
      {...(isReplaced && replaced.isSeen && { description: change })}
      {...{ [REFUSES]: isRefused || undefined }}
      error={shownError}
      aria-invalid={Boolean(shownError) || look['aria-invalid']}
      value={Number.isNaN(known) && typed === null ? '' : text}
      onChange={(event) => {
        const next = event.currentTarget.value
        const number = numberFrom(next)
        setTyped(next)
        setWasLeft(false)
        setReplaced(null)
        const isNumber = typeof number === 'number' && (!isWhole || Number.isInteger(number))
        const otherwise = number === null ? '' : Number.NaN
        onChange(isNumber ? number : otherwise)
      }}
      onFocus={() => {
        setFocused(true)
        setReplaced((one) => one && { ...one, isSeen: true })
      }}
      onBlur={leave}
      inputMode="decimal"
      dir="ltr"
      autoComplete="off"
    />
  )
}

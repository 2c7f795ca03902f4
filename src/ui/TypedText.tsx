import { Textarea, TextInput, type TextInputProps } from '@mantine/core'
import { type Ref, startTransition, useState } from 'react'
import classes from './TypedText.module.css'

type Props = Pick<
  TextInputProps,
  | 'label'
  | 'aria-label'
  | 'aria-required'
  | 'placeholder'
  | 'error'
  | 'lang'
  | 'dir'
  | 'withAsterisk'
  | 'onKeyDown'
> & {
  value: string
  /** Called for every key; the screen around may follow later. */
  onType: (text: string) => void
  /** Of several lines. */
  long?: boolean
  /** Without a label above, in a row of others. */
  inRow?: boolean
  inputRef?: Ref<HTMLInputElement & HTMLTextAreaElement>
}

/**
 * A text input that updates at once while the rest of the screen follows: a form may have hundreds
 * of fields.
 */
export function TypedText({ value, onType, long, inRow, inputRef, ...others }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const props = {
    ...others,
    ref: inputRef,
    value: typed ?? value,
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => {
      setTyped(event.currentTarget.value)
      onType(event.currentTarget.value)
    },
    // with the last text typed, not the one before
    onBlur: () => startTransition(() => setTyped(null)),
  }
  if (long)
    return (
      <Textarea
        {...(props as object)}
        classNames={{ input: classes.long }}
        resize="vertical"
        maxLength={2000}
      />
    )
  return <TextInput {...props} maxLength={200} {...(inRow && { size: 'sm', flex: 1, miw: 0 })} />
}

import {
  type ComboboxData,
  getOptionsLockup,
  getParsedComboboxData,
  MultiSelect,
  type MultiSelectProps,
  Select,
  type SelectProps,
} from '@mantine/core'
import { useUntaken } from './untaken'

/**
 * A list of options to choose one from. One that is searched by typing keeps a text that was left without choosing, in
 * red, and the form around it is not saved (docs/rules.md, "Lists of options").
 */
export function PickList(props: SelectProps) {
  return props.searchable ? <SearchedList {...props} /> : <Select {...props} />
}

function SearchedList({ onBlur, onOptionSubmit, error, ...props }: SelectProps) {
  const label = labelIn(props.data ?? [], props.value)
  const { leave, restore, ...box } = useUntaken(label, error, props)
  return (
    <Select
      {...props}
      {...box}
      onOptionSubmit={(value) => {
        if (value === props.value) restore()
        onOptionSubmit?.(value)
      }}
      onBlur={(event) => {
        leave()
        onBlur?.(event)
      }}
    />
  )
}

/** The same for a list to choose several from. */
export function PickSeveral(props: MultiSelectProps) {
  return props.searchable ? <SearchedSeveral {...props} /> : <MultiSelect {...props} />
}

function SearchedSeveral({ onBlur, error, ...props }: MultiSelectProps) {
  const { leave, restore: _restore, ...box } = useUntaken('', error, props)
  return (
    <MultiSelect
      {...props}
      {...box}
      onBlur={(event) => {
        leave()
        onBlur?.(event)
      }}
    />
  )
}

/** The label of the chosen option; empty if none is chosen. */
const labelIn = (data: ComboboxData, value: SelectProps['value']): string =>
  getOptionsLockup(getParsedComboboxData(data))[String(value)]?.label ?? ''

import { Group, Radio } from '@mantine/core'
import { type KeyboardEvent, useRef } from 'react'
import { PickList } from '../PickList'
import { useSay } from '~/shared/say'
import { optionByKey, findOption } from '../choice'
import type { Option } from '../field'
import { useFrame } from '../frame'
import { keepEnter } from '../keep-enter'
import { type CellProps, type InputProps, type FieldKindSpec, typed } from '../kind'

/** As many as fit on one line. More of them are looked up by typing. */
const FITS_ON_A_LINE = 4

function Input(props: InputProps) {
  const options = props.options ?? props.field.options ?? []
  return options.length <= FITS_ON_A_LINE ? (
    <OneKey {...props} options={options} />
  ) : (
    <FromList {...props} options={options} />
  )
}

/** All options in sight: the first letter of one, or its number, is the answer. */
export function OneKey({ options = [], ...props }: InputProps & { options?: readonly Option[] }) {
  const say = useSay()
  const group = useRef<HTMLDivElement>(null)
  const {
    'aria-invalid': isBad,
    'aria-required': _required,
    onBlur,
    disabled,
    name,
    ...frame
  } = useFrame(props)
  const shown = options.map((option) => ({ ...option, shown: say(option.label) }))
  const value = findOption(options, props.value)?.value ?? null

  function answer(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if ((event.key === 'Delete' || event.key === 'Backspace') && !props.field.required)
      return props.onChange(null)
    const found = optionByKey(shown, event.key, value)
    if (found === undefined) return
    event.preventDefault()
    props.onChange(found)
    const at = options.findIndex((option) => option.value === found)
    group.current?.querySelectorAll('input').item(at)?.focus()
  }

  return (
    <Radio.Group
      {...frame}
      ref={group}
      name={name}
      value={value}
      onChange={props.onChange}
      onBlur={onBlur}
      onKeyDown={answer}
    >
      <Group gap="lg" mih="2.25rem" py={6} align="center">
        {shown.map(({ value: option, shown: label }) => (
          <Radio
            key={option}
            value={option}
            label={<bdi>{label}</bdi>}
            disabled={disabled}
            aria-invalid={isBad}
          />
        ))}
      </Group>
    </Radio.Group>
  )
}

function FromList({ options = [], ...props }: InputProps & { options?: readonly Option[] }) {
  const say = useSay()
  const frame = useFrame(props)
  const chosen = findOption(options, props.value)
  return (
    <PickList
      {...frame}
      value={chosen?.value ?? null}
      onChange={props.onChange}
      data={options.map(({ value, label }) => ({ value, label: say(label) }))}
      searchable
      onKeyDown={keepEnter}
      clearable={!props.field.required}
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      allowDeselect={false}
      placeholder={say('form.choose')}
      nothingFoundMessage={say('form.nothingFound')}
      comboboxProps={{ shadow: 'md' }}
    />
  )
}

function Cell({ field, value, options = field.options ?? [] }: CellProps) {
  const say = useSay()
  const found = findOption(options, value)
  return <bdi>{found ? say(found.label) : typed(value)}</bdi>
}

export const choice: FieldKindSpec = {
  Input,
  Cell,
  toText: (value, field, say) => {
    const found = findOption(field.options ?? [], value)
    return found ? say(found.label) : typed(value)
  },
  fhirType: 'choice',
}

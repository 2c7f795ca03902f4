import { Checkbox, Group } from '@mantine/core'
import { Fragment } from 'react'
import { PickSeveral } from '../PickList'
import { useSay } from '~/shared/say'
import { findOption } from '../choice'
import type { Option } from '../field'
import { useFrame } from '../frame'
import { type CellProps, type InputProps, isEmpty, type FieldKindSpec } from '../kind'

/** As many as can be looked over. More of them are looked up by typing. */
const FITS_AT_A_GLANCE = 8

const toStrings = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
/** Answers by the options' own values; one that is no option any more stays as it was written. */
const optionValues = (value: unknown, options: readonly Option[]) =>
  toStrings(value).map((answer) => findOption(options, answer)?.value ?? answer)

function Input(props: InputProps) {
  const say = useSay()
  const {
    onBlur,
    disabled,
    name,
    'aria-invalid': isBad,
    'aria-required': _required,
    ...frame
  } = useFrame(props)
  const options = props.options ?? props.field.options ?? []
  const value = optionValues(props.value, options)
  const gone = value.filter((answer) => !options.some((option) => option.value === answer))
  const data = [
    ...options.map((option) => ({ value: option.value, label: say(option.label) })),
    ...gone.map((answer) => ({ value: answer, label: answer })),
  ]
  if (data.length > FITS_AT_A_GLANCE) {
    return (
      <PickSeveral
        {...frame}
        name={name}
        aria-invalid={isBad}
        disabled={disabled}
        onBlur={onBlur}
        value={value}
        onChange={props.onChange}
        data={data}
        searchable
        hidePickedOptions
        nothingFoundMessage={say('form.nothingFound')}
        comboboxProps={{ shadow: 'md' }}
      />
    )
  }
  return (
    <Checkbox.Group {...frame} value={value} onChange={props.onChange} onBlur={onBlur}>
      <Group gap="lg" mih="2.25rem" py={6} align="center">
        {data.map(({ value: option, label }) => (
          <Checkbox
            key={option}
            value={option}
            label={<bdi>{label}</bdi>}
            disabled={disabled}
            aria-invalid={isBad}
          />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

function Cell({ field, value, options = field.options ?? [] }: CellProps) {
  const say = useSay()
  return saidEach(value, options, say).map((text, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- two equal texts are two answers
    <Fragment key={at}>
      {at > 0 && '; '}
      <bdi>{text}</bdi>
    </Fragment>
  ))
}

const saidEach = (
  value: unknown,
  options: readonly Option[],
  say: (what: Option['label']) => string,
) =>
  toStrings(value).map((answer) => {
    const found = findOption(options, answer)
    return found ? say(found.label) : answer
  })

export const choices: FieldKindSpec = {
  Input,
  Cell,
  toText: (value, field, say) =>
    isEmpty(value) ? '' : saidEach(value, field.options ?? [], say).join('; '),
  fhirType: 'choice',
}

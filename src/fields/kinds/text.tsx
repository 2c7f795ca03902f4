import { TextInput } from '@mantine/core'
import { useFrame } from '../frame'
import { type FieldKindSpec, typed } from '../kind'

/** A phone number or an id has no letter that gives it a direction: it reads from the left, also in an Arabic form. */
const typingDirection = (value: string) => (value !== '' && !/\p{L}/u.test(value) ? 'ltr' : 'auto')

export const textKind: FieldKindSpec = {
  Input: (props) => (
    <TextInput
      {...useFrame(props)}
      value={typed(props.value)}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      dir={typingDirection(typed(props.value))}
      autoComplete="off"
    />
  ),
  // people write names in either script on one screen: each decides its own direction
  Cell: ({ value }) => <bdi>{typed(value)}</bdi>,
  toText: typed,
  fhirType: 'string',
}

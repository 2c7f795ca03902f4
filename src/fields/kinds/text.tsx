import { TextInput } from '@mantine/core'
import { useFrame } from '../frame'
import { type Kind, typed } from '../kind'

export const text: Kind = {
  Input: (props) => (
    <TextInput
      {...useFrame(props)}
      value={typed(props.value)}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      dir="auto"
      autoComplete="off"
    />
  ),
  // people write names in either script on one screen: each decides its own direction
  Cell: ({ value }) => <bdi>{typed(value)}</bdi>,
  toText: typed,
  fhirType: 'string',
}

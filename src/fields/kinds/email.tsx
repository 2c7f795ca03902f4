import { TextInput } from '@mantine/core'
import { useFrame } from '../frame'
import { type FieldKindSpec, typed } from '../kind'

export const emailKind: FieldKindSpec = {
  Input: (props) => (
    <TextInput
      {...useFrame(props)}
      value={typed(props.value)}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      type="email"
      inputMode="email"
      dir="ltr"
      autoCapitalize="none"
      spellCheck={false}
      autoComplete={props.name === 'email' ? 'email' : 'off'}
    />
  ),
  Cell: ({ value }) => <bdi dir="ltr">{typed(value)}</bdi>,
  toText: typed,
  fhirType: 'string',
}

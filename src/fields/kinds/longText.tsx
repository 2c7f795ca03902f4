import { Text, Textarea } from '@mantine/core'
import { useFrame } from '../frame'
import { type FieldKindSpec, typed } from '../kind'

export const longTextKind: FieldKindSpec = {
  Input: (props) => (
    <Textarea
      {...useFrame(props)}
      value={typed(props.value)}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      dir="auto"
      autosize
      minRows={3}
      maxRows={12}
    />
  ),
  Cell: ({ value }) => (
    <Text component="bdi" size="sm" style={{ whiteSpace: 'pre-wrap' }}>
      {typed(value)}
    </Text>
  ),
  toText: typed,
  fhirType: 'text',
}

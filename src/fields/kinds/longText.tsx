import { Text, Textarea } from '@mantine/core'
import { useFrame } from '../frame'
import { type Kind, typed } from '../kind'

export const longText: Kind = {
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

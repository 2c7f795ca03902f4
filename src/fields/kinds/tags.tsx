import { Badge, Group, TagsInput } from '@mantine/core'
import { useSay } from '~/shared/say'
import { useFrame } from '../frame'
import type { InputProps, FieldKindSpec } from '../kind'

const toStrings = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

function Input(props: InputProps) {
  const say = useSay()
  const frame = useFrame(props)
  return (
    <TagsInput
      {...frame}
      description={frame.description ?? say('form.tagsHint')}
      value={toStrings(props.value)}
      onChange={props.onChange}
      data={props.options?.map(({ value }) => value)}
      // a word typed without Enter is meant all the same
      acceptValueOnBlur
      splitChars={[',', '،', ';']}
      dir="auto"
    />
  )
}

export const tagsKind: FieldKindSpec = {
  Input,
  Cell: ({ value }) => (
    <Group gap={4}>
      {toStrings(value).map((word) => (
        <Badge
          key={word}
          variant="default"
          tt="none"
          fw={500}
          styles={{ label: { overflow: 'visible' } }}
        >
          <bdi>{word}</bdi>
        </Badge>
      ))}
    </Group>
  ),
  toText: (value) => toStrings(value).join('; '),
  fhirType: 'string',
}

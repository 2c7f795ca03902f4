import { Switch } from '@mantine/core'
import { useSay } from '~/shared/say'
import { useFrame } from '../frame'
import type { CellProps, InputProps, FieldKindSpec } from '../kind'

function Input(props: InputProps) {
  const { withAsterisk: _mark, 'aria-required': _required, ...frame } = useFrame(props)
  return (
    <Switch
      {...frame}
      checked={props.value === true}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  )
}

function Cell({ value }: CellProps) {
  const say = useSay()
  return typeof value === 'boolean' ? say(value ? 'common.yes' : 'common.no') : null
}

export const booleanKind: FieldKindSpec = {
  Input,
  Cell,
  toText: (value, _field, say) =>
    typeof value === 'boolean' ? say(value ? 'common.yes' : 'common.no') : '',
  fhirType: 'boolean',
}

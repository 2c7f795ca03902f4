import { PickList } from '../PickList'
import { useSay } from '~/shared/say'
import type { Option } from '../field'
import { useFrame } from '../frame'
import { keepEnter } from '../keep-enter'
import { type CellProps, type InputProps, type FieldKindSpec, typed } from '../kind'

/** More than this, and typing finds an option sooner than looking does. */
const FITS_AT_A_GLANCE = 7

function Input(props: InputProps) {
  const say = useSay()
  const options = props.options ?? props.field.options ?? []
  const frame = useFrame(props)
  return (
    <PickList
      {...frame}
      value={typed(props.value) || null}
      onChange={props.onChange}
      data={options.map(({ value, label }) => ({ value, label: say(label) }))}
      searchable={options.length > FITS_AT_A_GLANCE}
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

function Cell({ field, value, options = field.options }: CellProps) {
  const say = useSay()
  const label = chosenOptionLabel(value, options)
  return <bdi>{label ? say(label) : typed(value)}</bdi>
}

const chosenOptionLabel = (value: unknown, options: readonly Option[] = []) =>
  options.find((option) => option.value === value)?.label

export const selectKind: FieldKindSpec = {
  Input,
  Cell,
  toText: (value, field, say) => {
    const label = chosenOptionLabel(value, field.options)
    return label ? say(label) : typed(value)
  },
  fhirType: 'choice',
}

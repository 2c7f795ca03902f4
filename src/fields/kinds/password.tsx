import { PasswordInput } from '@mantine/core'
import { useSay } from '~/shared/say'
import { useFrame } from '../frame'
import { type InputProps, type FieldKindSpec, typed } from '../kind'

function Input(props: InputProps) {
  const say = useSay()
  return (
    <PasswordInput
      {...useFrame(props)}
      value={typed(props.value)}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      dir="ltr"
      // a browser may offer to keep a new one; signing in names its field `password`
      autoComplete={props.name === 'password' ? 'current-password' : 'new-password'}
      visibilityToggleButtonProps={{
        'aria-label': say('form.showPassword'),
        tabIndex: 0,
        'aria-hidden': false,
      }}
    />
  )
}

export const passwordKind: FieldKindSpec = {
  Input,
  Cell: () => '••••••••',
  // a secret never leaves in a spreadsheet
  toText: () => '',
  fhirType: 'string',
}

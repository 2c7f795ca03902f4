import { Stack } from '@mantine/core'
import { useCallback } from 'react'
import { Preview } from '~/forms/Preview'
import type { Language } from '~/shared/language'
import { FormField } from '~/ui/FormField'
import { fieldsOfScreen } from './form-fields'
import { RegistrationFields } from './RegistrationFields'
import type { RegistrationField } from './registration-form'

type Props = { fields: readonly RegistrationField[]; language: Language }

/** A preview of the form that can be filled in. */
export function FormPreview({ fields, language }: Props) {
  const draw = useCallback(
    (shown: Language) => {
      const drawn = fieldsOfScreen(fields, shown)
      const content = (
        <Stack gap="md">
          <RegistrationFields form={{ fields }} names={Object.keys(drawn)} Field={FormField} />
        </Stack>
      )
      return { fields: drawn, content }
    },
    [fields],
  )
  return <Preview language={language} draw={draw} />
}

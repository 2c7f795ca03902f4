import { Stack, Text, Title } from '@mantine/core'
import { useCallback, useState } from 'react'
import { dayOfClock } from '~/fields/birth'
import { FormAnswers } from '~/forms/FormAnswers'
import { Preview } from '~/forms/Preview'
import { localized, type Worded } from '~/forms/translations'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'

type Props = { form: Worded; language: Language }

/** The form as it will be filled in, to try it out. */
export function FormTryout({ form, language }: Props) {
  const say = useSay()
  // a patient of unknown sex and age: rules about the age show every age, as they would then
  const [subject] = useState(() => ({ sex: null, birth: null, day: dayOfClock() }))
  const draw = useCallback(
    (shown: Language) => {
      const { name, description, form_fields } = localized(form, shown)
      const content = (
        <Stack gap="md">
          <div>
            <Title order={3} dir="auto">
              {name}
            </Title>
            {description && (
              <Text size="sm" c="dimmed" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
                {description}
              </Text>
            )}
          </div>
          {form_fields.length > 0 ? (
            <FormAnswers questions={form_fields} subject={subject} />
          ) : (
            <Text size="sm" c="dimmed">
              {say('formBuilder.previewEmpty')}
            </Text>
          )}
        </Stack>
      )
      return { content }
    },
    [form, subject, say],
  )
  return <Preview language={language} draw={draw} />
}

import { DirectionProvider, Paper, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { IntlProvider, useTimeZone } from 'use-intl'
import { directionOf, type Language, LANGUAGES, localeOf, type Messages } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Draft } from '~/ui/draft'
import { FormContext, FormField as Drawn } from '~/ui/FormField'
import { loadMessages, messagesOf } from '~/ui/messages'
import { fieldsOf } from './form-fields'
import type { FormField } from './registration-form'

type Props = { fields: readonly FormField[]; language: Language }
type Shown = { language: Language; messages: Messages }

/** The form as it will be drawn, in any of the languages, to try it out. Nothing that is typed here is kept. */
export function FormPreview({ fields, language }: Props) {
  const say = useSay()
  const timeZone = useTimeZone()
  const [shown, setShown] = useState<Shown>(() => ({ language, messages: messagesOf(language) }))
  const [draft, setDraft] = useState<Draft>({})
  const drawn = fieldsOf(fields, shown.language)

  async function show(next: Language) {
    await loadMessages(next)
    setShown({ language: next, messages: messagesOf(next) })
  }

  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={say('formEditor.previewLanguage')}
        value={shown.language}
        onChange={(next) => void show(next as Language)}
        data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
      />
      <IntlProvider locale={localeOf(shown.language)} messages={shown.messages} timeZone={timeZone}>
        <DirectionProvider key={shown.language} initialDirection={directionOf(shown.language)} detectDirection={false}>
          <Paper
            withBorder
            p="md"
            dir={directionOf(shown.language)}
            lang={shown.language}
            style={{ maxHeight: 'calc(100dvh - 12rem)', overflowY: 'auto' }}
            tabIndex={0}
          >
            <FormContext
              value={{
                fields: drawn,
                draft,
                complaints: {},
                disabled: false,
                change: (name, value) => setDraft((current) => ({ ...current, [name]: value })),
                check: () => {},
              }}
            >
              <Stack gap="md">
                {Object.keys(drawn).map((name) => (
                  <Drawn key={name} name={name} />
                ))}
              </Stack>
            </FormContext>
          </Paper>
        </DirectionProvider>
      </IntlProvider>
    </Stack>
  )
}

import { DirectionProvider, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { IntlProvider, useTimeZone } from 'use-intl'
import { dayOfClock } from '~/fields/birth'
import { FormAnswers } from '~/forms/FormAnswers'
import { localized, type Worded } from '~/forms/translations'
import { directionOf, type Language, LANGUAGES, localeOf, type Messages } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Draft } from '~/ui/draft'
import { FormContext } from '~/ui/FormField'
import { loadMessages, messagesOf } from '~/ui/messages'

type Props = { form: Worded; language: Language }
type Shown = { language: Language; messages: Messages }

const PHONE_WIDTH = 375

/** The form as it will be filled in, in any of the languages and as narrow as a phone, to try it out. Nothing is kept. */
export function FormTryout({ form, language }: Props) {
  const say = useSay()
  const timeZone = useTimeZone()
  const [shown, setShown] = useState<Shown>(() => ({ language, messages: messagesOf(language) }))
  const [width, setWidth] = useState<'full' | 'phone'>('full')

  async function show(next: Language) {
    await loadMessages(next)
    setShown({ language: next, messages: messagesOf(next) })
  }

  return (
    <Stack gap="sm">
      <Group gap="xs">
        <SegmentedControl
          aria-label={say('formEditor.previewLanguage')}
          value={shown.language}
          onChange={(next) => void show(next)}
          data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
        />
        <SegmentedControl
          aria-label={say('formBuilder.previewWidth')}
          value={width}
          onChange={setWidth}
          data={(['full', 'phone'] as const).map((value) => ({ value, label: say(`formBuilder.preview_${value}`) }))}
          visibleFrom="xs"
        />
      </Group>
      <IntlProvider locale={localeOf(shown.language)} messages={shown.messages} timeZone={timeZone}>
        <DirectionProvider key={shown.language} initialDirection={directionOf(shown.language)} detectDirection={false}>
          <Paper
            withBorder
            component="section"
            p="md"
            dir={directionOf(shown.language)}
            lang={shown.language}
            maw={width === 'phone' ? PHONE_WIDTH : undefined}
            style={{ maxHeight: 'calc(100dvh - 12rem)', overflowY: 'auto' }}
            tabIndex={0}
            aria-label={say('formEditor.preview')}
          >
            <Drawn form={form} language={shown.language} />
          </Paper>
        </DirectionProvider>
      </IntlProvider>
    </Stack>
  )
}

function Drawn({ form, language }: Props) {
  const [draft, setDraft] = useState<Draft>({})
  const read = useMemo(() => localized(form, language), [form, language])
  // whom the form is tried out for: nobody in particular, so that rules about the person hide what they would hide then
  const [subject] = useState(() => ({ sex: null, birth: null, day: dayOfClock() }))
  const context = useMemo(
    () => ({
      fields: {},
      draft,
      complaints: {},
      disabled: false,
      change: (name: string, value: unknown) => setDraft((current) => ({ ...current, [name]: value })),
      check: () => {},
    }),
    [draft],
  )
  return (
    <FormContext value={context}>
      <Stack gap="md">
        <div>
          <Title order={3} dir="auto">
            {read.name}
          </Title>
          {read.description && (
            <Text size="sm" c="dimmed" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
              {read.description}
            </Text>
          )}
        </div>
        <FormAnswers questions={read.form_fields} subject={subject} />
      </Stack>
    </FormContext>
  )
}

import { DirectionContext, Group, Paper, SegmentedControl, Stack } from '@mantine/core'
import { memo, type ReactNode, startTransition, useMemo, useRef, useState } from 'react'
import { toast } from '~/ui/toast'
import { IntlProvider, useTimeZone } from 'use-intl'
import type { Fields } from '~/fields/field'
import { textDirection, type Language, LANGUAGES, languageLocale } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { Draft } from '~/ui/draft'
import { explainError } from '~/client/explain'
import { FormContext } from '~/ui/FormField'
import { loadMessages, loadedMessages } from '~/ui/messages'

type Drawn = { fields?: Fields; content: ReactNode }
type Props = {
  language: Language
  /** The questions in a language: the same function for as long as they say the same. */
  draw: (language: Language) => Drawn
}

const PHONE_WIDTH = 375

/**
 * Questions as they will be asked, in any of the languages and as narrow as a phone, to try them
 * out. Nothing is kept.
 */
export const Preview = memo(function Preview({ language, draw }: Props) {
  const say = useSay()
  const [chosen, setChosen] = useState(language)
  const [shown, setShown] = useState(language)
  const [width, setWidth] = useState<'full' | 'phone'>('full')
  const wanted = useRef(language)

  async function show(next: Language) {
    wanted.current = next
    setChosen(next)
    try {
      await loadMessages(next)
    } catch (error) {
      setChosen(shown)
      toast.error(say(explainError(error).text))
      return
    }
    // hundreds of questions say something else now: the switch itself does not wait for them
    if (wanted.current === next) startTransition(() => setShown(next))
  }

  return (
    <Stack gap="sm">
      <Group gap="xs">
        <SegmentedControl
          aria-label={say('formEditor.previewLanguage')}
          value={chosen}
          onChange={(next) => void show(next)}
          data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
        />
        <SegmentedControl
          aria-label={say('formBuilder.previewWidth')}
          value={width}
          onChange={setWidth}
          data={(['full', 'phone'] as const).map((value) => ({
            value,
            label: say(`formBuilder.preview_${value}`),
          }))}
          visibleFrom="xs"
        />
      </Group>
      <Paper
        withBorder
        component="section"
        p="md"
        dir={textDirection(shown)}
        lang={shown}
        maw={width === 'phone' ? PHONE_WIDTH : undefined}
        style={{ maxHeight: 'calc(100dvh - 12rem)', overflowY: 'auto' }}
        tabIndex={0}
        aria-label={say('formEditor.preview')}
      >
        <Translated language={shown} draw={draw} />
      </Paper>
    </Stack>
  )
})

/** Drawn anew only for another language or other questions, not for another width. */
const Translated = memo(function Translated({ language, draw }: Props) {
  const timeZone = useTimeZone()
  const [draft, setDraft] = useState<Draft>({})
  const { fields = noFields, content } = useMemo(() => draw(language), [draw, language])
  const direction = useMemo(() => ({ ...fixed, dir: textDirection(language) }), [language])
  const form = useMemo(
    () => ({
      fields,
      draft,
      errors: {},
      disabled: false,
      change: (name: string, value: unknown) =>
        setDraft((current) => ({ ...current, [name]: value })),
      check: () => {},
    }),
    [fields, draft],
  )
  return (
    <IntlProvider
      locale={languageLocale(language)}
      messages={loadedMessages(language)}
      timeZone={timeZone}
    >
      <DirectionContext value={direction}>
        <FormContext value={form}>{content}</FormContext>
      </DirectionContext>
    </IntlProvider>
  )
})

const noFields: Fields = {}
/** The direction of a part of the page goes by its language, and nothing else sets it. */
const fixed = { setDirection: () => {}, toggleDirection: () => {} }

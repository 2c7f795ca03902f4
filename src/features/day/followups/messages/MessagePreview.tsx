import { Paper, Stack, Text } from '@mantine/core'
import { textDirection, type Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { messageSize } from './text'

type Props = { text: string; language: Language; /** Counts text messages. */ isSms?: boolean }

/** The text as the patient reads it, and how many text messages it takes. */
export function MessagePreview({ text, language, isSms = true }: Props) {
  const say = useSay()
  const { parts, units, most } = messageSize(text)
  return (
    <Stack gap={4}>
      <Paper
        withBorder
        p="sm"
        lang={language}
        dir={textDirection(language)}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text}
      </Paper>
      {isSms && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {say({
            key: 'messages.parts',
            values: { parts, units, most },
          })}
        </Text>
      )}
    </Stack>
  )
}

import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { textDirection, LANGUAGES, type Translated, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useLanguageName } from './language-name'
import { moved } from './form-draft'

type Props = { options: Translated[]; error?: string; onChange: (options: Translated[]) => void }

/** The options of a choice in three languages side by side. Enter in the last one adds another. */
export function OptionsEditor({ options, error, onChange }: Props) {
  const say = useSay()
  const languageName = useLanguageName()
  const add = () => onChange([...options, {}])
  return (
    <Stack gap={6} role="none">
      <Text size="sm" fw={600}>
        {say('formEditor.options')}
      </Text>
      {options.map((option, at) => {
        const name = translated(option, 'en') || String(at + 1)
        return (
          // options have no id: the position identifies them
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={at} gap={6} wrap="nowrap">
            {LANGUAGES.map((language) => (
              <TextInput
                key={language}
                flex={1}
                miw={0}
                size="sm"
                aria-label={say({
                  key: 'formEditor.optionIn',
                  values: { number: at + 1, language: languageName(language) },
                })}
                placeholder={languageName(language)}
                value={option[language] ?? ''}
                onChange={(event) =>
                  onChange(options.with(at, { ...option, [language]: event.currentTarget.value }))
                }
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && at === options.length - 1) add()
                }}
                lang={language}
                dir={textDirection(language)}
                maxLength={200}
                autoComplete="off"
              />
            ))}
            <ActionIcon.Group>
              <ActionIcon
                variant="default"
                disabled={at === 0}
                onClick={() => onChange(moved(options, at, at - 1))}
                aria-label={say({ key: 'formEditor.optionUp', values: { name } })}
              >
                <IconArrowUp size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="default"
                disabled={at === options.length - 1}
                onClick={() => onChange(moved(options, at, at + 1))}
                aria-label={say({ key: 'formEditor.optionDown', values: { name } })}
              >
                <IconArrowDown size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="default"
                onClick={() => onChange(options.toSpliced(at, 1))}
                aria-label={say({ key: 'formEditor.optionRemove', values: { name } })}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </ActionIcon.Group>
          </Group>
        )
      })}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={add}
        style={{ alignSelf: 'start' }}
      >
        {say('formEditor.addOption')}
      </Button>
    </Stack>
  )
}

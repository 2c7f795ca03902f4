import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { moved } from '~/features/people/registration/form-draft'
import { useLanguageName } from '~/features/people/registration/language-name'
import type { EventFieldOfType, FormOption } from '~/forms/definition'
import { textIn } from '~/forms/translations'
import { textDirection, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { focus } from './focus'
import { type FormDraft, newOption, withOptions, withWords } from './form-draft'
import type { FormUpdater } from './form-editing'
import classes from './OptionRows.module.css'
import { TypedText } from '~/ui/TypedText'

type WithOptions = EventFieldOfType<'options' | 'binary' | 'diagnosis' | 'medicine'>
type Props = {
  field: WithOptions
  form: FormDraft
  change: FormUpdater
  changeLater: FormUpdater
  error: string | undefined
}

/**
 * The options of a choice: a label per language side by side, and the value that an answer keeps.
 * Enter adds another.
 */
export function OptionRows({ field, form, change, changeLater, error }: Props) {
  const say = useSay()
  const languageName = useLanguageName()
  const { options } = field
  // of the form as it is then: the last letters of a label may still be on their way
  const set = (next: (options: FormOption[]) => FormOption[]) =>
    change((current) => withOptions(current, field.id, next))
  const [added, setAdded] = useState('')
  function add() {
    const option = newOption()
    set((now) => [...now, option])
    setAdded(option.id)
  }
  const isFull = field.fieldType === 'binary' && options.length >= 2
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {say(`formBuilder.options_${field.fieldType}`)}
      </Text>
      {options.map((option, at) => {
        const name = option.label || String(at + 1)
        const box = { size: 'sm', flex: 1, miw: 0, maxLength: 200, autoComplete: 'off' } as const
        const onEnter = (event: { key: string; preventDefault: () => void }) => {
          if (event.key !== 'Enter' || at < options.length - 1 || isFull) return
          event.preventDefault()
          add()
        }
        return (
          <div key={option.id} className={classes.row}>
            {LANGUAGES.map((language) => (
              <TypedText
                key={language}
                inRow
                aria-label={say({
                  key: 'formBuilder.optionIn',
                  values: { number: at + 1, language: languageName(language) },
                })}
                placeholder={languageName(language)}
                value={textIn(form, field.id, 'name', language, option.id)}
                onType={(text) =>
                  changeLater((current) =>
                    withWords(current, field.id, 'name', language, text, option.id),
                  )
                }
                onKeyDown={onEnter}
                lang={language}
                dir={textDirection(language)}
                inputRef={language === form.language && option.id === added ? focus : undefined}
              />
            ))}
            <TextInput
              {...box}
              aria-label={say({ key: 'formBuilder.optionValue', values: { number: at + 1 } })}
              placeholder={option.label || say('formBuilder.value')}
              value={option.value}
              onChange={(event) => {
                const { value } = event.currentTarget
                set((now) => now.map((one) => (one.id === option.id ? { ...one, value } : one)))
              }}
              onKeyDown={onEnter}
              dir="auto"
              ff="monospace"
            />
            <ActionIcon.Group>
              <ActionIcon
                variant="default"
                disabled={at === 0}
                onClick={() => set((now) => moved(now, at, at - 1))}
                aria-label={say({ key: 'formBuilder.optionUp', values: { name } })}
              >
                <IconArrowUp size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="default"
                disabled={at === options.length - 1}
                onClick={() => set((now) => moved(now, at, at + 1))}
                aria-label={say({ key: 'formBuilder.optionDown', values: { name } })}
              >
                <IconArrowDown size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="default"
                onClick={() => set((now) => now.filter(({ id }) => id !== option.id))}
                aria-label={say({ key: 'formBuilder.optionRemove', values: { name } })}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </ActionIcon.Group>
          </div>
        )
      })}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {!isFull && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={add}
          >
            {say('formBuilder.addOption')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconCopy, IconTrash } from '@tabler/icons-react'
import type { EventFormField } from '~/forms/definition'
import { isLayout } from '~/forms/field-kinds'
import { LANGUAGES } from '~/shared/language'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { type FormDraft, withChanges } from './form-draft'
import type { FormUpdater } from './form-editing'
import { KindSettings } from './KindSettings'
import { OptionRows } from './OptionRows'
import { RulesEditor } from './RulesEditor'
import { Wording } from './Wording'

type Props = {
  field: EventFormField
  form: FormDraft
  /** It has just been added: its name is typed next. */
  isAdded: boolean
  errors: Record<string, Message> | undefined
  change: FormUpdater
  changeLater: FormUpdater
  onCopy: (id: string) => void
  onRemove: (id: string) => void
}

/** Everything about one field: its texts in three languages, its kind, its rules. */
export function FieldEditor({
  field,
  form,
  isAdded,
  errors = {},
  change,
  changeLater,
  onCopy,
  onRemove,
}: Props) {
  const say = useSay()
  const errorAt = (...paths: string[]) => {
    const found = Object.entries(errors).find(([path]) =>
      paths.some((one) => path === one || path.startsWith(`${one}.`)),
    )
    return found && say(found[1])
  }
  const isNote = field.fieldType === 'text'
  const inLanguage = Object.fromEntries(
    LANGUAGES.flatMap((language) => {
      const text = errors[`name.${language}`]
      return text ? [[language, say(text)]] : []
    }),
  )
  const nameErrors = {
    own: errors['name'] ? say(errors['name']) : errorAt('content', 'id'),
    ...inLanguage,
  }
  const setField = (next: EventFormField) => change((current) => withChanges(current, field, next))
  const words = { form, changeLater, fieldId: field.id }
  return (
    <Stack gap="md" p="md" pt="xs">
      {field.fieldType !== 'separator' && (
        <Wording
          {...words}
          what="name"
          label={isNote ? 'formBuilder.contentIn' : 'formBuilder.nameIn'}
          long={isNote}
          errors={nameErrors}
          needed
          isAdded={isAdded}
        />
      )}
      {!isLayout(field.fieldType) && (
        <Wording
          {...words}
          what="description"
          label="formBuilder.descriptionIn"
          errors={{ own: errorAt('description') }}
          long
        />
      )}
      <KindSettings field={field} setField={setField} errorOf={errorAt} />
      {'options' in field && (
        <OptionRows
          field={field}
          form={form}
          change={change}
          changeLater={changeLater}
          error={errorAt('options')}
        />
      )}
      {!isLayout(field.fieldType) && (
        <Checkbox
          label={say('formBuilder.required')}
          checked={field.required}
          onChange={(event) => setField({ ...field, required: event.currentTarget.checked })}
        />
      )}
      {field.fieldType !== 'separator' && (
        <RulesEditor field={field} form={form} setField={setField} errorOf={errorAt} />
      )}
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconCopy size={16} aria-hidden />}
          onClick={() => onCopy(field.id)}
        >
          {say('formBuilder.duplicateField')}
        </Button>
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          size="xs"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onRemove(field.id)}
        >
          {say('formBuilder.removeField')}
        </Button>
        {errorAt('fieldType') && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {errorAt('fieldType')}
          </Text>
        )}
      </Group>
    </Stack>
  )
}

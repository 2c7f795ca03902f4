import { Button, Checkbox, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconEyeOff, IconTrash } from '@tabler/icons-react'
import { FieldLine, type ReorderHandle } from '~/forms/FieldLine'
import { PickList } from '~/fields/PickList'
import { QUESTION_TYPES, type QuestionType } from '~/forms/question'
import type { Message } from '~/shared/errors'
import { textDirection, type Language, LANGUAGES, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useLanguageName } from './language-name'
import { CascadeEditor } from './CascadeEditor'
import { hasOptions } from './form-draft'
import { OptionsEditor } from './OptionsEditor'
import { baseTypes, isLanguageField, type RegistrationField } from './registration-form'

type Props = {
  field: RegistrationField
  /** The fields of the form. */
  fields: readonly RegistrationField[]
  language: Language
  isOpen: boolean
  /** The field has answers, so its type cannot change. */
  isAnswered: boolean
  errors: Record<string, Message>
  handle: ReorderHandle
  onToggle: () => void
  onChange: (values: Partial<RegistrationField>) => void
  onDelete: () => void
}

/** Names and numbers have no list of options. */
const NO_LIST: ReadonlySet<string> = new Set([
  'given_name',
  'surname',
  'phone',
  'government_id',
  'external_patient_id',
])
const mayCascade = (field: RegistrationField) =>
  field.fieldType === 'text' &&
  !isLanguageField(field) &&
  !(field.baseField && NO_LIST.has(field.column))

const FLAGS = ['required', 'visible', 'showsInSummary', 'isSearchField'] as const
/** The language has a list of its own, and the clinic's language takes its place where it is not recorded. */
const OF_LANGUAGE: readonly (typeof FLAGS)[number][] = ['visible']
const shownType = (field: RegistrationField) =>
  isLanguageField(field) ? 'select' : field.fieldType

/** One field of the form: a line that can be dragged and opened to edit the field. */
export function FieldCard(props: Props) {
  const { field, language, isOpen, errors, handle, onToggle } = props
  const say = useSay()
  const name = translated(field.label, language) || say('formEditor.unnamed')
  return (
    <FieldLine
      name={name}
      required={field.required}
      isHidden={!field.visible}
      isBad={Object.keys(errors).length > 0}
      kind={say(`formEditor.type_${shownType(field)}`)}
      marks={!field.visible && <IconEyeOff size={16} aria-label={say('formEditor.hidden')} />}
      handle={handle}
      onToggle={onToggle}
    >
      {isOpen && <Opened {...props} />}
    </FieldLine>
  )
}

function Opened({ field, fields, language, isAnswered, errors, onChange, onDelete }: Props) {
  const say = useSay()
  const languageName = useLanguageName()
  const fieldError = (name: keyof RegistrationField) => errors[name] && say(errors[name])
  const flags: readonly (typeof FLAGS)[number][] = isLanguageField(field) ? OF_LANGUAGE : FLAGS
  const ofBase = isLanguageField(field) ? [shownType(field)] : baseTypes(field.column)
  const types = field.baseField ? ofBase : QUESTION_TYPES
  const isFixed = (isAnswered && !field.baseField) || types.length === 1
  return (
    <Stack gap="md" p="md" pt="xs">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        {LANGUAGES.map((eachLanguage) => (
          <TextInput
            key={eachLanguage}
            label={say({
              key: 'formEditor.labelIn',
              values: { language: languageName(eachLanguage) },
            })}
            value={field.label[eachLanguage] ?? ''}
            onChange={(event) =>
              onChange({ label: { ...field.label, [eachLanguage]: event.currentTarget.value } })
            }
            error={eachLanguage === LANGUAGES[0] && fieldError('label')}
            lang={eachLanguage}
            dir={textDirection(eachLanguage)}
            maxLength={200}
            autoComplete="off"
            data-autofocus={eachLanguage === LANGUAGES[0] || undefined}
          />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <PickList
          label={say('formEditor.type')}
          description={isAnswered && !field.baseField ? say('formEditor.answered') : undefined}
          value={shownType(field)}
          onChange={(type) => type && onChange({ fieldType: type as QuestionType })}
          data={types.map((type) => ({ value: type, label: say(`formEditor.type_${type}`) }))}
          disabled={isFixed}
          allowDeselect={false}
          error={fieldError('fieldType')}
        />
        <Stack gap={6} justify="center">
          {flags.map((flag) => (
            <Checkbox
              key={flag}
              size="sm"
              label={say(`formEditor.${flag}`)}
              checked={field[flag]}
              onChange={(event) => onChange({ [flag]: event.currentTarget.checked })}
            />
          ))}
        </Stack>
      </SimpleGrid>
      {hasOptions(field) && (
        <OptionsEditor
          options={field.options}
          error={fieldError('options')}
          onChange={(options) => onChange({ options })}
        />
      )}
      {mayCascade(field) && (
        <CascadeEditor
          field={field}
          fields={fields}
          language={language}
          error={fieldError('cascade')}
          onChange={(cascade) => onChange({ cascade })}
        />
      )}
      {fieldError('column') && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {fieldError('column')}
        </Text>
      )}
      {field.baseField ? (
        <Text size="sm" c="dimmed">
          {say('formEditor.baseNote')}
        </Text>
      ) : (
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          size="xs"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={onDelete}
          style={{ alignSelf: 'start' }}
        >
          {say('formEditor.delete')}
        </Button>
      )}
    </Stack>
  )
}

import { ActionIcon, Button, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { FormField } from '~/forms/definition'
import {
  type Comparison,
  COMPARISONS,
  type Condition,
  needsValue,
  SUBJECT_FIELDS,
  type Test,
} from '~/forms/definition-rules'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import type { FormDraft } from './form-draft'
import { useFieldName } from './field-name'

type Props = {
  label: string
  condition: Condition
  /** The fields that may be asked about. */
  above: readonly FormField[]
  form: FormDraft
  onChange: (condition: Condition) => void
  error: string | undefined
}

/** What an answer is compared as; `none` can only be there or not. */
type Kind = 'number' | 'day' | 'options' | 'text' | 'none'

function kindOf(fieldId: string, field: FormField | undefined): Kind {
  if (fieldId === '__sex__') return 'options'
  if (!field) return 'number'
  if (field.fieldType === 'date') return 'day'
  if ('options' in field && field.options.length > 0) return 'options'
  if (field.fieldType === 'free-text') return field.inputType === 'number' ? 'number' : 'text'
  return 'none'
}

const comparisons: Record<Kind, readonly Comparison[]> = {
  number: ['is', 'isNot', 'lessThan', 'atMost', 'moreThan', 'atLeast', 'answered', 'notAnswered'],
  day: ['atMost', 'atLeast', 'answered', 'notAnswered'],
  options: ['is', 'isNot', 'answered', 'notAnswered'],
  text: ['is', 'isNot', 'answered', 'notAnswered'],
  none: ['answered', 'notAnswered'],
}

/** A sentence of tests: question, comparison, value; all of them must hold, or any. */
export function ConditionEditor({ label, condition, above, form, onChange, error }: Props) {
  const say = useSay()
  const nameOf = useFieldName(form)
  const { match, tests } = condition
  const setTest = (at: number, test: Test) => onChange({ match, tests: tests.with(at, test) })
  const choices = [
    ...above.map((field) => ({ value: field.id, label: nameOf(field) })),
    ...SUBJECT_FIELDS.map((value) => ({ value: value as string, label: say(`formBuilder.subject${value}`) })),
  ]
  return (
    <Fieldset variant="unstyled" aria-label={label}>
      <Stack gap={6}>
        {tests.length > 1 && (
          <Select
            aria-label={say('formBuilder.match')}
            size="sm"
            value={match}
            onChange={(value) => onChange({ match: value === 'any' ? 'any' : 'all', tests })}
            data={(['all', 'any'] as const).map((value) => ({ value, label: say(`formBuilder.match_${value}`) }))}
            allowDeselect={false}
            w={{ base: '100%', sm: '60%' }}
          />
        )}
        {tests.map((test, at) => {
          const field = above.find(({ id }) => id === test.fieldId)
          const allowed = test.fieldId === '' ? COMPARISONS : comparisons[kindOf(test.fieldId, field)]
          return (
            // tests have no id of their own: their place is what tells them apart
            // oxlint-disable-next-line react/no-array-index-key
            <Group key={at} gap={6} align="flex-start">
              <Select
                aria-label={say('formBuilder.question')}
                placeholder={say('formBuilder.question')}
                flex="2 1 10rem"
                value={test.fieldId || null}
                onChange={(fieldId) => {
                  if (!fieldId) return
                  const next =
                    comparisons[
                      kindOf(
                        fieldId,
                        above.find(({ id }) => id === fieldId),
                      )
                    ]
                  setTest(at, { fieldId, comparison: next[0] ?? 'answered', value: null })
                }}
                data={choices}
                searchable={choices.length > 7}
                allowDeselect={false}
                nothingFoundMessage={say('form.nothingFound')}
                error={test.fieldId === '' && error !== undefined}
              />
              <Select
                aria-label={say('formBuilder.comparison')}
                flex="1 1 8rem"
                value={test.comparison}
                onChange={(value) => {
                  const comparison = COMPARISONS.find((one) => one === value) ?? 'answered'
                  setTest(at, { ...test, comparison, value: needsValue(comparison) ? test.value : null })
                }}
                data={allowed.map((value) => ({ value, label: say(`formBuilder.test_${value}`) }))}
                allowDeselect={false}
              />
              {needsValue(test.comparison) && (
                <Value test={test} field={field} form={form} onChange={(value) => setTest(at, { ...test, value })} />
              )}
              <ActionIcon
                variant="default"
                size="input-sm"
                disabled={tests.length === 1}
                onClick={() => onChange({ match, tests: tests.toSpliced(at, 1) })}
                aria-label={say({ key: 'formBuilder.removeTest', values: { number: at + 1 } })}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </Group>
          )
        })}
        {error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange({ match, tests: [...tests, { fieldId: '', comparison: 'answered', value: null }] })}
          >
            {say('formBuilder.addTest')}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

type ValueProps = {
  test: Test
  field: FormField | undefined
  form: FormDraft
  onChange: (value: Test['value']) => void
}

/** What an answer is compared with, chosen or typed as the question itself is answered. */
function Value({ test, field, form, onChange }: ValueProps) {
  const say = useSay()
  const kind = kindOf(test.fieldId, field)
  const look = {
    'aria-label': say('formBuilder.value'),
    placeholder: say('formBuilder.value'),
    flex: '1 1 8rem',
  } as const
  if (kind === 'options') {
    const sexes = (['female', 'male'] as const).map((value) => ({ value, label: say(`formBuilder.sex_${value}`) }))
    const options = field && 'options' in field ? field.options.map((option) => optionOf(option)) : sexes
    return (
      <Select
        {...look}
        value={test.value === null ? null : String(test.value)}
        onChange={onChange}
        data={options}
        allowDeselect={false}
        searchable={options.length > 7}
        nothingFoundMessage={say('form.nothingFound')}
      />
    )
  }
  if (kind === 'number') {
    return (
      <NumberBox
        {...look}
        value={typeof test.value === 'number' ? test.value : null}
        onChange={(value) => onChange(value === '' ? null : value)}
      />
    )
  }
  return (
    <TextInput
      {...look}
      type={kind === 'day' ? 'date' : 'text'}
      value={typeof test.value === 'string' ? test.value : ''}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      dir="auto"
      lang={form.language}
      autoComplete="off"
    />
  )
}

/** A test names the option's value; one that has none yet gets its label as such when the form is saved. */
const optionOf = ({ label, value }: { label: string; value: string }) => ({
  value: value.trim() || label,
  label: label || value || '—',
})

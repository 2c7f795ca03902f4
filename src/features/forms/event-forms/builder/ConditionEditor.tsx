import { ActionIcon, Button, Fieldset, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { PickList } from '~/fields/PickList'
import type { EventFormField } from '~/forms/definition'
import {
  type ComparisonOperator,
  COMPARISONS,
  type Condition,
  DEEPEST_GROUPS,
  CONDITION_MATCHES,
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
  /** The fields that a condition can name. */
  above: readonly EventFormField[]
  form: FormDraft
  onChange: (condition: Condition) => void
  error: string | undefined
  /** How deep in groups this condition lies; 1 is the whole. */
  depth?: number
}

/** How an answer is compared; `none` can only be present or absent. */
type Kind = 'number' | 'day' | 'options' | 'text' | 'none'

function comparisonKind(fieldId: string, field: EventFormField | undefined): Kind {
  if (fieldId === '__sex__') return 'options'
  if (fieldId === '__due_date__') return 'day'
  if (!field) return 'number'
  if (field.fieldType === 'date') return 'day'
  if ('options' in field && field.options.length > 0) return 'options'
  if (field.fieldType === 'free-text') return field.inputType === 'number' ? 'number' : 'text'
  return 'none'
}

const comparisons: Record<Kind, readonly ComparisonOperator[]> = {
  number: ['is', 'isNot', 'lessThan', 'atMost', 'moreThan', 'atLeast', 'answered', 'notAnswered'],
  day: ['atMost', 'atLeast', 'answered', 'notAnswered'],
  options: ['is', 'isNot', 'answered', 'notAnswered'],
  text: ['is', 'isNot', 'answered', 'notAnswered'],
  none: ['answered', 'notAnswered'],
}

/**
 * A sentence of tests: question, comparison, value; all of them must hold, any, some number or
 * none. A group counts as one test.
 */
export function ConditionEditor({
  label,
  condition,
  above,
  form,
  onChange,
  error,
  depth = 1,
}: Props) {
  const say = useSay()
  const nameOf = useFieldName(form)
  const { match, least, tests, groups = [] } = condition
  const set = (values: Partial<Condition>) => onChange({ ...condition, ...values })
  const setTest = (at: number, test: Test) => set({ tests: tests.with(at, test) })
  const count = tests.length + groups.length
  const choices = [
    ...above.map((field) => ({ value: field.id, label: nameOf(field) })),
    ...SUBJECT_FIELDS.map((value) => ({
      value: value as string,
      label: say(`formBuilder.subject${value}`),
    })),
  ]
  return (
    <Fieldset variant="unstyled" aria-label={label}>
      <Stack gap={6}>
        {(count > 1 || match === 'none') && (
          <Group gap={6}>
            <PickList
              aria-label={say('formBuilder.match')}
              size="sm"
              value={match}
              onChange={(value) => {
                const next = CONDITION_MATCHES.find((one) => one === value) ?? 'all'
                set({ match: next, least: next === 'atLeast' ? (least ?? 2) : undefined })
              }}
              data={CONDITION_MATCHES.map((value) => ({
                value,
                label: say(`formBuilder.match_${value}`),
              }))}
              allowDeselect={false}
              flex="1 1 12rem"
              maw={{ sm: '60%' }}
            />
            {match === 'atLeast' && (
              <NumberBox
                aria-label={say('formBuilder.least')}
                size="sm"
                value={least ?? null}
                onChange={(value) => set({ least: value === '' ? undefined : Math.trunc(value) })}
                min={1}
                max={count}
                isWhole
                fallback={2}
                w="5rem"
              />
            )}
          </Group>
        )}
        {tests.map((test, at) => {
          const field = above.find(({ id }) => id === test.fieldId)
          const allowed =
            test.fieldId === '' ? COMPARISONS : comparisons[comparisonKind(test.fieldId, field)]
          return (
            // tests have no id of their own: their place is what tells them apart
            // oxlint-disable-next-line react/no-array-index-key
            <Group key={at} gap={6} align="flex-start">
              <PickList
                aria-label={say('formBuilder.question')}
                placeholder={say('formBuilder.question')}
                flex="2 1 10rem"
                value={test.fieldId || null}
                onChange={(fieldId) => {
                  if (!fieldId) return
                  const next =
                    comparisons[
                      comparisonKind(
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
              <PickList
                aria-label={say('formBuilder.comparison')}
                flex="1 1 8rem"
                value={test.comparison}
                onChange={(value) => {
                  const comparison = COMPARISONS.find((one) => one === value) ?? 'answered'
                  setTest(at, {
                    ...test,
                    comparison,
                    value: needsValue(comparison) ? test.value : null,
                  })
                }}
                data={allowed.map((value) => ({ value, label: say(`formBuilder.test_${value}`) }))}
                allowDeselect={false}
              />
              {needsValue(test.comparison) && (
                <Value
                  test={test}
                  field={field}
                  form={form}
                  onChange={(value) => setTest(at, { ...test, value })}
                />
              )}
              <ActionIcon
                variant="default"
                size="input-sm"
                disabled={count === 1}
                onClick={() => set({ tests: tests.toSpliced(at, 1) })}
                aria-label={say({ key: 'formBuilder.removeTest', values: { number: at + 1 } })}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </Group>
          )
        })}
        {groups.map((group, at) => (
          // groups have no id either
          // oxlint-disable-next-line react/no-array-index-key
          <Paper key={at} withBorder p="xs">
            <Group justify="space-between" mb={6}>
              <Text size="sm" fw={600}>
                {say({ key: 'formBuilder.group', values: { number: at + 1 } })}
              </Text>
              <ActionIcon
                variant="default"
                disabled={count === 1}
                onClick={() => set({ groups: groups.toSpliced(at, 1) })}
                aria-label={say({ key: 'formBuilder.removeGroup', values: { number: at + 1 } })}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </Group>
            <ConditionEditor
              label={say({ key: 'formBuilder.group', values: { number: at + 1 } })}
              condition={group}
              above={above}
              form={form}
              onChange={(next) => set({ groups: groups.with(at, next) })}
              error={undefined}
              depth={depth + 1}
            />
          </Paper>
        ))}
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
            onClick={() => set({ tests: [...tests, A_TEST] })}
          >
            {say('formBuilder.addTest')}
          </Button>
          {depth < DEEPEST_GROUPS && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => set({ groups: [...groups, { match: 'any', tests: [A_TEST] }] })}
            >
              {say('formBuilder.addGroup')}
            </Button>
          )}
        </Group>
      </Stack>
    </Fieldset>
  )
}

const A_TEST: Test = { fieldId: '', comparison: 'answered', value: null }

type ValueProps = {
  test: Test
  field: EventFormField | undefined
  form: FormDraft
  onChange: (value: Test['value']) => void
}

/** The value to compare with, chosen or typed as the question itself is answered. */
function Value({ test, field, form, onChange }: ValueProps) {
  const say = useSay()
  const kind = comparisonKind(test.fieldId, field)
  const look = {
    'aria-label': say('formBuilder.value'),
    placeholder: say('formBuilder.value'),
    flex: '1 1 8rem',
  } as const
  if (kind === 'options') {
    const sexes = (['female', 'male'] as const).map((value) => ({
      value,
      label: say(`formBuilder.sex_${value}`),
    }))
    const options =
      field && 'options' in field ? field.options.map((option) => toTestOption(option)) : sexes
    return (
      <PickList
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

/**
 * A test names the option's value; one that has none yet gets its label as such when the form is
 * saved.
 */
const toTestOption = ({ label, value }: { label: string; value: string }) => ({
  value: value.trim() || label,
  label: label || value || '—',
})

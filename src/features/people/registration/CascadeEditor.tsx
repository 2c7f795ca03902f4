import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { PickList } from '~/fields/PickList'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Cascade, pairsIn, pairsText, unknownParents } from './cascade'
import { possibleParents } from './form-draft'
import type { RegistrationField } from './registration-form'

const MOST_NAMED = 5

type Props = {
  field: RegistrationField
  /** The fields of the form. */
  fields: readonly RegistrationField[]
  language: Language
  error: string | undefined
  onChange: (cascade: Cascade | null) => void
}

/** What the options of a text field depend on, and their table: typed, pasted, or read from a file. */
export function CascadeEditor({ field, fields, language, error, onChange }: Props) {
  const say = useSay()
  const { cascade } = field
  const [text, setText] = useState(() => pairsText(cascade?.rows ?? []))
  const { rows, wrongLine } = pairsIn(text)
  const parents = possibleParents(field, fields)
  const parent = fields.find(({ id }) => id === cascade?.parent)
  const unknown = parent?.fieldType === 'select' ? unknownParents({ rows }, parent.options) : []
  function take(next: string) {
    setText(next)
    if (cascade) onChange({ ...cascade, rows: pairsIn(next).rows })
  }
  const problem =
    wrongLine === null ? error : say({ key: 'formEditor.cascadeLine', values: { line: wrongLine } })
  return (
    <Stack gap="xs">
      <PickList
        label={say('formEditor.cascade')}
        description={say('formEditor.cascadeHint')}
        value={cascade?.parent ?? null}
        onChange={(chosenParent) => onChange(chosenParent ? { parent: chosenParent, rows } : null)}
        data={parents.map(({ id, label }) => ({
          value: id,
          label: translated(label, language) || say('formEditor.unnamed'),
        }))}
        clearable
        clearButtonProps={{ 'aria-label': say('common.clear') }}
        error={cascade ? undefined : error}
      />
      {cascade && (
        <>
          <Textarea
            label={say('formEditor.cascadeTable')}
            description={say('formEditor.cascadeTableHint')}
            value={text}
            onChange={(event) => take(event.currentTarget.value)}
            error={problem}
            minRows={4}
            maxRows={12}
            autosize
            dir="auto"
          />
          {unknown.length > 0 && (
            <Text size="sm" fw={500} component="output">
              {say({
                key: 'formEditor.cascadeUnknown',
                values: {
                  field: translated(parent!.label, language),
                  answers: unknown.slice(0, MOST_NAMED).join(' · '),
                  count: unknown.length,
                },
              })}
            </Text>
          )}
          <Group gap="sm">
            <FileButton
              accept=".csv,.tsv,.txt,text/csv"
              onChange={(file) => void file?.text().then(take)}
            >
              {(props) => (
                <Button
                  {...props}
                  size="xs"
                  variant="default"
                  leftSection={<IconUpload size={16} aria-hidden />}
                >
                  {say('formEditor.cascadeFile')}
                </Button>
              )}
            </FileButton>
            <Text size="sm" c="dimmed" aria-live="polite">
              {say({
                key: 'formEditor.cascadeRows',
                values: { count: rows.filter(([, option]) => option !== '').length },
              })}
            </Text>
          </Group>
        </>
      )}
    </Stack>
  )
}

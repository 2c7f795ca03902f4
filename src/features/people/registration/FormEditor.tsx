import { Button, Grid, Group, Menu, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { EditingNotices } from '~/forms/EditingNotices'
import lines from '~/forms/FieldLine.module.css'
import { QUESTION_TYPES, type QuestionType } from '~/forms/question'
import { TranslationGaps } from '~/forms/TranslationGaps'
import { AppError, type Message } from '~/shared/errors'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { differsAt } from '~/ui/corrected'
import { useFormState } from '~/ui/form'
import { DeletedFields } from './DeletedFields'
import { FieldCard } from './FieldCard'
import {
  fieldsDiffer,
  mergeRegistrationForm,
  type MissingFieldText,
  missingFieldTranslations,
  moved,
  newField,
  withColumns,
} from './form-draft'
import { FormPreview } from './FormPreview'
import type { RegistrationField, RegistrationForm } from './registration-form'
import { useReorder } from './reorder'

type Props = { form: RegistrationForm; answered: readonly string[]; language: Language }

/**
 * Edits the fields of the registration form, their order and their texts. Changes take effect on
 * save.
 */
export function FormEditor({ form, answered, language }: Props) {
  const say = useSay()
  const editor = useEditor(form)
  const { fields, change } = editor
  const [opened, setOpened] = useState<string | null>(null)
  const [spoken, setSpoken] = useState('')
  const shown = fields.filter(({ deleted }) => !deleted)

  function move(from: number, to: number) {
    const field = shown[from]
    if (!field || to < 0 || to >= shown.length) return
    change([...moved(shown, from, to), ...fields.filter(({ deleted }) => deleted)])
    setSpoken(
      say({
        key: 'formEditor.movedTo',
        values: { name: translated(field.label, language), place: to + 1 },
      }),
    )
  }
  const reorder = useReorder(move)
  const set = (id: string, values: Partial<RegistrationField>) =>
    change(fields.map((field) => (field.id === id ? { ...field, ...values } : field)))

  function add(type: QuestionType) {
    const field = newField(type)
    change([...shown, field, ...fields.filter(({ deleted }) => deleted)])
    setOpened(field.id)
  }
  function remove(field: RegistrationField) {
    // never saved, so there is nothing to restore
    if (field.column === '') return change(fields.filter(({ id }) => id !== field.id))
    return set(field.id, { deleted: true })
  }

  const toGap = ({ field, language: lacking, what, option }: MissingFieldText) => ({
    fieldId: field.id,
    language: lacking,
    name: translated(field.label, language) || say('formEditor.unnamed'),
    part: what === 'option' ? option || say('formEditor.emptyOption') : undefined,
  })

  async function saveAndShow() {
    const bad = await editor.save()
    if (bad) setOpened(bad)
  }

  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }} miw={0}>
        <Stack gap="md">
          <EditingNotices {...editor} />
          <TranslationGaps
            missing={missingFieldTranslations(fields)}
            gapOf={toGap}
            onOpen={setOpened}
          />
          <ol className={lines.fields}>
            {shown.map((field, at) => (
              <li key={field.id} style={{ opacity: reorder.dragged === at ? 0.6 : undefined }}>
                <FieldCard
                  field={field}
                  fields={shown}
                  language={language}
                  isOpen={opened === field.id}
                  isAnswered={answered.includes(field.id)}
                  errors={editor.errorsOf(field)}
                  handle={reorder.handle(at)}
                  onToggle={() => setOpened(opened === field.id ? null : field.id)}
                  onChange={(values) => set(field.id, values)}
                  onDelete={() => remove(field)}
                />
              </li>
            ))}
          </ol>
          <VisuallyHidden aria-live="polite">{spoken}</VisuallyHidden>
          <Group gap="sm">
            <Button
              disabled={!editor.isDirty || editor.isSaving || editor.stale !== null}
              onClick={saveAndShow}
            >
              {say(editor.isSaving ? 'common.saving' : 'common.save')}
            </Button>
            <AddField onAdd={add} />
            {editor.isDirty && (
              <Text size="sm" c="dimmed">
                {say('formEditor.unsaved')}
              </Text>
            )}
          </Group>
          <DeletedFields
            fields={fields}
            language={language}
            onRestore={(field) => set(field.id, { deleted: false, visible: true })}
          />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }} miw={0}>
        <Stack gap="xs" style={{ position: 'sticky', top: '4.5rem' }}>
          <Title order={2}>{say('formEditor.preview')}</Title>
          <FormPreview fields={shown} language={language} />
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

function AddField({ onAdd }: { onAdd: (type: QuestionType) => void }) {
  const say = useSay()
  return (
    <Menu position="top-start">
      <Menu.Target>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
          {say('formEditor.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {QUESTION_TYPES.map((type) => (
          <Menu.Item key={type} onClick={() => onAdd(type)}>
            {say(`formEditor.type_${type}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

type Fields = Pick<RegistrationForm, 'fields'>

function useEditor(form: RegistrationForm) {
  const say = useSay()
  const router = useRouter()
  const [version, setVersion] = useState(form.last_modified)
  /** The fields as sent: paths of errors count in them. */
  const [sent, setSent] = useState<RegistrationField[]>([])
  /** The fields as shown when they were sent: a field that differs since then is corrected. */
  const [typed, setTyped] = useState<RegistrationField[]>([])
  const state = useFormState<Fields>({
    start: form,
    differs: (a, b) => fieldsDiffer(a.fields, b.fields),
    isField: (path) => path !== 'fields',
  })
  const { isDirty, isSaving, stale, errors, alert } = state
  const { fields } = state.values
  // another user saved and there are no unsaved changes here: takes the newest form
  if (!isDirty && !isSaving && form.last_modified > version) begin()

  function begin(next = form.fields) {
    setVersion(form.last_modified)
    state.begin(form, { fields: next })
  }

  /** Returns the id of the first refused field. */
  async function save(): Promise<string | undefined> {
    const complete = withColumns(fields)
    let refused: string | undefined
    setSent(complete)
    setTyped(fields)
    await state.save(async () => {
      const { id, name } = form
      const data = { id, name, last_modified: version, fields: complete }
      const saved = await api.registrationForm.save(data).catch((error: unknown) => {
        const paths = error instanceof AppError ? Object.keys(error.fields) : []
        const places = paths.map((path) => /^fields\.(\d+)\./.exec(path)?.[1])
        refused = complete[Number(places.find((place) => place !== undefined))]?.id
        throw error
      })
      setVersion(saved.last_modified)
      state.begin({ fields: complete })
      toast.success(say('formEditor.saved'))
      await router.invalidate()
    })
    return refused
  }

  const open = Object.entries(errors).filter(([path]) => {
    const [, at = '', ...rest] = path.split('.')
    const before = typed[Number(at)]
    const field = fields.find(({ id }) => id === before?.id)
    return field && !differsAt(rest, before, field)
  })
  const areCorrected = Object.keys(errors).length > 0 && open.length === 0 && !alert.lasting
  return {
    fields,
    isDirty,
    isSaving,
    summary: areCorrected ? [] : alert.texts,
    stale,
    save,
    change: (next: RegistrationField[]) => state.change({ fields: next }, []),
    takeNewest: () => begin(),
    keepMine: () => begin(mergeRegistrationForm(state.base.fields, fields, form.fields)),
    /** The errors of this field at the last save, by property. */
    errorsOf(field: RegistrationField): Record<string, Message> {
      const prefix = `fields.${sent.findIndex(({ id }) => id === field.id)}.`
      const own = open.filter(([path]) => path.startsWith(prefix))
      return Object.fromEntries(
        own.map(([path, text]) => [path.slice(prefix.length).split('.')[0] ?? '', text]),
      )
    },
  }
}

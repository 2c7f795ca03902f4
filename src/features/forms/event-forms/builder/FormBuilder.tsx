import { Button, Grid, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconDeviceFloppy } from '@tabler/icons-react'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { toast } from '~/ui/toast'
import { moved } from '~/features/people/registration/form-draft'
import { useReorder } from '~/features/people/registration/reorder'
import type { EventFormField } from '~/forms/definition'
import { EditingNotices } from '~/forms/EditingNotices'
import type { FieldKindName } from '~/forms/field-kinds'
import lines from '~/forms/FieldLine.module.css'
import { newId } from '~/shared/id'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { AddField } from './AddField'
import { BuilderCard } from './BuilderCard'
import { translatedFieldName } from './field-name'
import classes from './FormBuilder.module.css'
import { newFieldIds, withCopy, withNewField } from './form-draft'
import { type InitialForm, useFormEditing } from './form-editing'
import { FormGaps } from '../FormGaps'
import { FormSettings } from './FormSettings'
import { FormTryout } from './FormTryout'

type Props = {
  start: InitialForm
  userId: string
  language: Language
  clinics: readonly { id: string; name: string }[]
  /** An administrator may give the form to every clinic. */
  mayGiveToAll: boolean
}

/** The questions of a form, their order and texts; nothing changes for users before it is saved. */
export function FormBuilder({ start, userId, language, clinics, mayGiveToAll }: Props) {
  const say = useSay()
  const editing = useFormEditing(start, userId)
  const { draft, change, changeLater, errors } = editing
  const fields = draft.form_fields
  const asksNothing = errors['form']?.['form_fields']
  const [opened, setOpened] = useState<string | null>(null)
  const [added, setAdded] = useState<string | null>(null)
  const [spoken, setSpoken] = useState('')
  const addButton = useRef<HTMLButtonElement>(null)
  // the preview and the list of gaps follow when there is time: typing comes first
  const later = useDeferredValue(draft)

  const named = useMemo(() => {
    const name = say('formBuilder.unnamed')
    return { ...later, form_fields: later.form_fields.map((field) => withNames(field, name)) }
  }, [later, say])

  const count = useRef(fields.length)
  useEffect(() => {
    count.current = fields.length
  }, [fields.length])
  const move = useCallback(
    (from: number, to: number) => {
      if (to < 0 || to >= count.current) return
      change((form) => ({ ...form, form_fields: moved(form.form_fields, from, to) }))
      setSpoken(say({ key: 'formBuilder.movedTo', values: { place: to + 1 } }))
    },
    [change, say],
  )
  const reorder = useReorder(move)
  const toggle = useCallback(
    (id: string) => setOpened((current) => (current === id ? null : id)),
    [],
  )

  function add(kind: FieldKindName) {
    const ids = newFieldIds()
    change((form) => withNewField(form, kind, ids))
    setAdded(ids.field)
    setOpened(ids.field)
  }
  const latest = useRef(draft)
  useEffect(() => {
    latest.current = draft
  }, [draft])
  const copy = useCallback(
    (id: string) => {
      const copyId = newId()
      change((form) =>
        withCopy(form, id, copyId, (name) => say({ key: 'eventForms.copyOf', values: { name } })),
      )
      setAdded(copyId)
      setOpened(copyId)
    },
    [change, say],
  )
  const remove = useCallback(
    (id: string) => {
      const at = latest.current.form_fields.findIndex((field) => field.id === id)
      const gone = latest.current.form_fields[at]
      if (!gone) return
      change((form) => ({
        ...form,
        form_fields: form.form_fields.filter((field) => field.id !== id),
      }))
      const undo = () =>
        change((form) => ({ ...form, form_fields: form.form_fields.toSpliced(at, 0, gone) }))
      toast.success(say('formBuilder.removed'), {
        action: { label: say('common.undo'), onClick: undo },
      })
      addButton.current?.focus()
    },
    [change, say],
  )
  async function saveAndShow() {
    const bad = await editing.save()
    if (bad) setOpened(bad)
  }

  const { ref, ...notices } = editing
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Stack gap="md" component="section" aria-label={say('formBuilder.form')} ref={ref}>
          <EditingNotices {...notices} />
          <FormSettings
            draft={draft}
            change={change}
            changeLater={changeLater}
            isNew={start.last_modified === undefined}
            clinics={clinics}
            mayGiveToAll={mayGiveToAll}
            errors={errors}
          />
          <FormGaps form={later} language={language} onOpen={setOpened} />
          <ol className={lines.fields} aria-label={say('eventForms.fields')}>
            {fields.map((field, at) => (
              <li key={field.id} style={{ opacity: reorder.dragged === at ? 0.6 : undefined }}>
                <BuilderCard
                  field={field}
                  at={at}
                  title={translatedFieldName(field, draft, language)}
                  form={opened === field.id ? draft : undefined}
                  isDragged={reorder.dragged === at}
                  isAdded={added === field.id}
                  errors={errors[field.id]}
                  handle={reorder.handle(at)}
                  onToggle={toggle}
                  change={change}
                  changeLater={changeLater}
                  onCopy={copy}
                  onRemove={remove}
                />
              </li>
            ))}
          </ol>
          {fields.length === 0 && (
            <Text c={asksNothing ? 'var(--mantine-color-error)' : 'dimmed'} size="sm">
              {say(asksNothing ?? 'formBuilder.empty')}
            </Text>
          )}
          <VisuallyHidden aria-live="polite">{spoken}</VisuallyHidden>
          <Group gap="sm" className={classes.bar}>
            <Button
              leftSection={<IconDeviceFloppy size={16} aria-hidden />}
              disabled={!editing.isDirty || editing.isSaving || editing.stale !== null}
              onClick={() => void saveAndShow()}
            >
              {say(editing.isSaving ? 'common.saving' : 'common.save')}
            </Button>
            <AddField ref={addButton} onAdd={add} />
            {editing.isDirty && (
              <Text size="sm" c="dimmed">
                {say('formBuilder.unsaved')}
              </Text>
            )}
          </Group>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Stack gap="xs" style={{ position: 'sticky', top: '4.5rem' }}>
          <Title order={2}>{say('formEditor.preview')}</Title>
          <FormTryout form={named} language={language} />
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

/**
 * An unnamed question or option would be invisible: the preview shows a placeholder, or its number.
 */
function withNames(field: EventFormField, name: string): EventFormField {
  const titled = 'inputType' in field && !field.name ? { ...field, name } : field
  if (!('options' in titled) || titled.options.every(({ label }) => label)) return titled
  return {
    ...titled,
    options: titled.options.map((one, at) => ({ ...one, label: one.label || String(at + 1) })),
  }
}

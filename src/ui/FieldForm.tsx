import { Button, Group, Stack } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import type * as z from 'zod'
import { type FieldErrors, useFormState } from './form'
import { type Fields, type Option, fieldsSchema } from '~/fields/field'
import { AppError } from '~/shared/errors'
import { firstErrors } from '~/shared/problems'
import { type Sayable, useSay } from '~/shared/say'
import { changedFields, type Draft, mergeNewest, startingDraft } from './draft'
import { FormAlert } from './FormAlert'
import { formerAnswers, FormerAnswers } from './FormerAnswers'
import { type FieldProps, FormContext, FormField } from './FormField'
import { StaleNotice } from './StaleNotice'

export type FormOutput<F extends Fields> = { [K in keyof F]: z.output<F[K]['schema']> }
type FieldOf<F extends Fields> = ComponentType<FieldProps<keyof F & string>>

export type FormValues<F extends Fields> = { [K in keyof F]: z.input<F[K]['schema']> | null }

type Props<F extends Fields> = {
  fields: F
  /** The stored record, with every field: one that its query did not select would be saved as null. */
  values?: FormValues<F>
  /** What a new record begins with. */
  suggested?: Partial<FormValues<F>>
  /** Values kept from an earlier visit of the screen, if they differ from `values`. */
  typed?: Draft
  /** What the button says. */
  submit: Sayable
  /** Errors that concern several fields, shown together with those of each field. */
  between?: (draft: Draft) => FieldErrors
  /** Saves. What it throws is shown at the form and beside the fields; every value is kept. */
  onSubmit: (values: FormOutput<F>) => Promise<unknown>
  /** Choices that only the screen knows: `{ clinic_id: [{ value, label: { text } }] }`. */
  options?: { [K in keyof F]?: readonly Option[] }
  /** Names of fields that the screen draws itself; they read their errors with `useOwnField`. */
  ownFields?: readonly string[]
  /** After a stale save the user takes what is stored: values that the screen draws itself follow. */
  onTakeNewest?: () => void
  /** Beside the button: a way out. */
  cancel?: ReactNode
  /** For screens that keep a draft: receives the values at first and on every change. Leaving then asks nothing. */
  onDraft?: (draft: Draft) => void
  /** For kept drafts: what the fields are called that the form had when the draft was begun. */
  formerLabels?: Readonly<Record<string, string>>
  /** Own layout: `{(Field) => <Group grow><Field name="code" /><Field name="name" /></Group>}`. */
  children?: (Field: FieldOf<F>) => ReactNode
}

const NO_DRAFT: Draft = {}

/** Draws one input per field, validates the values and shows each error beside its field. */
export function FieldForm<F extends Fields>(props: Props<F>) {
  const { fields, values, suggested, typed, submit, between, onSubmit, options, cancel } = props
  const { ownFields, onTakeNewest, onDraft, formerLabels, children } = props
  const say = useSay()
  const isAlive = useMounted()
  const newest = startingDraft(fields, values ?? suggested)
  // a field may have left the form since a draft was kept: what was typed there is shown, and stays in the draft
  const [former] = useState(() =>
    onDraft ? formerAnswers(fields, typed ?? suggested, ownFields) : NO_DRAFT,
  )
  const form = useFormState<Draft>({
    start: newest,
    typed: { ...former, ...typed },
    differs: (a, b) => changedFields(a, b).length > 0,
    validate: (draft) => ({ ...between?.(draft), ...errorsIn(fields, draft) }),
    isField(path) {
      // an added field of a registration is called `answers.<id>`; an error of an entry has its number behind
      const [name = ''] = path.split('.')
      const isDrawn = [path, name, path.replace(/\.[^.]*$/, '')].some((each) => each in fields)
      return isDrawn || ownFields?.includes(name) === true
    },
    asksBeforeLeaving: !onDraft,
  })
  const { ref, base, values: draft, alert, stale, isSaving } = form
  const [seen, setSeen] = useState(newest)
  /** The record as it was read when the user saved last. */
  const [saved, setSaved] = useState(values)
  /** The same, if the user kept their changes before the version that refused the save had been read. */
  const [keptOver, setKeptOver] = useState<typeof values>()
  // The screen has been read again. Showing the old values but saving against the new version would
  // undo what another user changed. During a save this waits: if the save fails, the change is followed.
  const changed = isSaving || stale ? [] : changedFields(seen, newest)
  if (changed.length > 0) {
    setSeen(newest)
    follow()
  }
  // what comes after that version is asked about again
  if (!isSaving && keptOver && values !== keptOver) setKeptOver(undefined)
  useEffect(() => onDraft?.(draft), [draft, onDraft])

  /** Untouched fields take their newest values; if both users changed a field, the user decides. */
  function follow() {
    const mine = changedFields(base, draft)
    const apart = changedFields(draft, newest)
    const clashes = changed.some((name) => mine.includes(name) && apart.includes(name))
    if (clashes && !keptOver)
      form.setStale(new AppError('conflict', { key: 'errors.staleByOther' }))
    else form.rebase(newest, mergeNewest(base, draft, newest))
  }

  async function save() {
    const parsed = fieldsSchema(fields).parse(draft)
    setSaved(values)
    await onSubmit(parsed as FormOutput<F>)
    form.rebase(draft)
  }

  function settle(next: Draft) {
    setSeen(newest)
    form.begin(newest, next)
  }

  const context = {
    fields,
    draft,
    errors: form.errors,
    options,
    disabled: isSaving,
    change: (name: string, value: unknown) => form.change({ [name]: value }),
    check: form.recheck,
  }
  const drawAll = (Field: FieldOf<F>) =>
    Object.keys(fields).map((name) => <Field key={name} name={name} />)
  return (
    // post: sent before React responds, a form by GET would write a password into the address
    <form ref={ref} onSubmit={(event) => void form.submit(event, save)} method="post" noValidate>
      <Stack gap="md">
        <FormAlert {...alert} />
        {Object.keys(former).length > 0 && <FormerAnswers answers={former} labels={formerLabels} />}
        {/* not before a refused save has ended: the choice is about the newest version */}
        {stale && !isSaving && (
          <StaleNotice
            error={stale}
            fields={fields}
            onTakeNewest={() => {
              settle(newest)
              onTakeNewest?.()
            }}
            onKeepMine={() => {
              setKeptOver(values === saved ? values : undefined)
              settle(mergeNewest(base, draft, newest))
            }}
          />
        )}
        <FormContext value={context}>{(children ?? drawAll)(FormField as FieldOf<F>)}</FormContext>
        <Group gap="sm">
          {/* before React responds, Enter must not send the form and lose what is typed */}
          <Button type="submit" disabled={!isAlive || isSaving || stale !== null}>
            {isSaving ? say('common.saving') : say(submit)}
          </Button>
          {cancel}
        </Group>
      </Stack>
    </form>
  )
}

function errorsIn(fields: Fields, draft: Draft): FieldErrors {
  const parsed = fieldsSchema(fields).safeParse(draft)
  return parsed.success ? {} : firstErrors(parsed.error)
}

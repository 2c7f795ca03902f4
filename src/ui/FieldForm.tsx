import { Button, Group, Stack } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import {
  type ComponentType,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import type * as z from 'zod'
import { type Fields, type Option, schemaOf } from '~/fields/field'
import { AppError, type Message } from '~/shared/errors'
import { problems } from '~/shared/problems'
import { type Sayable, useSay } from '~/shared/say'
import { differences, type Draft, mergeNewest, startingDraft } from './draft'
import { explainUnsaved } from '~/client/explain'
import { announceExpiry } from '~/client/expiry'
import { returnFocusSoon } from './focusTrail'
import { FormAlert } from './FormAlert'
import { type FieldProps, FormContext, FormField } from './FormField'
import { StaleNotice } from './StaleNotice'
import { useUnsavedWarning } from './unsaved'

export type FormOutput<F extends Fields> = { [K in keyof F]: z.output<F[K]['schema']> }
type FieldOf<F extends Fields> = ComponentType<FieldProps<keyof F & string>>

type Complaints = Record<string, Message>

export type Values<F extends Fields> = { [K in keyof F]: z.input<F[K]['schema']> | null }

type Props<F extends Fields> = {
  fields: F
  /** The stored record, with every field: one that its query did not select would be saved as null. */
  values?: Values<F>
  /** What a new record begins with. */
  suggested?: Partial<Values<F>>
  /** What was being typed before the page was left, where it differs from `values`. */
  typed?: Draft
  /** What the button says. */
  submit: Sayable
  /** Problems between several fields, shown together with those of each field. */
  between?: (draft: Draft) => Complaints
  /** Saves. What it throws is shown at the form and beside the fields; nothing typed is lost. */
  onSubmit: (values: FormOutput<F>) => Promise<unknown>
  /** Choices that only the screen knows: `{ clinic_id: [{ value, label: { text } }] }`. */
  options?: { [K in keyof F]?: readonly Option[] }
  /** Beside the button: a way out. */
  cancel?: ReactNode
  /**
   * Told of what stands in the form, at first and on every change, by a screen that keeps it:
   * leaving then asks nothing.
   */
  onDraft?: (draft: Draft) => void
  /** Own layout: `{(Field) => <Group grow><Field name="code" /><Field name="name" /></Group>}`. */
  children?: (Field: FieldOf<F>) => ReactNode
}

/** Draws one input per field, checks the answers and shows what is wrong next to the field it is about. */
export function FieldForm<F extends Fields>(props: Props<F>) {
  const {
    fields,
    values,
    suggested,
    typed,
    submit,
    between,
    onSubmit,
    options,
    cancel,
    onDraft,
    children,
  } = props
  const say = useSay()
  const router = useRouter()
  const form = useRef<HTMLFormElement>(null)
  const [base, setBase] = useState<Draft>(() => startingDraft(fields, values ?? suggested))
  const [draft, setDraft] = useState<Draft>(() => ({ ...base, ...typed }))
  const [complaints, setComplaints] = useState<Complaints>({})
  const [whole, setWhole] = useState<Message | null>(null)
  const [stale, setStale] = useState<AppError | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const mayLeaveRef = useUnsavedWarning(!onDraft && differences(base, draft).length > 0)
  const isAlive = useMounted()
  const [seen, setSeen] = useState(base)
  // The screen was read again underneath. Drawn from the old values but saved against the new
  // version, the form would undo what another user changed. A save under way is answered first: if
  // it fails, the change must still be followed.
  const newest = startingDraft(fields, values ?? suggested)
  const moved = isSaving || stale ? [] : differences(seen, newest)
  if (moved.length > 0) {
    setSeen(newest)
    follow(moved)
  }
  useFocusOnFirstBad(form, complaints, isSaving)
  useEffect(() => onDraft?.(draft), [draft, onDraft])

  async function save(event: FormEvent) {
    event.preventDefault()
    // a form inside a dialog inside a form: only this one is meant
    event.stopPropagation()
    if (isSaving) return
    setWasSubmitted(true)
    setWhole(null)
    const parsed = schemaOf(fields).safeParse(draft)
    const found = { ...between?.(draft), ...(parsed.success ? {} : problems(parsed.error)) }
    if (!parsed.success || Object.keys(found).length > 0)
      return complain(found, { key: 'errors.invalid' })
    setComplaints({})
    setIsSaving(true)
    mayLeaveRef.current = true
    try {
      await onSubmit(parsed.data as FormOutput<F>)
      setBase(draft)
    } catch (error) {
      mayLeaveRef.current = false
      await refuse(error)
    } finally {
      setIsSaving(false)
      // the button was disabled meanwhile, and with it the focus lost
      returnFocusSoon()
    }
  }

  async function refuse(error: unknown) {
    if (!(error instanceof AppError)) return setWhole(explainUnsaved(error))
    if (error.code === 'unauthenticated') announceExpiry()
    if (error.code === 'conflict' && error.text.key.startsWith('errors.stale')) {
      setStale(error)
      // brings the newest values and the version to save against
      await router.invalidate()
      return
    }
    complain(error.fields, error.text)
  }

  function complain(found: Complaints, text: Message) {
    setComplaints(found)
    setWhole(text)
  }

  /** What the user has not touched becomes what it is now; where both changed the same field, the user decides. */
  function follow(changed: readonly string[]) {
    const mine = new Set(differences(base, draft))
    const clashes = changed.some(
      (name) => mine.has(name) && differences(draft, newest).includes(name),
    )
    if (clashes) return setStale(new AppError('conflict', { key: 'errors.staleByOther' }))
    setBase(newest)
    setDraft(mergeNewest(base, draft, newest))
  }

  const settleStale = (next: Draft) => {
    setSeen(newest)
    setBase(newest)
    setDraft(next)
    setStale(null)
    mayLeaveRef.current = false
  }

  function change(name: string, value: unknown) {
    // a save lets the page go; what is typed after it is unsaved again
    mayLeaveRef.current = false
    setDraft((current) => ({ ...current, [name]: value }))
    setComplaints((found) => withoutField(found, name))
  }

  function check(name: string) {
    if (!wasSubmitted) return
    const parsed = schemaOf(fields).safeParse(draft)
    const found =
      (parsed.success ? undefined : problems(parsed.error)[name]) ?? between?.(draft)[name]
    setComplaints((all) => ({ ...withoutField(all, name), ...(found && { [name]: found }) }))
  }

  const strays = Object.entries(complaints).filter(
    ([path]) => !((path.split('.')[0] ?? '') in fields),
  )
  const drawAll = (Field: FieldOf<F>) =>
    Object.keys(fields).map((name) => <Field key={name} name={name} />)
  return (
    // post: pressed before React is there, a form by GET would write a password into the address
    <form ref={form} onSubmit={save} method="post" noValidate>
      <Stack gap="md">
        {whole && (
          <FormAlert
            texts={[whole, ...strays.map(([, text]) => text)]}
            lasting={strays.length > 0}
          />
        )}
        {stale && (
          <StaleNotice
            error={stale}
            fields={fields}
            onTakeNewest={() => settleStale(newest)}
            onKeepMine={() => settleStale(mergeNewest(base, draft, newest))}
          />
        )}
        <FormContext
          value={{ fields, draft, complaints, options, disabled: isSaving, change, check }}
        >
          {(children ?? drawAll)(FormField as FieldOf<F>)}
        </FormContext>
        <Group gap="sm">
          {/* until React is there, Enter must not send the form away and what is typed with it */}
          <Button type="submit" disabled={!isAlive || isSaving || stale !== null}>
            {isSaving ? say('common.saving') : say(submit)}
          </Button>
          {cancel}
        </Group>
      </Stack>
    </form>
  )
}

/** What is wrong with the other fields; an entry of this one ("words.2") goes with it. */
const withoutField = (found: Complaints, name: string): Complaints =>
  Object.fromEntries(
    Object.entries(found).filter(([path]) => path !== name && !path.startsWith(`${name}.`)),
  )

/** Brings a keyboard or a screen reader to the first thing to mend. */
function useFocusOnFirstBad(
  form: RefObject<HTMLFormElement | null>,
  complaints: Complaints,
  isSaving: boolean,
) {
  const seen = useRef(complaints)
  useEffect(() => {
    // typing mends complaints too; only a new batch moves the focus, and only once the inputs are enabled again
    if (isSaving || Object.keys(complaints).length <= Object.keys(seen.current).length) {
      if (!isSaving) seen.current = complaints
      return
    }
    seen.current = complaints
    if (
      form.current?.contains(document.activeElement) &&
      document.activeElement?.getAttribute('type') !== 'submit'
    )
      return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form, complaints, isSaving])
}

import { useRouter } from '@tanstack/react-router'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { CancelButton } from './CancelButton'
import { toast } from './toast'
import type { Fields } from '~/fields/field'
import { newId } from '~/shared/id'
import { type Sayable, useSay } from '~/shared/say'
import { Dialog } from './Dialog'
import { FieldForm, type FormOutput } from './FieldForm'
import { useUnsavedInDialog } from './unsaved'

type FormProps<F extends Fields> = Omit<
  ComponentProps<typeof FieldForm<F>>,
  'values' | 'submit' | 'cancel' | 'onSubmit'
>
/** The id and the version that a save is about; a new record has no version. */
export type RecordVersion = { id: string; last_modified: Date | undefined }
type Props<F extends Fields> = FormProps<F> & {
  title: Sayable
  /** The stored record; none for a new one, which gets an id when the dialog opens. */
  record?: ComponentProps<typeof FieldForm<F>>['values'] & { id: string; last_modified: Date }
  size?: 'md' | 'lg'
  submit?: Sayable
  /** Above the form. */
  before?: ReactNode
  /** Another value starts the form again, with what is suggested then. */
  startedBy?: string
  onSave: (values: FormOutput<F>, version: RecordVersion) => Promise<unknown>
  saved: (values: FormOutput<F>) => Sayable
  /** After the message that it is saved: what is said then is on top. */
  onSaved?: () => void
  onClose: () => void
}

/** What was chosen above the form is discarded with it, and is no change of the form's own. */
export function Chosen() {
  useUnsavedInDialog(true)
  return null
}

/** A form in a dialog that adds a record or changes one: saves, reloads the screen, says so and closes. */
export function RecordDialog<F extends Fields>({
  title,
  record,
  size = 'lg',
  submit = 'common.save',
  before,
  startedBy,
  onSave,
  saved,
  onSaved,
  onClose,
  ...form
}: Props<F>) {
  const say = useSay()
  const router = useRouter()
  const [id] = useState(() => record?.id ?? newId())
  return (
    <Dialog onClose={onClose} size={size} title={say(title)}>
      {before}
      {startedBy !== undefined && <Chosen />}
      <FieldForm<F>
        key={startedBy}
        {...(form as FormProps<F>)}
        values={record}
        submit={submit}
        cancel={<CancelButton onClick={onClose} />}
        onSubmit={async (values) => {
          await onSave(values, { id, last_modified: record?.last_modified })
          await router.invalidate()
          toast.success(say(saved(values)))
          onClose()
          onSaved?.()
        }}
      />
    </Dialog>
  )
}

import { IconRoute } from '@tabler/icons-react'
import { memo } from 'react'
import type { EventFormField } from '~/forms/definition'
import { FieldLine, type ReorderHandle } from '~/forms/FieldLine'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { kindIcons } from './AddField'
import { FieldEditor } from './FieldEditor'
import { focus } from './focus'
import type { FormDraft } from './form-draft'
import type { FormUpdater } from './form-editing'

type Props = {
  field: EventFormField
  at: number
  /** Its name as the viewer reads it; "" while it has none. */
  title: string
  /** The whole form, for the card that is open; the others do not change with it. */
  form: FormDraft | undefined
  isDragged: boolean
  isAdded: boolean
  errors: Record<string, Message> | undefined
  handle: ReorderHandle
  onToggle: (id: string) => void
  change: FormUpdater
  changeLater: FormUpdater
  onCopy: (id: string) => void
  onRemove: (id: string) => void
}

/** One field of the form: a line that can be moved, and everything about it once it is opened. */
export const BuilderCard = memo(Card, (before, after) =>
  // the handle is created again each time; it only knows its position and whether it is being
  // dragged
  (Object.keys(after) as (keyof Props)[]).every(
    (name) => name === 'handle' || before[name] === after[name],
  ),
)

function Card(props: Props) {
  const { field, title, form, isAdded, errors, handle, onToggle } = props
  const say = useSay()
  const kind = say(`formBuilder.kind_${field.fieldType}`)
  const name = title || (field.fieldType === 'separator' ? kind : say('formBuilder.unnamed'))
  const Icon = kindIcons[field.fieldType]
  return (
    <FieldLine
      name={name}
      required={field.required}
      isBad={errors !== undefined}
      kind={kind}
      sign={<Icon size={12} aria-hidden />}
      marks={field.rules && <IconRoute size={16} aria-label={say('formBuilder.hasRules')} />}
      handle={handle}
      onToggle={() => onToggle(field.id)}
      toggle={isAdded && field.fieldType === 'separator' ? focus : undefined}
    >
      {form && <FieldEditor {...props} form={form} />}
    </FieldLine>
  )
}

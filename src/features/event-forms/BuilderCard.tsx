import { ActionIcon, Badge, Group, Paper, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconGripVertical, IconRoute } from '@tabler/icons-react'
import { type HTMLAttributes, memo } from 'react'
import type { FormField } from '~/forms/definition'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { kindIcons } from './AddField'
import { FieldEditor } from './FieldEditor'
import { focus } from './focus'
import type { FormDraft } from './form-draft'
import type { Change } from './form-editing'

type Props = {
  field: FormField
  at: number
  /** Its name as the viewer reads it; "" while it has none. */
  title: string
  /** The whole form, for the card that is open; the others do not change with it. */
  form: FormDraft | undefined
  isDragged: boolean
  isAdded: boolean
  complaints: Record<string, Message> | undefined
  handle: HTMLAttributes<HTMLElement>
  onToggle: (id: string) => void
  change: Change
  changeLater: Change
  onCopy: (id: string) => void
  onRemove: (id: string) => void
}

/** One field of the form: a line that can be moved, and everything about it once it is opened. */
export const BuilderCard = memo(Card, (before, after) =>
  // the handle is made anew each time; what it knows is its place and whether it is being dragged
  (Object.keys(after) as (keyof Props)[]).every((name) => name === 'handle' || before[name] === after[name]),
)

function Card(props: Props) {
  const { field, title, form, isAdded, complaints, handle, onToggle } = props
  const say = useSay()
  const kind = say(`formBuilder.kind_${field.fieldType}`)
  const name = title || (field.fieldType === 'separator' ? kind : say('formBuilder.unnamed'))
  const Icon = kindIcons[field.fieldType]
  const isOpen = form !== undefined
  return (
    <Paper withBorder style={complaints ? { borderColor: 'var(--mantine-color-error)' } : undefined}>
      <Group gap={4} wrap="nowrap" p={6}>
        <ActionIcon
          {...handle}
          variant="subtle"
          color="gray"
          aria-label={say({ key: 'formBuilder.move', values: { name } })}
          title={say('formBuilder.moveHint')}
        >
          <IconGripVertical size={18} aria-hidden />
        </ActionIcon>
        <UnstyledButton
          onClick={() => onToggle(field.id)}
          aria-expanded={isOpen}
          ref={isAdded && field.fieldType === 'separator' ? focus : undefined}
          flex={1}
          p={4}
          miw={0}
        >
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text component="bdi" fw={600} truncate>
              {name}
              {field.required && ' *'}
            </Text>
            <Group gap={6} wrap="nowrap" style={{ flexShrink: 0 }}>
              {field.rules && <IconRoute size={16} aria-label={say('formBuilder.hasRules')} />}
              <Badge
                variant="default"
                tt="none"
                fw={500}
                radius="sm"
                visibleFrom="xs"
                leftSection={<Icon size={12} aria-hidden />}
              >
                {kind}
              </Badge>
              <IconChevronDown size={16} aria-hidden style={{ rotate: isOpen ? '180deg' : undefined }} />
            </Group>
          </Group>
        </UnstyledButton>
      </Group>
      {form && <FieldEditor {...props} form={form} />}
    </Paper>
  )
}

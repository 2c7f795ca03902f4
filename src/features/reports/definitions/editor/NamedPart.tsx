import { ActionIcon, Group, Paper, Stack, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useSay } from '~/shared/say'
import { idFrom } from './definition-draft'

type NameProps = {
  label: string
  name: string
  onRename: (to: string) => void
}
type Props = NameProps & { onRemove: () => void; children: ReactNode }

/** A part of a definition that others refer to by its name: a group of codes, an axis or a measure. */
export function NamedPart({ name, onRemove, children, ...box }: Props) {
  const say = useSay()
  return (
    <Paper withBorder p="sm" component="section" aria-label={name}>
      <Stack gap="xs">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <NameBox name={name} {...box} />
          <ActionIcon
            variant="default"
            size="input-sm"
            onClick={onRemove}
            aria-label={say({ key: 'reportEditor.removePart', values: { name } })}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}

/** The name changes when the box is left. */
function NameBox({ label, name, onRename }: NameProps) {
  const say = useSay()
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <TextInput
      label={label}
      description={say('reportEditor.nameHint')}
      value={typed ?? name}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed?.trim()) onRename(idFrom(typed, new Set()))
        setTyped(null)
      }}
      maxLength={50}
      flex={1}
      dir="auto"
      autoComplete="off"
    />
  )
}

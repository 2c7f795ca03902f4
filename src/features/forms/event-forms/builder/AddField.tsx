import { Button, Menu } from '@mantine/core'
import {
  IconCalendar,
  IconCircleCheck,
  IconHeading,
  IconListCheck,
  IconPaperclip,
  IconPill,
  IconPlus,
  IconSeparator,
  IconStethoscope,
  IconTextSize,
  type TablerIcon,
} from '@tabler/icons-react'
import type { Ref } from 'react'
import { FIELD_KINDS, type FieldKindName, isLayout } from '~/forms/field-kinds'
import { useSay } from '~/shared/say'

export const kindIcons: Record<FieldKindName, TablerIcon> = {
  'free-text': IconTextSize,
  options: IconListCheck,
  binary: IconCircleCheck,
  date: IconCalendar,
  medicine: IconPill,
  diagnosis: IconStethoscope,
  file: IconPaperclip,
  text: IconHeading,
  separator: IconSeparator,
}

type Props = { ref: Ref<HTMLButtonElement>; onAdd: (kind: FieldKindName) => void }

/** Adds a field of any kind: questions first, then what only gives the form its shape. */
export function AddField({ ref, onAdd }: Props) {
  const say = useSay()
  const item = (kind: FieldKindName) => {
    const Icon = kindIcons[kind]
    return (
      <Menu.Item
        key={kind}
        leftSection={<Icon size={16} aria-hidden />}
        onClick={() => onAdd(kind)}
      >
        {say(`formBuilder.kind_${kind}`)}
      </Menu.Item>
    )
  }
  return (
    <Menu position="top-start" returnFocus={false}>
      <Menu.Target>
        <Button ref={ref} variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
          {say('formBuilder.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FIELD_KINDS.filter((kind) => !isLayout(kind)).map(item)}
        <Menu.Divider />
        {FIELD_KINDS.filter(isLayout).map(item)}
      </Menu.Dropdown>
    </Menu>
  )
}

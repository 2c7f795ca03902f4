import { ActionIcon, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { UrgencyBadge } from './UrgencyBadge'
import { type Urgency, URGENT } from './urgency'

type Props = {
  name: string
  disabled: boolean
  size?: string
  onChoose: (urgency: Urgency) => void
}

/** Beside a button that checks in as routine: the more urgent ones. */
export function UrgentCheckIn({ name, disabled, size = 'input-sm', onChoose }: Props) {
  const say = useSay()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={size}
          disabled={disabled}
          aria-label={say({ key: 'urgency.more', values: { name } })}
        >
          <IconChevronDown size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{say('appointments.checkIn')}</Menu.Label>
        {URGENT.map((urgency) => (
          <Menu.Item key={urgency} onClick={() => onChoose(urgency)}>
            <UrgencyBadge urgency={urgency} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

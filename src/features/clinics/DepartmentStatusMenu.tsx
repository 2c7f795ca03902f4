import { Group, Menu, UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { StatusBadge } from '~/ui/StatusBadge'
import { type DepartmentStatus, statusMoves } from './clinic'
import { setDepartmentStatus } from './clinics.functions'
import type { Department } from './departments.server'

const tones = {
  active: 'good',
  inactive: 'quiet',
  maintenance: 'warning',
} as const satisfies Record<DepartmentStatus, string>

/** The status, and the moves that are allowed from it. */
export function DepartmentStatusMenu({
  department: { id, name, status },
  mayChange,
}: {
  department: Department
  mayChange: boolean
}) {
  const say = useSay()
  const { run, pending } = useAction()
  const badge = <StatusBadge tone={tones[status]}>{say(`departments.${status}`)}</StatusBadge>
  if (!mayChange) return badge

  const move = (to: DepartmentStatus) =>
    run(() => setDepartmentStatus({ data: { id, status: to } }), {
      success: {
        key: 'departments.statusDone',
        values: { name, status: say(`departments.${to}`) },
      },
    })
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          disabled={pending}
          aria-label={say({
            key: 'departments.changeStatus',
            values: { name, status: say(`departments.${status}`) },
          })}
        >
          <Group gap={4} wrap="nowrap">
            {badge}
            <IconChevronDown size={14} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {statusMoves(status).map((to) => (
          <Menu.Item key={to} onClick={() => move(to)}>
            {say(`departments.${to}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

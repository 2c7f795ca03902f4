import { Menu } from '@mantine/core'
import { api } from '~/client/api'
import { runAsking } from '~/features/rules/earlier/save-asking'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { StatusBadge } from '~/ui/StatusBadge'
import { StatusMenu } from '~/ui/menus'
import { type DepartmentStatus, statusMoves } from './clinic'
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
    runAsking(run, (confirmed) => api.departments.setStatus({ id, status: to, confirmed }), {
      success: {
        key: 'departments.statusDone',
        values: { name, status: say(`departments.${to}`) },
      },
    })
  return (
    <StatusMenu
      badge={badge}
      label={{
        key: 'departments.changeStatus',
        values: { name, status: say(`departments.${status}`) },
      }}
      pending={pending}
    >
      {statusMoves(status).map((to) => (
        <Menu.Item key={to} onClick={() => void move(to)}>
          {say(`departments.${to}`)}
        </Menu.Item>
      ))}
    </StatusMenu>
  )
}

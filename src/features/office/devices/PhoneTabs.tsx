import { Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useSay } from '~/shared/say'

const tabs = [
  { to: '/app/settings/phones', label: 'devices.title' },
  { to: '/app/settings/quarantine', label: 'devices.refused' },
  { to: '/app/settings/conflicts', label: 'devices.conflicts' },
] as const

/** The three screens about phones. Users who administer no clinic see only what they sent. */
export function PhoneTabs({
  current,
  isAdministrator,
}: {
  current: (typeof tabs)[number]['to']
  isAdministrator: boolean
}) {
  const say = useSay()
  const navigate = useNavigate()
  return (
    <Tabs
      value={current}
      onChange={(to) => void navigate({ to: to as typeof current })}
      variant="outline"
    >
      <Tabs.List aria-label={say('devices.tabs')}>
        {tabs
          .filter(({ to }) => isAdministrator || to !== '/app/settings/phones')
          .map(({ to, label }) => (
            <Tabs.Tab key={to} value={to}>
              {say(label)}
            </Tabs.Tab>
          ))}
      </Tabs.List>
    </Tabs>
  )
}

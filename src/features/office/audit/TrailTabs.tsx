import { Stack, Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSay } from '~/shared/say'

const PAGES = { changes: '/app/audit', accesses: '/app/audit/accesses' } as const
type Trail = keyof typeof PAGES

/** The two parts of the audit trail: changes and accesses. */
export function TrailTabs({ shown, children }: { shown: Trail; children: ReactNode }) {
  const say = useSay()
  const navigate = useNavigate()
  return (
    <Tabs
      value={shown}
      onChange={(chosen) => void navigate({ to: PAGES[chosen as Trail] })}
      keepMounted={false}
    >
      <Tabs.List aria-label={say('audit.title')} mb="md">
        <Tabs.Tab value="changes">{say('accesses.changes')}</Tabs.Tab>
        <Tabs.Tab value="accesses">{say('accesses.title')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={shown}>
        <Stack gap="lg">{children}</Stack>
      </Tabs.Panel>
    </Tabs>
  )
}

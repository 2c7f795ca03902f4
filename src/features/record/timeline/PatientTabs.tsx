import { Button, Group, Menu, Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useSay } from '~/shared/say'
import classes from './PatientTabs.module.css'
import type { Tab } from './tabs'

type Props = {
  tabs: readonly Tab[]
  tab: Tab
  onTab: (tab: Tab) => void
  children: ReactNode
}

/** How many fit in one line: at a desk, and on a phone. */
const AT_A_DESK = 6
const ON_A_PHONE = 3

/** The parts of a record that are looked at most often; the others are in a menu, but for the one on screen. */
export function PatientTabs({ tabs, tab, onTab, children }: Props) {
  const say = useSay()
  const isPhone = useMediaQuery('(max-width: 48em)', false)
  const most = isPhone ? ON_A_PHONE : AT_A_DESK
  // a menu of one would take the place of its entry
  const fits = tabs.length <= most + 1 ? tabs.length : most
  const first = tabs.slice(0, fits)
  const shown = first.includes(tab) ? first : [...first.slice(0, isPhone ? -1 : undefined), tab]
  const others = tabs.filter((each) => !shown.includes(each))
  return (
    <Tabs value={tab} onChange={(chosen) => onTab(chosen as Tab)} keepMounted={false}>
      <Group className={classes.line} gap={0} wrap="nowrap" mb="md" data-print="no">
        <Tabs.List aria-label={say('patientPage.tabs')} className={classes.list}>
          {shown.map((name) => (
            <Tabs.Tab key={name} value={name} className={classes.tab}>
              {say(`patientPage.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {others.length > 0 && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button
                variant="subtle"
                color="gray"
                c="inherit"
                fw={400}
                className={classes.more}
                rightSection={<IconChevronDown size={14} aria-hidden />}
              >
                {say('patientPage.more')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {others.map((name) => (
                <Menu.Item key={name} onClick={() => onTab(name)}>
                  {say(`patientPage.${name}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <Tabs.Panel value={tab}>{children}</Tabs.Panel>
    </Tabs>
  )
}

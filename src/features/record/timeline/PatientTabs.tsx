import { Button, Group, Menu, Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSay } from '~/shared/say'
import classes from './PatientTabs.module.css'
import type { Tab } from './tabs'

type Props = {
  tabs: readonly Tab[]
  tab: Tab
  onTab: (tab: Tab) => void
  children: ReactNode
}

/** How many fit in one line: at a desk, and on a tablet or phone. */
const AT_A_DESK = 6
const ON_A_PHONE = 3

/** The parts of a record that are looked at most often; the others are in a menu, but for the one on screen. */
export function PatientTabs({ tabs, tab, onTab, children }: Props) {
  const say = useSay()
  const isNarrow = useMediaQuery('(max-width: 61.99em)', false)
  const list = useRef<HTMLDivElement>(null)
  const fromMenu = useRef<Tab | null>(null)
  // a part that was chosen in the menu has a tab now: the focus goes there, and says so
  useEffect(() => {
    if (fromMenu.current !== tab) return
    fromMenu.current = null
    list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
  }, [tab])
  const most = isNarrow ? ON_A_PHONE : AT_A_DESK
  // a menu of one would take the place of its entry
  const fits = tabs.length <= most + 1 ? tabs.length : most
  const first = tabs.slice(0, fits)
  // before the browser has said how wide it is, the style sheet hides what will be in the menu
  const isCutOnPhone = tabs.length > ON_A_PHONE + 1 ? true : undefined
  const shown = first.includes(tab) ? first : [...first.slice(0, isNarrow ? -1 : undefined), tab]
  const others = tabs.filter((each) => !shown.includes(each))
  return (
    <Tabs
      value={tab}
      onChange={(chosen) => onTab(tabs.find((each) => each === chosen) ?? tab)}
      keepMounted={false}
    >
      <Group className={classes.line} gap={0} wrap="nowrap" mb="md" data-print="no">
        <Tabs.List
          ref={list}
          aria-label={say('patientPage.tabs')}
          className={classes.list}
          data-cut={isCutOnPhone}
        >
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
                <Menu.Item
                  key={name}
                  onClick={() => {
                    fromMenu.current = name
                    onTab(name)
                  }}
                >
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

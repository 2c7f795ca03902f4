import {
  ActionIcon,
  Badge,
  Box,
  Group,
  ScrollArea,
  Text,
  Tooltip,
  useDirection,
} from '@mantine/core'
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { useQuery } from '~/client/query'
import type { Actor } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import classes from './Navigation.module.css'
import { areasFor, type Screen, screenAt } from './navigation'

type Props = {
  actor: Actor
  /** Icons only; the names appear as tooltips. */
  isNarrow?: boolean
  onToggle?: () => void
  /** After a choice: the drawer closes itself. */
  onGo?: () => void
}

export function Navigation({ actor, isNarrow = false, onToggle, onGo }: Props) {
  const current = screenAt(useLocation().pathname)
  return (
    <Box className={classes.frame} data-narrow={isNarrow || undefined}>
      <ScrollArea className={classes.scroller} type="scroll" viewportProps={{ tabIndex: -1 }}>
        {areasFor(actor).map(({ label, screens }) => (
          <AreaList key={label ?? 'home'} label={label} isNarrow={isNarrow}>
            {screens.map((screen) => (
              <Entry
                key={screen.path}
                screen={screen}
                isCurrent={screen === current}
                isNarrow={isNarrow}
                onGo={onGo}
              />
            ))}
          </AreaList>
        ))}
      </ScrollArea>
      {onToggle && <Toggle isNarrow={isNarrow} onToggle={onToggle} />}
    </Box>
  )
}

function AreaList({
  label,
  isNarrow,
  children,
}: {
  label: MessageKey | null
  isNarrow: boolean
  children: ReactNode
}) {
  const say = useSay()
  const id = useId()
  if (!label) return <ul className={classes.list}>{children}</ul>
  return (
    <>
      <Text id={id} className={classes.area} data-narrow={isNarrow || undefined}>
        {say(label)}
      </Text>
      <ul className={classes.list} aria-labelledby={id}>
        {children}
      </ul>
    </>
  )
}

type EntryProps = { screen: Screen; isCurrent: boolean; isNarrow: boolean; onGo?: () => void }

function Entry({ screen, isCurrent, isNarrow, onGo }: EntryProps) {
  const say = useSay()
  const { dir } = useDirection()
  const label = say(screen.label)
  const Icon = screen.icon
  const link = (
    <Link
      to={screen.path}
      className={classes.entry}
      onClick={onGo}
      aria-label={isNarrow ? label : undefined}
      aria-current={isCurrent ? 'page' : undefined}
      // else the router marks every screen that the address starts with, whatever is said above
      activeOptions={{ exact: true }}
      data-current={isCurrent || undefined}
    >
      <Icon size={20} stroke={1.7} aria-hidden />
      {!isNarrow && <span>{label}</span>}
      {!isNarrow && screen.path === '/app/follow-up' && <OverdueCount />}
    </Link>
  )
  if (!isNarrow) return <li>{link}</li>
  return (
    <li>
      <Tooltip label={label} position={dir === 'rtl' ? 'left' : 'right'}>
        {link}
      </Tooltip>
    </li>
  )
}

/** More are not counted. */
const COUNTED = 100

/** How many patients are overdue; counted again with each screen. */
function OverdueCount() {
  const say = useSay()
  const { data } = useQuery('followups.count', {}, { version: useLocation().pathname })
  if (!data || data.count === 0) return null
  const shown = data.count < COUNTED ? String(data.count) : `${COUNTED - 1}+`
  return (
    <Badge
      size="sm"
      ms="auto"
      variant="light"
      color="red"
      aria-label={say({ key: 'followups.countOverdue', values: { count: shown } })}
    >
      {shown}
    </Badge>
  )
}

function Toggle({ isNarrow, onToggle }: { isNarrow: boolean; onToggle: () => void }) {
  const say = useSay()
  const label = say(isNarrow ? 'shell.expand' : 'shell.collapse')
  const Icon = isNarrow ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse
  return (
    <Group justify={isNarrow ? 'center' : 'flex-end'} p="xs" className={classes.toggle}>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="var(--mantine-color-dimmed)"
          onClick={onToggle}
          aria-label={label}
        >
          <Icon size={20} stroke={1.7} className={classes.flips} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

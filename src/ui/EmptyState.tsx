import { Center, Stack, Text } from '@mantine/core'
import { IconInbox, type TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'
import { type Sayable, useSay } from '~/shared/say'

type Props = {
  title: Sayable
  text?: Sayable
  icon?: TablerIcon
  action?: ReactNode
  isPage?: boolean
}

/** Says honestly that there is nothing, and what to do about it. */
export function EmptyState({ title, text, icon: Icon = IconInbox, action, isPage }: Props) {
  const say = useSay()
  return (
    <Center py="xl" px="md" mih="14rem">
      <Stack align="center" gap="xs" maw="28rem">
        <span className={classes.icon}>
          <Icon size={26} stroke={1.6} aria-hidden />
        </span>
        <Text
          fw={600}
          ta="center"
          component={isPage ? 'h1' : 'p'}
          m={0}
          fz={isPage ? 'h1' : undefined}
        >
          {say(title)}
        </Text>
        {text && (
          <Text c="dimmed" size="sm" ta="center">
            {say(text)}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}

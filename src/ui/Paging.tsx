import { ActionIcon, Group, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useDirection } from '@mantine/core'
import { LinkIcon } from '~/client/menu-links'
import { useSay } from '~/shared/say'
import classes from './DataTable.module.css'
import { withSearch } from './search'

export type Pagination = { page: number; pageSize: number; total: number; isMore?: true }

/** "51–100 of 132" and the ways back and on, as links that can be opened and kept. */
export function Paging({ page, pageSize, total, isMore }: Pagination) {
  const say = useSay()
  const from = (page - 1) * pageSize + 1
  const to = Math.min(page * pageSize, total)
  return (
    <Group
      component="nav"
      justify="space-between"
      px="md"
      py={6}
      mih="2.75rem"
      className={classes.paging}
      aria-label={say('table.pages')}
    >
      <Text size="sm" c="dimmed" aria-live="polite">
        {total > pageSize
          ? say({ key: isMore ? 'table.rangeOfMore' : 'table.range', values: { from, to, total } })
          : say({ key: 'table.total', values: { count: total } })}
      </Text>
      {total > pageSize && (
        <Group gap={4} data-print="no">
          <Step label="table.previous" page={page - 1} isThere={page > 1} side="back" />
          <Text size="sm" px={4}>
            {say({ key: 'table.page', values: { page } })}
          </Text>
          <Step
            label="table.next"
            page={page + 1}
            isThere={isMore === true || to < total}
            side="on"
          />
        </Group>
      )}
    </Group>
  )
}

type StepProps = {
  label: 'table.previous' | 'table.next'
  page: number
  isThere: boolean
  side: 'back' | 'on'
}

function Step({ label, page, isThere, side }: StepProps) {
  const say = useSay()
  const { dir } = useDirection()
  const Icon = (side === 'back') === (dir === 'ltr') ? IconChevronLeft : IconChevronRight
  const look = { variant: 'default', 'aria-label': say(label) } as const
  if (!isThere) {
    return (
      <ActionIcon {...look} disabled>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    )
  }
  return (
    <LinkIcon {...look} to="." search={withSearch({ page: page > 1 ? page : undefined })}>
      <Icon size={16} aria-hidden />
    </LinkIcon>
  )
}

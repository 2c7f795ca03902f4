import { ActionIcon, Tooltip } from '@mantine/core'
import { IconHelpCircle } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useSay } from '~/shared/say'
import { guideFor } from './guide'

/** Opens the guide's page about this screen. */
export function GuideLink() {
  const say = useSay()
  const { pathname } = useLocation()
  const guide = pathname.startsWith('/app/help') ? undefined : guideFor(pathname)
  if (!guide) return null
  return (
    <Tooltip label={say('help.open')}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--mantine-color-dimmed)"
        data-print="no"
        aria-label={say('help.open')}
        renderRoot={(props) => <Link to={`/app/help/${guide}` as string} {...props} />}
      >
        <IconHelpCircle size={20} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

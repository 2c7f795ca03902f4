import { Tooltip } from '@mantine/core'
import { IconHelpCircle } from '@tabler/icons-react'
import { useLocation } from '@tanstack/react-router'
import { LinkIcon } from '~/client/menu-links'
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
      <LinkIcon
        variant="subtle"
        color="gray"
        c="var(--mantine-color-dimmed)"
        data-print="no"
        aria-label={say('help.open')}
        to={`/app/help/${guide}` as string}
      >
        <IconHelpCircle size={20} stroke={1.6} aria-hidden />
      </LinkIcon>
    </Tooltip>
  )
}

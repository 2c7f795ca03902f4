import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Drawer,
  Group,
  Kbd,
  Text,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { Link, useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { useRemovedCharacters } from '~/client/removed-characters'
import { type Actor, isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import classes from './AppFrame.module.css'
import { followFocus } from '~/ui/focusTrail'
import { Logo } from '~/ui/Logo'
import { BesideTitle } from '~/ui/Page'
import { toast } from '~/ui/toast'
import { GuideLink } from './GuideLink'
import { InsecureNotice } from './InsecureNotice'
import { Navigation } from './Navigation'
import { OfflineNotice } from './OfflineNotice'
import { OtherUser } from './OtherUser'
import { SessionExpired } from './SessionExpired'
import { type Preferences, UserMenu } from './UserMenu'

// most people never open it; it comes with all three languages
const CommandPalette = lazy(() => import('./CommandPalette'))

const guideLink = <GuideLink />

type Props = Preferences & {
  actor: Actor
  /** What the organization calls itself; "" for no name. */
  organization: string
  /** Sanad is open to the network over plain http. */
  isInsecure: boolean
  onSignOut: () => Promise<unknown>
  /** Ends the session and leaves the page as it is. */
  onEndSession: () => Promise<unknown>
  children: ReactNode
}

/** What stays around every signed-in screen: menu, search, the person's own menu, notices. */
export function AppFrame({
  actor,
  organization,
  isInsecure,
  onEndSession,
  children,
  ...preferences
}: Props) {
  const say = useSay()
  const [isDrawerOpen, drawer] = useDisclosure(false)
  const [isNarrow, setNarrow] = useLocalStorage({ key: 'sanad_narrow_menu', defaultValue: false })
  const [timesSearched, setTimesSearched] = useState(0)
  const openPalette = () => setTimesSearched((times) => times + 1)
  const router = useRouter()
  useEffect(() => followFocus(router), [router])
  useRemovedCharacters(
    useCallback(
      // the call and its form may both have noticed
      () => toast(say('form.charactersWereRemoved'), { id: 'characters' }),
      [say],
    ),
  )
  // also from within an input
  useHotkeys([['mod+K', openPalette]], [])

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: isNarrow ? 64 : 248, breakpoint: 'sm', collapsed: { mobile: true } }}
      padding={{ base: 'md', md: 'lg' }}
      transitionDuration={150}
    >
      <a className={classes.skip} href="#content">
        {say('shell.skip')}
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isDrawerOpen}
              onClick={drawer.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={say('shell.openMenu')}
              aria-expanded={isDrawerOpen}
            />
            <Link to="/app" activeOptions={{ exact: true }} className={classes.brand}>
              <Logo />
              <span className={classes.names}>
                <Text fw={700} size="lg" component="span" lh={1.2}>
                  {say('shell.product')}
                </Text>
                {organization && (
                  <Text size="xs" c="dimmed" component="bdi" truncate lh={1.2}>
                    {organization}
                  </Text>
                )}
              </span>
            </Link>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <UnstyledButton className={classes.search} onClick={openPalette} visibleFrom="sm">
              <IconSearch size={16} aria-hidden />
              <span>{say('palette.open')}</span>
              <Kbd size="xs" dir="ltr">
                Ctrl K
              </Kbd>
            </UnstyledButton>
            <ActionIcon
              variant="subtle"
              color="gray"
              c="var(--mantine-color-text)"
              size="lg"
              hiddenFrom="sm"
              onClick={openPalette}
              aria-label={say('palette.open')}
            >
              <IconSearch size={20} aria-hidden />
            </ActionIcon>
            <UserMenu actor={actor} {...preferences} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar visibleFrom="sm" className={classes.navbar} aria-label={say('nav.main')}>
        <Navigation actor={actor} isNarrow={isNarrow} onToggle={() => setNarrow(!isNarrow)} />
      </AppShell.Navbar>
      <Drawer
        opened={isDrawerOpen}
        onClose={drawer.close}
        size="17rem"
        title={say('shell.product')}
        hiddenFrom="sm"
        closeButtonProps={{ 'aria-label': say('shell.closeMenu') }}
      >
        <Box component="nav" aria-label={say('nav.main')} mx={-16}>
          <Navigation actor={actor} onGo={drawer.close} />
        </Box>
      </Drawer>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <OfflineNotice />
        {isInsecure && isAdmin(actor) && <InsecureNotice />}
        <div className={classes.column}>
          <BesideTitle value={guideLink}>{children}</BesideTitle>
        </div>
      </AppShell.Main>
      {timesSearched > 0 && (
        <Suspense fallback={null}>
          <CommandPalette actor={actor} request={timesSearched} />
        </Suspense>
      )}
      <OtherUser actor={actor} onEndSession={onEndSession} />
      <SessionExpired />
    </AppShell>
  )
}

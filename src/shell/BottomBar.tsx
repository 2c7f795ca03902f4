import { UnstyledButton } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import type { Actor } from '~/shared/actor'
import { useSay } from '~/shared/say'
import classes from './BottomBar.module.css'
import { placesFor, screenAt } from './navigation'

type Props = { actor: Actor; isMenuOpen: boolean; onMenu: () => void }

/** On a phone, the screens that the person's work needs most, and the whole menu, at the thumb. */
export function BottomBar({ actor, isMenuOpen, onMenu }: Props) {
  const say = useSay()
  const current = screenAt(useLocation().pathname)
  return (
    <nav className={classes.bar} aria-label={say('nav.places')} data-print="no">
      {placesFor(actor).map((screen) => (
        <Link
          key={screen.path}
          to={screen.path}
          className={classes.place}
          aria-current={screen === current ? 'page' : undefined}
          activeOptions={{ exact: true }}
          data-current={screen === current || undefined}
        >
          <screen.icon size={22} stroke={1.7} aria-hidden />
          <span>{say(screen.label)}</span>
        </Link>
      ))}
      <UnstyledButton className={classes.place} onClick={onMenu} aria-expanded={isMenuOpen}>
        <IconMenu2 size={22} stroke={1.7} aria-hidden />
        <span>{say('nav.more')}</span>
      </UnstyledButton>
    </nav>
  )
}

import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  type TablerIcon,
  IconUserCircle,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Actor } from '~/shared/actor'
import { type Language, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Theme, THEMES } from '~/shared/viewer'
import { PersonAvatar } from './PersonAvatar'
import classes from './UserMenu.module.css'

export type Preferences = {
  language: Language
  theme: Theme
  onPreference: (choice: { language?: Language; theme?: Theme }) => Promise<unknown>
}

/** Each in its own words, so that nobody is lost in a language he cannot read. */
export const languageNames: Record<Language, string> = { en: 'English', ar: 'العربية', es: 'Español' }
const themeIcons: Record<Theme, TablerIcon> = { light: IconSun, dark: IconMoon, system: IconDeviceDesktop }

type Props = Preferences & { actor: Actor; onSignOut?: () => Promise<unknown> }

export function UserMenu({ actor, language, theme, onPreference, onSignOut }: Props) {
  const say = useSay()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.target}>
          <PersonAvatar name={actor.name} />
          <VisuallyHidden>{say({ key: 'shell.userMenu', values: { name: actor.name } })}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.person}>
          <Text size="sm" fw={600} truncate>
            <bdi>{actor.name}</bdi>
          </Text>
          <Text size="xs" c="dimmed">
            {say(`roles.${actor.role}`)}
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconUserCircle size={18} stroke={1.7} aria-hidden />}
          renderRoot={(props) => <Link to={'/app/account' as string} {...props} />}
        >
          {say('nav.account')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{say('shell.language')}</Menu.Label>
        {LANGUAGES.map((choice) => (
          <Choice key={choice} isChosen={choice === language} onChoose={() => onPreference({ language: choice })}>
            <span lang={choice}>{languageNames[choice]}</span>
          </Choice>
        ))}
        <Menu.Divider />
        <Menu.Label>{say('shell.theme')}</Menu.Label>
        {THEMES.map((choice) => (
          <Choice
            key={choice}
            isChosen={choice === theme}
            icon={themeIcons[choice]}
            onChoose={() => onPreference({ theme: choice })}
          >
            {say(`shell.${choice}`)}
          </Choice>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={18} stroke={1.7} className={classes.flips} aria-hidden />}
          onClick={() => void onSignOut?.()}
        >
          {say('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

type ChoiceProps = { isChosen: boolean; icon?: TablerIcon; onChoose: () => void; children: ReactNode }

function Choice({ isChosen, icon: Icon, onChoose, children }: ChoiceProps) {
  return (
    <Menu.Item
      role="menuitemradio"
      aria-checked={isChosen}
      onClick={onChoose}
      closeMenuOnClick={false}
      leftSection={Icon && <Icon size={18} stroke={1.7} aria-hidden />}
      rightSection={isChosen && <IconCheck size={16} aria-hidden />}
    >
      {children}
    </Menu.Item>
  )
}

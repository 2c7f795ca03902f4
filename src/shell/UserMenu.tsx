import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconHelpCircle, IconLogout, IconUserCircle } from '@tabler/icons-react'
import { LinkMenuItem } from '~/client/menu-links'
import type { Actor } from '~/shared/actor'
import { type Language, languageNames, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Theme, THEMES } from '~/shared/viewer'
import { PersonAvatar } from '~/ui/PersonAvatar'
import classes from './UserMenu.module.css'

export type Preferences = {
  language: Language
  theme: Theme
  onPreference: (choice: { language?: Language; theme?: Theme }) => Promise<unknown>
}

type Props = Preferences & { actor: Actor; onSignOut?: () => Promise<unknown> }

export function UserMenu({ actor, language, theme, onPreference, onSignOut }: Props) {
  const say = useSay()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.target}>
          <PersonAvatar name={actor.name} />
          <VisuallyHidden>
            {say({ key: 'shell.userMenu', values: { name: actor.name } })}
          </VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text
            size="sm"
            fw={600}
            c="var(--mantine-color-text)"
            truncate
            component="span"
            display="block"
          >
            <bdi>{actor.name}</bdi>
          </Text>
          {say(`roles.${actor.role}`)}
        </Menu.Label>
        <Menu.Divider />
        <LinkMenuItem
          leftSection={<IconUserCircle size={18} stroke={1.7} aria-hidden />}
          to={'/app/account' as string}
        >
          {say('nav.account')}
        </LinkMenuItem>
        <LinkMenuItem
          leftSection={<IconHelpCircle size={18} stroke={1.7} aria-hidden />}
          to={'/app/help' as string}
        >
          {say('nav.help')}
        </LinkMenuItem>
        <Menu.Divider />
        <Menu.Label>{say('shell.language')}</Menu.Label>
        <Menu.RadioGroup
          value={language}
          onChange={(choice) => void onPreference({ language: choice as Language })}
        >
          {LANGUAGES.map((choice) => (
            <Menu.RadioItem key={choice} value={choice}>
              <span lang={choice}>{languageNames[choice]}</span>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{say('shell.theme')}</Menu.Label>
        <Menu.RadioGroup
          value={theme}
          onChange={(choice) => void onPreference({ theme: choice as Theme })}
        >
          {THEMES.map((choice) => (
            <Menu.RadioItem key={choice} value={choice}>
              {say(`shell.${choice}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
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

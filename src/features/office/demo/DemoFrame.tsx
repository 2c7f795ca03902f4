import { Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { Logo } from '~/ui/Logo'
import { DEMO_PAGES } from './demo'
import classes from './DemoFrame.module.css'

/** The frame of the sample pages, which are public: they show no personal data. */
export function DemoFrame({ children }: { children: ReactNode }) {
  const say = useSay()
  return (
    <>
      <header className={classes.header}>
        <Link to="/" activeOptions={{ exact: true }} className={classes.brand}>
          <Logo />
          <Text fw={700} size="lg" component="span">
            {say('shell.product')}
          </Text>
        </Link>
        <nav aria-label={say('demo.pages')}>
          <Group gap="md">
            {DEMO_PAGES.map(({ path, label }) => (
              <LinkAnchor
                key={path}
                size="sm"
                to={path}
                activeProps={{ className: classes.current }}
              >
                {say(label)}
              </LinkAnchor>
            ))}
          </Group>
        </nav>
      </header>
      <main id="content" className={classes.main}>
        {children}
      </main>
    </>
  )
}

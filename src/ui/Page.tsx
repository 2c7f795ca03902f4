import { Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, use } from 'react'
import { LinkAnchor } from '~/client/links'
import { DocumentTitle } from './DocumentTitle'
import classes from './Page.module.css'
import { type Sayable, useSay } from '~/shared/say'

/** `to` is an address of this application, its parameters filled in. */
type Crumb = { label: Sayable; to: string }

type Props = {
  title: Sayable
  /** One line below the title. */
  lead?: ReactNode
  /** The way here, outermost first, without this page. */
  crumbs?: Crumb[]
  /** Buttons beside the title. */
  actions?: ReactNode
  /** A form reads better in a narrow column. */
  narrow?: boolean
  children: ReactNode
}

/** What the shell shows beside the title of each page. */
export const BesideTitle = createContext<ReactNode>(null)

/** The frame of every screen: where we are, what it is called, what can be done. */
export function Page({ title, lead, crumbs, actions, narrow, children }: Props) {
  const say = useSay()
  return (
    <Stack gap="lg" maw={narrow ? '44rem' : undefined}>
      <DocumentTitle page={title} />
      <header>
        {crumbs && crumbs.length > 0 && (
          <nav aria-label={say('nav.crumbs')}>
            <Breadcrumbs className={classes.crumbs} separator="/" mb={4}>
              {crumbs.map(({ label, to }) => (
                <LinkAnchor key={to} to={to} size="sm" c="dimmed">
                  {say(label)}
                </LinkAnchor>
              ))}
            </Breadcrumbs>
          </nav>
        )}
        <Group justify="space-between" align="center" gap="sm">
          <div>
            <Group gap={4} wrap="nowrap">
              <Title order={1}>{say(title)}</Title>
              {use(BesideTitle)}
            </Group>
            {lead && (
              <Text c="dimmed" size="sm" component="div">
                {lead}
              </Text>
            )}
          </div>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </header>
      {children}
    </Stack>
  )
}

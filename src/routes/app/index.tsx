import { Paper, SimpleGrid, Text } from '@mantine/core'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useSay } from '~/shared/say'
import classes from '~/ui/Dashboard.module.css'
import { areasFor } from '~/ui/navigation'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/')({ component: Dashboard })

/** The ways into what this person may do, until there are figures to show. */
function Dashboard() {
  const say = useSay()
  const { actor } = Route.useRouteContext()
  const screens = areasFor(actor)
    .flatMap((area) => area.screens)
    .filter(({ path }) => path !== '/app')
  return (
    <Page title={{ key: 'shell.welcome', values: { name: actor.name } }} lead={say('shell.welcomeText')}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="sm">
        {screens.map(({ path, label, icon: Icon }) => (
          <Paper key={path} withBorder className={classes.card} renderRoot={(props) => <Link to={path} {...props} />}>
            <Icon size={22} stroke={1.7} aria-hidden />
            <Text fw={500} size="sm">
              {say(label)}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
    </Page>
  )
}

import { Alert, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { textDirection, type Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import classes from './PhoneSheet.module.css'

type Steps = { language: Language; title: string; steps: string[] }

/** The code that a phone scans, and the steps in every language: printed as shown. */
export function PhoneSheet({
  address,
  svg,
  sheet,
  organization,
}: {
  address: string
  svg: string
  sheet: Steps[]
  organization: string
}) {
  const say = useSay()
  return (
    <Paper withBorder p="lg" className={classes.sheet} data-sheet>
      <Stack align="center" gap="sm" mb="lg">
        {organization && (
          <Text fw={600} size="lg" component="bdi">
            {organization}
          </Text>
        )}
        <img
          className={classes.code}
          alt={say({ key: 'settings.phonesCode', values: { address } })}
          src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
        />
        <Text size="lg" ff="monospace" className={classes.address}>
          {address}
        </Text>
      </Stack>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        {sheet.map(({ language, title, steps }) => (
          <section key={language} lang={language} dir={textDirection(language)}>
            <Title order={2} mb="xs">
              {title}
            </Title>
            <List type="ordered" spacing="xs" size="sm">
              {steps.map((step) => (
                <List.Item key={step}>{step}</List.Item>
              ))}
            </List>
          </section>
        ))}
      </SimpleGrid>
    </Paper>
  )
}

/** What would prevent phones from connecting to a public address. */
export function AddressWarning({ origin }: { origin: string }) {
  const say = useSay()
  const { protocol, hostname } = new URL(origin)
  const isItself = /^(localhost|127\.|\[::1\])/.test(hostname)
  if (protocol === 'https:' && !isItself) return null
  return (
    <Alert color="yellow">
      {protocol !== 'https:' && <Text size="sm">{say('settings.phonesHttp')}</Text>}
      {isItself && <Text size="sm">{say('settings.phonesLocal')}</Text>}
    </Alert>
  )
}

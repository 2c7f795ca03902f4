import { Alert, Button, Code, List, Stack, Text, Title } from '@mantine/core'
import { IconDownload, IconInfoCircle } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { systems } from './systems'

/** How a device learns to trust this Sanad: the certificate, what to compare, and the steps. */
export function TrustSteps({ fingerprint }: { fingerprint: string | undefined }) {
  const say = useSay()
  if (!fingerprint)
    return (
      <Alert icon={<IconInfoCircle aria-hidden />} title={say('trust.none')}>
        {say('trust.noneText')}
        <Code block dir="ltr" mt="xs">
          npm run admin -- make-certificate
        </Code>
      </Alert>
    )
  return (
    <Stack gap="md">
      <Button
        component="a"
        href="/api/trust/root"
        download="sanad-root.crt"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {say('trust.download')}
      </Button>
      <div>
        <Text fw={600} size="sm">
          {say('trust.fingerprint')}
        </Text>
        <Code block dir="ltr" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-all' }}>
          {fingerprint}
        </Code>
        <Text size="sm" mt={4}>
          {say('trust.compare')}
        </Text>
      </div>
      {systems.map(({ name, steps }) => (
        <section key={name}>
          <Title order={2} size="h4" mb={4}>
            {say(name)}
          </Title>
          <List type="ordered" size="sm" spacing={4}>
            {steps.map((step) => (
              <List.Item key={step}>{say(step)}</List.Item>
            ))}
          </List>
        </section>
      ))}
      <Text size="sm" c="dimmed">
        {say('trust.limits')}
      </Text>
    </Stack>
  )
}

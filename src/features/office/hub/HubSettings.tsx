import { Alert, Code, Group, List, NativeSelect, Paper, Stack, Switch, Text } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { type OperationResult, api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'

type Hub = OperationResult<'hub.get'>

/** Switches the hub, and says what it protects, what it does not, and why phones cannot reach it. */
export function HubSettings({
  hub,
  url,
  onUrl,
}: {
  hub: Hub
  url: string | undefined
  onUrl: (url: string) => void
}) {
  const say = useSay()
  const { run, pending } = useAction()

  async function turn(enabled: boolean) {
    const isSure =
      enabled ||
      hub.phones === 0 ||
      (await confirm({
        title: 'hub.offTitle',
        text: { key: 'hub.offText', values: { count: hub.phones } },
        action: 'hub.offAction',
        destructive: true,
      }))
    if (isSure)
      await run(() => api.hub.save({ enabled }), {
        success: enabled ? 'hub.switchedOn' : 'hub.switchedOff',
      })
  }

  return (
    <Paper withBorder p="lg">
      <Stack gap="md">
        <Switch
          checked={hub.enabled}
          onChange={({ currentTarget }) => void turn(currentTarget.checked)}
          disabled={pending}
          label={say('hub.switch')}
          description={say('hub.switchHint')}
        />
        <Alert icon={<IconInfoCircle aria-hidden />} title={say('hub.limits')}>
          <List size="sm" spacing="xs">
            <List.Item>{say('hub.limitNetwork')}</List.Item>
            <List.Item>{say('hub.limitDeletions')}</List.Item>
            <List.Item>{say('hub.limitBoth')}</List.Item>
          </List>
        </Alert>
        {hub.enabled && <Reached hub={hub} url={url} onUrl={onUrl} />}
      </Stack>
    </Paper>
  )
}

function Reached({ hub, url, onUrl }: Parameters<typeof HubSettings>[0]) {
  const say = useSay()
  const { problem, isListening, urls, host, port, phones, publicKey } = hub
  return (
    <>
      {problem && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say('hub.problem')}>
          {say({ key: `hub.problem_${problem}`, values: { host, port: String(port) } })}
        </Alert>
      )}
      {!problem && !isListening && <Text size="sm">{say('hub.starting')}</Text>}
      {urls.length === 0 && (
        <Alert color="yellow" title={say('hub.noAddresses')}>
          {say('hub.noAddressesText')}
        </Alert>
      )}
      {urls.length > 1 && (
        <NativeSelect
          label={say('hub.address')}
          description={say('hub.addressHint')}
          data={urls}
          value={url}
          onChange={({ currentTarget }) => onUrl(currentTarget.value)}
          maw={420}
        />
      )}
      <Text size="sm">
        {say('hub.key')} <Code dir="ltr">{publicKey}</Code>
      </Text>
      <Group gap="md">
        <Text size="sm">{say({ key: 'hub.phones', values: { count: phones } })}</Text>
        <LinkAnchor size="sm" to="/app/settings/phones">
          {say('hub.showPhones')}
        </LinkAnchor>
      </Group>
    </>
  )
}

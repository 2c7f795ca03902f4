import { Button, Group, Text } from '@mantine/core'
import { createFileRoute, useRouteContext } from '@tanstack/react-router'
import { useState } from 'react'
import { failOnPurpose } from '~/features/office/demo/demo.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/demo/sentry/testing')({ component: ErrorReportingPage })

function ErrorReportingPage() {
  const say = useSay()
  const { viewer } = useRouteContext({ from: '__root__' })
  const { run, pending } = useAction()
  const [isBroken, setBroken] = useState(false)
  if (isBroken) throw new Error('Made on purpose by the sample page')
  return (
    <Page title="demo.errors" lead={say('demo.errorsText')} narrow>
      <Text>{say('demo.errorsWhere')}</Text>
      {!viewer.actor && <Text>{say('demo.failSignIn')}</Text>}
      <Group>
        <Button
          loading={pending}
          disabled={!viewer.actor}
          onClick={() => void run(() => failOnPurpose())}
        >
          {say('demo.failOnServer')}
        </Button>
        <Button variant="default" onClick={() => setBroken(true)}>
          {say('demo.failInBrowser')}
        </Button>
      </Group>
    </Page>
  )
}

import { Paper, Text } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '~/client/api'
import { Answer } from '~/features/office/demo/Answer'
import { greetFields } from '~/features/office/demo/demo'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/demo/start/server-funcs')({
  loader: () => api.demo.time(undefined),
  component: ServerFunctionsPage,
})

function ServerFunctionsPage() {
  const say = useSay()
  const { at, timeZone } = Route.useLoaderData()
  const [answer, setAnswer] = useState<unknown>()
  return (
    <Page title="demo.server" lead={say('demo.serverText')} narrow>
      <Paper withBorder p="md">
        <Text>
          {say('demo.serverTime')}: <Moment at={at} seconds /> (<bdi>{timeZone}</bdi>)
        </Text>
      </Paper>
      <FieldForm
        fields={greetFields}
        submit="demo.greet"
        onSubmit={async (data) => setAnswer(await api.demo.greet(data))}
      />
      {answer !== undefined && <Answer label="demo.answer" value={answer} />}
    </Page>
  )
}

import { Alert, Button, Code, Paper, Progress, Stack, Table, Text, Title } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { Sheet } from '~/ui/Sheet'
import { AppError, type Message, needsSignIn } from '~/shared/errors'
import { useSay, useLanguage } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { Printed } from '~/ui/Printed'

type Props = { importId: string; viewer: { organization: string; timeZone: string } }
type Refused = { id: string; name: string; reason: Message }
type Given = { id: string; name: string; email: string; clinic: string | null; password: string }

/** Gives each user that an import added a one-time password, on a sheet that is shown this once. */
export function NewPasswords({ importId, viewer }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const [given, setGiven] = useState<readonly Given[]>([])
  const [language, setLanguage] = useState(useLanguage())
  const [total, setTotal] = useState(0)
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const users = useQuery('imports.newUsers', { id: importId }, { version: given.length })
  const waiting = users.data?.users ?? []

  const give = async () => {
    const isSure = await confirm({
      title: 'imports.passwords.title',
      text: { key: 'imports.passwords.asks', values: { count: waiting.length } },
      action: 'imports.passwords.give',
    })
    if (!isSure) return
    setTotal(waiting.length)
    setRefused([])
    // a user who is refused, for a reason that is shown, does not keep the others waiting
    await run(async () => {
      for (const user of waiting)
        try {
          const { password } = await api.users.resetPassword({ id: user.id })
          if (password) setGiven((current) => [...current, { ...user, password }])
        } catch (error) {
          if (!(error instanceof AppError) || needsSignIn(error)) throw error
          setRefused((current) => [...current, { ...user, reason: error.text }])
        }
    })
  }

  if (waiting.length === 0 && given.length === 0) return null
  return (
    <Stack gap="md">
      <Title order={2} size="h3">
        {say('imports.passwords.title')}
      </Title>
      {waiting.length > 0 && !pending && (
        <Paper withBorder p="md">
          <Stack gap="sm" align="flex-start">
            <Text size="sm">
              {say({ key: 'imports.passwords.waiting', values: { count: users.data?.total ?? 0 } })}
            </Text>
            <Button leftSection={<IconKey size={16} aria-hidden />} onClick={() => void give()}>
              {say('imports.passwords.give')}
            </Button>
          </Stack>
        </Paper>
      )}
      {pending && (
        <Progress
          value={(given.length / Math.max(total, 1)) * 100}
          aria-label={say('imports.passwords.give')}
        />
      )}
      {refused.length > 0 && !pending && (
        <Alert color="red" variant="light">
          {refused.map(({ id, name, reason }) => (
            <Text size="sm" key={id}>
              <bdi>{name}</bdi>: {say(reason)}
            </Text>
          ))}
        </Alert>
      )}
      {given.length > 0 && !pending && (
        <>
          <Alert color="yellow" variant="light">
            {say('imports.passwords.once')}
          </Alert>
          <Printed
            language={language}
            timeZone={viewer.timeZone}
            onLanguage={setLanguage}
            patientIds={[]}
            paper="A4"
          >
            <PasswordSheet organization={viewer.organization} rows={given} />
          </Printed>
        </>
      )}
    </Stack>
  )
}

function PasswordSheet({ organization, rows }: { organization: string; rows: readonly Given[] }) {
  const say = useSay()
  return (
    <Sheet
      organization={organization}
      title="imports.passwords.title"
      onEveryPage={say('imports.passwords.hint')}
    >
      <Table withRowBorders layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say('users.name')}</Table.Th>
            <Table.Th>{say('users.email')}</Table.Th>
            <Table.Th>{say('imports.passwords.password')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, name, email, clinic, password }) => (
            <Table.Tr key={id} style={{ breakInside: 'avoid' }}>
              <Table.Td>
                <bdi>{name}</bdi>
                {clinic && (
                  <Text size="sm" c="dimmed">
                    <bdi>{clinic}</bdi>
                  </Text>
                )}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <bdi>{email}</bdi>
              </Table.Td>
              <Table.Td>
                <Code dir="ltr" fz="md">
                  {password}
                </Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Sheet>
  )
}

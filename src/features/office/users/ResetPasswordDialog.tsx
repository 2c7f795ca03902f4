import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api } from '~/client/api'
import { password } from '~/fields/field'
import { useSay } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { useAction } from '~/ui/action'
import { ShownOnce } from '~/ui/CopyText'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { besideNewPassword } from './new-password'

type Props = { user: { id: string; name: string }; onClose: () => void }
const WAYS = ['generate', 'setOwn'] as const

/** Sets a user's password: a generated one, shown once, or a typed one. */
export function ResetPasswordDialog({ user: { id, name }, onClose }: Props) {
  const say = useSay()
  const [way, setWay] = useState<(typeof WAYS)[number]>('generate')
  const [generated, setGenerated] = useState<string | null>(null)
  return (
    <Dialog
      onClose={onClose}
      // a click beside the dialog must not close what is shown once
      closeOnClickOutside={generated === null}
      title={say({ key: 'users.resetTitle', values: { name } })}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      {generated ? (
        <Generated password={generated} onClose={onClose} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{say({ key: 'users.resetText', values: { name } })}</Text>
          <SegmentedControl
            fullWidth
            aria-label={say('users.howToSet')}
            value={way}
            onChange={setWay}
            data={WAYS.map((value) => ({ value, label: say(`users.${value}`) }))}
          />
          {way === 'generate' ? (
            <Generate id={id} onDone={setGenerated} onClose={onClose} />
          ) : (
            <Typed id={id} name={name} onClose={onClose} />
          )}
        </Stack>
      )}
    </Dialog>
  )
}

type GenerateProps = { id: string; onDone: (password: string | null) => void; onClose: () => void }

function Generate({ id, onDone, onClose }: GenerateProps) {
  const say = useSay()
  const { run, pending } = useAction()
  const generate = async () => {
    const result = await run(() => api.users.resetPassword({ id }))
    if (result) onDone(result.password)
  }
  return (
    <Group gap="sm">
      <Button onClick={generate} loading={pending}>
        {say('users.resetPassword')}
      </Button>
      <CancelButton onClick={onClose} />
    </Group>
  )
}

const fields = { newPassword: password('users.newPassword', { hint: 'users.newPasswordHint' }) }

function Typed({ id, name, onClose }: Props['user'] & { onClose: () => void }) {
  const { run } = useAction()
  return (
    <FieldForm
      fields={fields}
      submit="users.resetPassword"
      cancel={<CancelButton onClick={onClose} />}
      onSubmit={async ({ newPassword }) => {
        await besideNewPassword(api.users.resetPassword({ id, password: newPassword }))
        await run(async () => onClose(), {
          success: { key: 'users.passwordSet', values: { name } },
        })
      }}
    />
  )
}

function Generated({ password: generated, onClose }: { password: string; onClose: () => void }) {
  const say = useSay()
  return (
    <Stack gap="md">
      <Text size="sm" role="alert">
        {say('users.generatedText')}
      </Text>
      <ShownOnce secret={generated} label="users.newPassword" />
      <Group>
        <Button onClick={onClose}>{say('users.done')}</Button>
      </Group>
    </Stack>
  )
}

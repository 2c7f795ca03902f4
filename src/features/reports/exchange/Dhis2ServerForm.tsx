import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from '~/ui/toast'
import { api, type OperationResult } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { FormAlert } from '~/ui/FormAlert'
import { useFormState } from '~/ui/form'

type Values = { address: string; username: string; secret: string }
type Props = { server: OperationResult<'dhis2.get'> }

/** The address of the DHIS2 server and the account that sends. The stored password or token is never shown. */
export function Dhis2ServerForm({ server }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run, pending } = useAction()
  const [checked, setChecked] = useState<OperationResult<'dhis2.check'> | null>(null)
  const { values, change, errors, alert, begin, isDirty, isSaving, rebase, ref, submit } =
    useFormState<Values>({
      start: () => ({
        address: server?.address ?? '',
        username: server?.username ?? '',
        secret: '',
      }),
      differs: (a, b) =>
        a.address !== b.address || a.username !== b.username || a.secret !== b.secret,
      isField: (path) => ['address', 'username', 'secret'].includes(path),
    })
  const errorText = (name: keyof Values) => errors[name] && say(errors[name])
  const save = async () => {
    const saved = await api.dhis2.save(values)
    rebase({ address: saved.address, username: saved.username ?? '', secret: '' })
    setChecked(null)
    await router.invalidate()
    toast.success(say('dhis2.saved'))
  }
  async function remove() {
    const isMeant = await confirm({
      text: 'dhis2.removeAsks',
      action: 'dhis2.remove',
      destructive: true,
    })
    if (!isMeant) return
    const removed = await run(() => api.dhis2.delete({}), { success: 'dhis2.removed' })
    if (!removed) return
    begin({ address: '', username: '', secret: '' })
    setChecked(null)
  }
  return (
    <form ref={ref} onSubmit={(event) => void submit(event, save)} method="post" noValidate>
      <Stack gap="md">
        <FormAlert {...alert} />
        <TextInput
          label={say('dhis2.address')}
          description={say('dhis2.addressHint')}
          value={values.address}
          onChange={(event) => change({ address: event.currentTarget.value })}
          error={errorText('address')}
          required
          dir="ltr"
          maxLength={300}
        />
        <TextInput
          label={say('dhis2.username')}
          description={say('dhis2.usernameHint')}
          value={values.username}
          onChange={(event) => change({ username: event.currentTarget.value })}
          error={errorText('username')}
          dir="ltr"
          autoComplete="off"
          maxLength={200}
        />
        <PasswordInput
          label={say('dhis2.secret')}
          description={server?.hasSecret ? say('dhis2.secretKept') : undefined}
          value={values.secret}
          onChange={(event) => change({ secret: event.currentTarget.value })}
          error={errorText('secret')}
          required={!server?.hasSecret}
          dir="ltr"
          autoComplete="new-password"
          maxLength={1000}
        />
        <Group gap="sm">
          <Button type="submit" disabled={!isDirty || isSaving}>
            {say(isSaving ? 'common.saving' : 'common.save')}
          </Button>
          {server && (
            <>
              <Button
                variant="default"
                disabled={isDirty || pending}
                onClick={() => void run(async () => setChecked(await api.dhis2.check({})))}
              >
                {say('dhis2.check')}
              </Button>
              <Button
                variant="default"
                c="var(--mantine-color-error)"
                disabled={pending}
                onClick={() => void remove()}
              >
                {say('dhis2.remove')}
              </Button>
            </>
          )}
        </Group>
        {checked && !isDirty && (
          <Alert color={checked.error ? 'red' : 'green'} variant="light">
            <Text size="sm">
              {checked.error
                ? say(`sendings.error_${checked.error}`)
                : say({ key: 'dhis2.connected', values: { name: checked.name ?? '' } })}
            </Text>
          </Alert>
        )}
      </Stack>
    </form>
  )
}

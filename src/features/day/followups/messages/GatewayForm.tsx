import {
  Alert,
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { keysIn } from '~/shared/object'
import { api, type OperationResult } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { FormAlert } from '~/ui/FormAlert'
import { useFormState } from '~/ui/form'
import { toast } from '~/ui/toast'
import { type GatewayKind, GATEWAYS } from './gateway'

type Values = {
  kind: GatewayKind
  address: string
  username: string
  secret: string
  country_code: string
}
type Props = { gateway: OperationResult<'messageGateway.get'> }

const EMPTY: Values = { kind: 'android', address: '', username: '', secret: '', country_code: '' }
const NAMES = keysIn(EMPTY)

/** The gateway that sends text messages. The stored password or key is never shown. */
export function GatewayForm({ gateway }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run, pending } = useAction()
  const [checked, setChecked] = useState<OperationResult<'messageGateway.check'> | null>(null)
  const { values, change, errors, alert, begin, isDirty, isSaving, rebase, ref, submit } =
    useFormState<Values>({
      start: () =>
        gateway
          ? {
              kind: gateway.kind,
              address: gateway.address,
              username: gateway.username ?? '',
              secret: '',
              country_code: gateway.country_code,
            }
          : EMPTY,
      differs: (a, b) => NAMES.some((name) => a[name] !== b[name]),
      isField: (path) => NAMES.includes(path as keyof Values),
    })
  const { kind } = values
  const fieldError = (name: keyof Values) => errors[name] && say(errors[name])
  const save = async () => {
    const { username, ...saved } = await api.messageGateway.save(values)
    rebase({ ...values, ...saved, username: username ?? '', secret: '' })
    setChecked(null)
    await router.invalidate()
    toast.success(say('messageGateway.saved'))
  }
  async function remove() {
    const isMeant = await confirm({
      text: 'messageGateway.removeAsks',
      action: 'messageGateway.remove',
      destructive: true,
    })
    if (!isMeant) return
    const removed = await run(() => api.messageGateway.delete({}), {
      success: 'messageGateway.removed',
    })
    if (!removed) return
    begin(EMPTY)
    setChecked(null)
  }
  return (
    <form ref={ref} onSubmit={(event) => void submit(event, save)} method="post" noValidate>
      <Stack gap="md">
        <FormAlert {...alert} />
        <SegmentedControl
          aria-label={say('messageGateway.kind')}
          orientation="vertical"
          maw="100%"
          // the names are longer than the screen of a phone
          styles={{ label: { whiteSpace: 'normal' } }}
          value={kind}
          onChange={(chosen) => change({ kind: chosen as GatewayKind })}
          data={GATEWAYS.map((value) => ({ value, label: say(`messageGateway.kind_${value}`) }))}
        />
        <TextInput
          label={say('messageGateway.address')}
          description={say(`messageGateway.addressHint_${kind}`)}
          value={values.address}
          onChange={(event) => change({ address: event.currentTarget.value })}
          error={fieldError('address')}
          required
          dir="ltr"
          maxLength={300}
        />
        {kind === 'android' && (
          <TextInput
            label={say('messageGateway.username')}
            value={values.username}
            onChange={(event) => change({ username: event.currentTarget.value })}
            error={fieldError('username')}
            required
            dir="ltr"
            autoComplete="off"
            maxLength={200}
          />
        )}
        <PasswordInput
          label={say(`messageGateway.secret_${kind}`)}
          description={gateway?.hasSecret ? say('messageGateway.secretKept') : undefined}
          value={values.secret}
          onChange={(event) => change({ secret: event.currentTarget.value })}
          error={fieldError('secret')}
          required={!gateway?.hasSecret}
          dir="ltr"
          autoComplete="new-password"
          maxLength={1000}
        />
        <TextInput
          label={say('messageGateway.country')}
          description={say('messageGateway.countryHint')}
          value={values.country_code}
          onChange={(event) => change({ country_code: event.currentTarget.value })}
          error={fieldError('country_code')}
          required
          dir="ltr"
          inputMode="tel"
          maxLength={5}
        />
        <Group gap="sm">
          <Button type="submit" disabled={!isDirty || isSaving}>
            {say(isSaving ? 'common.saving' : 'common.save')}
          </Button>
          {gateway && (
            <>
              {gateway.kind === 'android' && (
                <Button
                  variant="default"
                  disabled={isDirty || pending}
                  onClick={() =>
                    void run(async () => setChecked(await api.messageGateway.check({})))
                  }
                >
                  {say('messageGateway.check')}
                </Button>
              )}
              <Button
                variant="default"
                c="var(--mantine-color-error)"
                disabled={pending}
                onClick={() => void remove()}
              >
                {say('messageGateway.remove')}
              </Button>
            </>
          )}
        </Group>
        {gateway?.kind === 'webhook' && (
          <Text size="sm" c="dimmed">
            {say('messageGateway.webhookUnchecked')}
          </Text>
        )}
        {checked && !isDirty && (
          <Alert color={checked.error ? 'red' : 'green'} variant="light">
            <Text size="sm">
              {say(checked.error ? `messages.error_${checked.error}` : 'messageGateway.connected')}
            </Text>
          </Alert>
        )}
      </Stack>
    </form>
  )
}

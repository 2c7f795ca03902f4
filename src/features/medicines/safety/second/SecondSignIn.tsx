import { Button, Fieldset, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, use } from 'react'
import { api } from '~/client/api'
import { accepted } from '~/features/office/sessions/session'
import { useSay } from '~/shared/say'
import { useFormState } from '~/ui/form'
import { FormAlert } from '~/ui/FormAlert'
import type { SecondGiven } from './given-reason'
import { SecondPerson } from './second-person'

type Props = {
  warningKey: string
  given: SecondGiven | undefined
  isAsked: boolean
  onGiven: (second: SecondGiven) => void
}

const EMPTY = { email: '', password: '', code: '' }
type Name = keyof typeof EMPTY

/** Asks a second person to sign in, where the installation wants it. What is typed is kept nowhere. */
export function SecondSignIn({ warningKey, given, isAsked, onGiven }: Props) {
  const say = useSay()
  const place = use(SecondPerson)
  const form = useFormState({
    start: EMPTY,
    differs: () => false,
    isField: (path) => path in EMPTY,
    asksBeforeLeaving: false,
  })
  const { ref, values, errors, alert, isSaving } = form
  if (!place) return null
  if (given)
    return (
      <Text size="sm" fw={600}>
        {say({ key: 'safety.confirmedBy', values: { who: given.by } })}
      </Text>
    )
  const confirm = () =>
    form.save(async () => {
      const { code, ...typed } = values
      const asked = { ...place, ...typed, key: warningKey, code: code || null }
      const { id, by } = accepted(await api.safety.confirm(asked))
      form.begin(EMPTY, EMPTY)
      onGiven({ id, by })
    })
  const field = (name: Name) => ({
    label: say(`safety.second_${name}`),
    value: values[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      form.change({ [name]: event.currentTarget.value }, [name]),
    // Enter must not save the prescription
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      void confirm()
    },
    error: errors[name] && say(errors[name]),
    'aria-invalid': Boolean(errors[name]) || undefined,
    autoComplete: 'off',
    dir: 'ltr',
    style: { flex: '1 1 12rem' },
  })
  return (
    <Fieldset legend={say('safety.secondTitle')} p="sm">
      <Stack gap="xs" ref={ref}>
        <Text size="sm" c={isAsked ? 'var(--mantine-color-error)' : undefined}>
          {say('safety.secondLead')}
        </Text>
        <FormAlert {...alert} />
        <Group gap="sm" align="flex-start">
          <TextInput {...field('email')} type="email" maxLength={300} />
          <PasswordInput {...field('password')} maxLength={300} />
          <TextInput {...field('code')} description={say('safety.secondCodeHint')} maxLength={50} />
        </Group>
        <Group>
          <Button size="xs" loading={isSaving} onClick={() => void confirm()}>
            {say('safety.secondConfirm')}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

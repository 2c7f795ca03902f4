import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useId } from 'react'
import { toast } from '~/ui/toast'
import type { OperationResult } from '~/client/api'
import type { Field } from '~/fields/field'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { FieldForm } from '~/ui/FieldForm'
import { AccountSection } from './AccountSection'
import { profileFields } from './session'
import { savePreferences, saveProfile } from './sessions.functions'

type Account = OperationResult<'account.get'>
const { name, language, theme } = profileFields

/** Name, language and theme. User management changes the rest. */
export function Profile({ account }: { account: Account }) {
  const say = useSay()
  const router = useRouter()
  const { run } = useAction()
  const standing = [account.email, say(`roles.${account.role}`), account.clinic_name]
    .filter(Boolean)
    .join(' · ')
  return (
    <AccountSection title="account.profile" lead={<bdi>{standing}</bdi>}>
      <FieldForm
        fields={{ name }}
        values={account}
        submit="common.save"
        onSubmit={async (values) => {
          await saveProfile({ data: { ...account, ...values } })
          await router.invalidate()
          toast.success(say('account.profileSaved'))
        }}
      />
      <Group gap="xl">
        <Choice
          field={language}
          value={account.language}
          onChoose={(chosenLanguage) =>
            run(() => savePreferences({ data: { language: chosenLanguage } }))
          }
        />
        <Choice
          field={theme}
          value={account.theme}
          onChoose={(chosenTheme) => run(() => savePreferences({ data: { theme: chosenTheme } }))}
        />
      </Group>
    </AccountSection>
  )
}

type ChoiceProps<V extends string> = {
  field: Pick<Field, 'label' | 'options'>
  value: V
  onChoose: (value: V) => Promise<unknown>
}

/** Takes effect at once, as in the menu: there is no save button. */
function Choice<V extends string>({ field, value, onChoose }: ChoiceProps<V>) {
  const say = useSay()
  const id = useId()
  const data =
    field.options?.map((option) => ({ value: option.value, label: say(option.label) })) ?? []
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id={id}>
        {say(field.label)}
      </Text>
      <SegmentedControl
        aria-labelledby={id}
        data={data}
        value={value}
        onChange={(choice) => void onChoose(choice as V)}
      />
    </Stack>
  )
}

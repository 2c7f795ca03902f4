import { useRouter } from '@tanstack/react-router'
import { toast } from 'sonner'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { AccountSection } from './AccountSection'
import { profileFields } from './session'
import { type getAccount, saveProfile } from './sessions.functions'

type Account = Awaited<ReturnType<typeof getAccount>>

/** Name, language and theme. The rest of a person is for those who manage users. */
export function Profile({ account }: { account: Account }) {
  const say = useSay()
  const router = useRouter()
  const standing = [account.email, say(`roles.${account.role}`), account.clinic_name].filter(Boolean).join(' · ')
  return (
    <AccountSection title="account.profile" lead={<bdi>{standing}</bdi>}>
      <FieldForm
        fields={profileFields}
        values={account}
        submit="common.save"
        onSubmit={async (values) => {
          await saveProfile({ data: { ...values, last_modified: account.last_modified } })
          await router.invalidate()
          toast.success(say('account.profileSaved'))
        }}
      />
    </AccountSection>
  )
}

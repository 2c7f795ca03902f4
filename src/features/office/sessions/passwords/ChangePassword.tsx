import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from '~/ui/toast'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { AccountSection } from '../AccountSection'
import { accepted, passwordFields } from '../session'
import { changePassword } from '../sessions.functions'

export function ChangePassword() {
  const say = useSay()
  const router = useRouter()
  const [times, setTimes] = useState(0)
  return (
    <AccountSection title="account.passwordTitle" lead={say('account.passwordText')}>
      <FieldForm
        // empty again after a change
        key={times}
        fields={passwordFields}
        submit="account.changePassword"
        onSubmit={async (data) => {
          accepted(await changePassword({ data }))
          toast.success(say('account.passwordChanged'))
          setTimes(times + 1)
          await router.invalidate()
        }}
      />
    </AccountSection>
  )
}

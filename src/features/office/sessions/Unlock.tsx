import { Button } from '@mantine/core'
import { useState } from 'react'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { FocusFirst } from './FocusFirst'
import { accepted, codeFields, confirmFields } from './session'

/** Opens a locked session with the password, or with a code of the authenticator app. */
export function Unlock({ onUnlocked }: { onUnlocked: () => unknown }) {
  const say = useSay()
  const [byCode, setByCode] = useState(false)
  const unlock = async (data: { password: string } | { code: string }) => {
    accepted(await api.sessions.unlock(data))
    await onUnlocked()
  }
  const other = (
    <Button variant="subtle" onClick={() => setByCode(!byCode)}>
      {say(byCode ? 'sessions.usePassword' : 'sessions.useCode')}
    </Button>
  )
  return (
    <FocusFirst key={String(byCode)}>
      {byCode ? (
        <FieldForm fields={codeFields} submit="sessions.unlock" onSubmit={unlock} cancel={other} />
      ) : (
        <FieldForm
          fields={confirmFields}
          submit="sessions.unlock"
          onSubmit={unlock}
          cancel={other}
        />
      )}
    </FocusFirst>
  )
}

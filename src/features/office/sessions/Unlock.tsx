import { Button } from '@mantine/core'
import { useState } from 'react'
import { useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { FocusFirst } from './FocusFirst'
import { accepted, codeFields, confirmFields } from './session'
import { unlock } from './sessions.functions'

/** Opens a locked session with the password, or with a code of the authenticator app. */
export function Unlock({ onUnlocked }: { onUnlocked: () => unknown }) {
  const say = useSay()
  const [byCode, setByCode] = useState(false)
  const submit = async (data: { password: string } | { code: string }) => {
    accepted(await unlock({ data }))
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
        <FieldForm fields={codeFields} submit="sessions.unlock" onSubmit={submit} cancel={other} />
      ) : (
        <FieldForm
          fields={confirmFields}
          submit="sessions.unlock"
          onSubmit={submit}
          cancel={other}
        />
      )}
    </FocusFirst>
  )
}

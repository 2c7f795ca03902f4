import { Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { api } from '~/client/api'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { toast } from '~/ui/toast'
import { accepted, confirmFields } from './session'

type Props = {
  /** Null for all other sessions. */
  id: string | null
  title: string
  onClose: () => void
}

/** Ends sessions of the user once the password is confirmed: a screen left open must not be enough. */
export function EndSession({ id, title, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const end = async (password: string): Promise<Message> => {
    if (id) {
      accepted(await api.sessions.revoke({ id, password }))
      return { key: 'sessions.ended' }
    }
    const { ended } = accepted(await api.sessions.revokeOthers({ password }))
    return { key: 'sessions.othersEnded', values: { count: ended } }
  }
  return (
    <Dialog
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <Stack>
        <Text size="sm">{say('sessions.confirmEnd')}</Text>
        <FieldForm
          fields={confirmFields}
          submit={id ? 'sessions.end' : 'sessions.endOthers'}
          cancel={<CancelButton onClick={onClose} />}
          onSubmit={async ({ password }) => {
            toast.success(say(await end(password)))
            onClose()
            await router.invalidate()
          }}
        />
      </Stack>
    </Dialog>
  )
}

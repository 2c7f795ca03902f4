import { Button } from '@mantine/core'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { toast } from '~/ui/toast'

/** Asks every other user for a new password, after it has said how many there are. */
export function AskForPasswords() {
  const say = useSay()
  const { run, pending } = useAction()

  async function ask() {
    const found = await run(() => api.users.passwordsToAsk({}))
    if (!found) return
    if (found.users === 0) return toast.success(say('users.askNone'))
    const isSure = await confirm({
      title: { key: 'users.askTitle', values: { count: found.users } },
      text: { key: 'users.askText', values: { asked: found.asked } },
      action: 'users.askAll',
    })
    if (!isSure) return
    await run(() => api.users.askForPasswords({}), {
      success: ({ users }) => ({ key: 'users.askDone', values: { count: users } }),
    })
  }

  return (
    <Button variant="default" loading={pending} onClick={() => void ask()}>
      {say('users.ask')}
    </Button>
  )
}

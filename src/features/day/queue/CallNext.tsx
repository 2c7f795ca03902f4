import { Button, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconBellRinging } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'

/** Calls the most urgent patient, then who has waited longest; so does the key N. */
export function CallNext({ clinicId, departmentId }: { clinicId: string; departmentId?: string }) {
  const say = useSay()
  const router = useRouter()
  const { run, pending } = useAction()
  async function next() {
    if (pending) return
    const called = await run(() => api.queue.callNext({ clinicId, departmentId }))
    if (!called) return
    if (called.ok) {
      const name = called.patient || say('patientPage.noName')
      toast.success(say({ key: 'queue.calledDone', values: { token: called.token, name } }))
    } else toast(say('queue.noneWaiting'))
    await router.invalidate()
  }
  useHotkeys([['N', () => void next()]])
  return (
    <Tooltip label={say('queue.callNextShortcut')}>
      <Button
        leftSection={<IconBellRinging size={16} aria-hidden />}
        loading={pending}
        onClick={() => void next()}
        aria-keyshortcuts="N"
      >
        {say('queue.callNext')}
      </Button>
    </Tooltip>
  )
}

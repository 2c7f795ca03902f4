import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { announceExpiry } from '~/client/expiry'
import type { Actor } from '~/shared/actor'
import { announceOtherUser, currentPageUser, onOtherUser, setPageUser } from '~/shared/page-user'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'

type Props = { actor: Actor; onEndSession: () => Promise<unknown> }

/**
 * Over the page of one user while another is signed in below it, in a tab beside it for example. What is typed stays:
 * either its user signs in again, or the other user takes it over and then saves it as their own.
 */
export function OtherUser({ actor, onEndSession }: Props) {
  const say = useSay()
  const router = useRouter()
  const { run, pending } = useAction()
  const [other, setOther] = useState<string | null>(null)
  /** The other user has chosen to go on: the page is theirs as soon as the frame shows them. */
  const isTakenOver = useRef(false)
  useEffect(
    () =>
      onOtherUser((who) => {
        isTakenOver.current = false
        setOther(who)
      }),
    [],
  )
  const { userId, name } = actor
  useEffect(() => {
    const first = currentPageUser()
    if (!first || isTakenOver.current) setPageUser({ userId, name })
    else if (first.userId !== userId) announceOtherUser(name)
  }, [userId, name])
  // the frame leaves with the last signed-in screen
  useEffect(() => () => setPageUser(null), [])

  async function takeOver() {
    isTakenOver.current = true
    await router.invalidate()
    setOther(null)
  }
  async function signInAgain() {
    await onEndSession()
    setOther(null)
    announceExpiry()
  }
  const values = { first: currentPageUser()?.name ?? name, other: other ?? '' }
  return (
    <Modal
      opened={other !== null}
      onClose={() => setOther(null)}
      title={<Text fw={600}>{say({ key: 'shell.otherUserTitle', values })}</Text>}
      withCloseButton={false}
    >
      <Stack>
        <Text size="sm">{say({ key: 'shell.otherUserText', values })}</Text>
        <Group gap="xs" justify="flex-end">
          <Button variant="default" disabled={pending} onClick={() => void run(takeOver)}>
            {say({ key: 'shell.takeOverPage', values })}
          </Button>
          <Button disabled={pending} onClick={() => void run(signInAgain)}>
            {say({ key: 'shell.signInAsFirst', values })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

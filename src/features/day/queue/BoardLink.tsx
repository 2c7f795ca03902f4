import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconDeviceTv } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { type OperationResult, api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { CopyText } from '~/ui/CopyText'
import { Dialog } from '~/ui/Dialog'

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const

type Link = OperationResult<'queue.boardLink'>

/** The button on the queue for administrators of the clinic: creates, replaces and revokes the screen's link. */
export function BoardLink({ clinicId }: { clinicId: string }) {
  const say = useSay()
  const { run, pending } = useAction()
  const [opened, setOpened] = useState<{ link: Link } | null>(null)
  const open = async () => {
    const link = await run(() => api.queue.boardLink({ clinicId }))
    if (link !== undefined) setOpened({ link })
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDeviceTv size={16} aria-hidden />}
        loading={pending && !opened}
        onClick={() => void open()}
      >
        {say('queue.board')}
      </Button>
      {opened && (
        <LinkDialog clinicId={clinicId} link={opened.link} onClose={() => setOpened(null)} />
      )}
    </>
  )
}

type Props = { clinicId: string; link: Link; onClose: () => void }

function LinkDialog({ clinicId, link, onClose }: Props) {
  const say = useSay()
  const format = useFormatter()
  const { run, pending } = useAction()
  const [address, setAddress] = useState<string>()
  const make = async () => {
    if (link && !(await confirmLinkStop('queue.boardLinkReplace'))) return
    const made = await run(() => api.queue.makeBoardLink({ clinicId }))
    if (made) setAddress(`${location.origin}/board?token=${made.token}`)
  }
  const revoke = async () => {
    if (!(await confirmLinkStop('queue.boardLinkRevoke'))) return
    const revoked = await run(() => api.queue.revokeBoardLink({ clinicId }), {
      success: 'queue.boardLinkRevoked',
    })
    if (revoked) onClose()
  }
  return (
    <Dialog
      onClose={onClose}
      // a click beside the dialog must not close what is shown once
      closeOnClickOutside={!address}
      title={say('queue.board')}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <Stack gap="md">
        <Text size="sm">{say('queue.boardLinkText')}</Text>
        {address ? (
          <NewLink address={address} />
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {link
                ? say({
                    key: 'queue.boardLinkSince',
                    values: {
                      day: format.dateTime(link.madeAt, DAY),
                      who: link.madeBy,
                    },
                  })
                : say('queue.boardLinkNone')}
            </Text>
            <Group gap="sm">
              <Button onClick={() => void make()} loading={pending}>
                {say(link ? 'queue.boardLinkReplace' : 'queue.boardLinkMake')}
              </Button>
              {link && (
                <Button variant="default" onClick={() => void revoke()} disabled={pending}>
                  {say('queue.boardLinkRevoke')}
                </Button>
              )}
            </Group>
          </>
        )}
      </Stack>
    </Dialog>
  )
}

const confirmLinkStop = (action: 'queue.boardLinkReplace' | 'queue.boardLinkRevoke') =>
  confirm({
    title: 'queue.boardLinkStop',
    text: 'queue.boardLinkStopText',
    action,
    destructive: true,
  })

function NewLink({ address }: { address: string }) {
  const say = useSay()
  return (
    <>
      <TextInput
        label={say('queue.boardLink')}
        description={say('queue.boardLinkOnce')}
        value={address}
        readOnly
        dir="ltr"
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group gap="sm">
        <CopyText value={address} label="queue.boardLinkCopy" variant="filled" />
        <Anchor href={address} target="_blank" rel="noreferrer" size="sm">
          {say('queue.boardLinkOpen')}
        </Anchor>
      </Group>
    </>
  )
}

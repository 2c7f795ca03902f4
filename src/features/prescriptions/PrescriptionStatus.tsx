import { Group, Menu, Text, UnstyledButton } from '@mantine/core'
import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import { toast } from 'sonner'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import {
  isUsualStep,
  type PrescriptionStatus,
  type Priority,
  priorityLabel,
  STATUSES,
  statusLabel,
} from './prescription'
import { setPrescriptionStatus } from './prescriptions.functions'

const tones: Record<PrescriptionStatus, Tone> = {
  pending: 'warning',
  prepared: 'plain',
  'picked-up': 'good',
  'partially-picked-up': 'plain',
  'not-picked-up': 'bad',
  cancelled: 'quiet',
  other: 'quiet',
}

type Shown = { status: PrescriptionStatus; unusual_from: PrescriptionStatus | null }

export function StatusText({ status }: { status: PrescriptionStatus }) {
  return <StatusBadge tone={tones[status]}>{useSay()(statusLabel(status))}</StatusBadge>
}

/** Says that the status was reached by a step that is not the usual one. */
export function UnusualMark({ prescription: { unusual_from } }: { prescription: Shown }) {
  const say = useSay()
  if (!unusual_from) return null
  return (
    <Text size="xs" c="dimmed">
      {say({ key: 'prescriptions.unusualFrom', values: { status: say(statusLabel(unusual_from)) } })}
    </Text>
  )
}

const priorityTones: Record<Priority, Tone> = { low: 'quiet', normal: 'plain', high: 'warning', emergency: 'bad' }

export function PriorityText({ priority }: { priority: Priority }) {
  return <StatusBadge tone={priorityTones[priority]}>{useSay()(priorityLabel(priority))}</StatusBadge>
}

type Props = {
  prescription: Shown & { id: string; patient: string }
  /** Which this person may set. */
  maySet: (status: PrescriptionStatus) => boolean
}

/** The status, and all seven to choose from: an unusual step asks first. */
export function StatusMenu({ prescription, maySet }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { id, status, patient } = prescription
  const choices = STATUSES.filter((to) => to === status || maySet(to))
  if (choices.length < 2) {
    return (
      <div>
        <StatusText status={status} />
        <UnusualMark prescription={prescription} />
      </div>
    )
  }

  async function move(to: PrescriptionStatus) {
    const values = { from: say(statusLabel(status)), to: say(statusLabel(to)) }
    const isMeant =
      isUsualStep(status, to) ||
      (await confirm({
        title: 'prescriptions.unusualTitle',
        text: { key: 'prescriptions.unusualText', values },
        action: { key: 'prescriptions.unusualAction', values },
      }))
    if (!isMeant) return
    const done = await run(() => setPrescriptionStatus({ data: { id, status: to } }), {
      success: { key: 'prescriptions.statusDone', values: { patient, status: values.to } },
    })
    for (const { generic_name, quantity } of done?.missing ?? []) {
      toast.warning(say({ key: 'prescriptions.notHeld', values: { name: generic_name, quantity } }))
    }
  }
  return (
    <div>
      <Menu position="bottom-start" portalProps={{ target: '#content' }}>
        <Menu.Target>
          <UnstyledButton
            disabled={pending}
            aria-label={say({
              key: 'prescriptions.changeStatus',
              values: { patient, status: say(statusLabel(status)) },
            })}
          >
            <Group gap={4} wrap="nowrap">
              <StatusText status={status} />
              <IconChevronDown size={14} aria-hidden />
            </Group>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {choices.map((to) => (
            <Menu.Item
              key={to}
              disabled={to === status}
              rightSection={to === status && <IconCheck size={14} aria-hidden />}
              onClick={() => void move(to)}
            >
              {say(statusLabel(to))}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <UnusualMark prescription={prescription} />
    </div>
  )
}

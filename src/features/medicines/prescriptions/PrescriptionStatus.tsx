import { Menu, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { priorityLabel, statusLabel } from '~/records/prescription'
import {
  type PrescriptionStatus,
  type Priority,
  PRESCRIPTION_STATUSES,
} from '~/records/prescription-status'
import { type Sayable, useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { askReason, confirm } from '~/ui/confirm'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import { StatusMenu } from '~/ui/menus'
import { isUndispensed, isUsualStep, needsStatusReason } from './prescription'

const tones: Record<PrescriptionStatus, Tone> = {
  pending: 'warning',
  prepared: 'plain',
  'picked-up': 'good',
  'partially-picked-up': 'plain',
  'not-picked-up': 'bad',
  cancelled: 'quiet',
  other: 'quiet',
}

type Shown = {
  status: PrescriptionStatus
  unusual_from: PrescriptionStatus | null
  is_dispensed: boolean
  status_reason: string | null
}

export function StatusText({ status }: { status: PrescriptionStatus }) {
  return <StatusBadge tone={tones[status]}>{useSay()(statusLabel(status))}</StatusBadge>
}

/**
 * Says that the step to this status is not the usual one, or that nothing was dispensed, and why.
 */
export function UnusualMark({ prescription }: { prescription: Shown }) {
  const say = useSay()
  const { unusual_from, status_reason } = prescription
  return (
    <>
      {unusual_from && (
        <Text size="xs" c="dimmed">
          {say({
            key: 'prescriptions.unusualFrom',
            values: { status: say(statusLabel(unusual_from)) },
          })}
        </Text>
      )}
      {isUndispensed(prescription) && (
        <Text size="xs" c="dimmed">
          {say('prescriptions.nothingDispensed')}
          {status_reason && (
            <>
              {': '}
              <bdi>{status_reason}</bdi>
            </>
          )}
        </Text>
      )}
    </>
  )
}

/**
 * Asks before an unusual step, and for a reason before "picked up" with nothing dispensed. Null:
 * the step is not taken.
 */
export async function askStep(
  prescription: Pick<Shown, 'status' | 'is_dispensed'>,
  becomes: PrescriptionStatus,
  say: (what: Sayable) => string,
): Promise<{ reason: string | null } | null> {
  const values = { from: say(statusLabel(prescription.status)), to: say(statusLabel(becomes)) }
  const action = { key: 'prescriptions.unusualAction', values } as const
  if (needsStatusReason(prescription, becomes)) {
    const reason = await askReason({
      title: 'prescriptions.nothingDispensedTitle',
      text: 'prescriptions.nothingDispensedText',
      action,
      reason: { label: 'dispensing.reason', missing: 'dispensing.reasonRequired' },
    })
    return reason === null ? null : { reason }
  }
  const isMeant =
    isUsualStep(prescription.status, becomes) ||
    (await confirm({
      title: 'prescriptions.unusualTitle',
      text: { key: 'prescriptions.unusualText', values },
      action,
    }))
  return isMeant ? { reason: null } : null
}

/** The number of the prescription, below its medicines. */
export function NumberLine({ number }: { number: string }) {
  const say = useSay()
  return (
    <Text size="xs" c="dimmed">
      {say('prescriptions.number')}{' '}
      <bdi dir="ltr" style={{ whiteSpace: 'nowrap' }}>
        {number}
      </bdi>
    </Text>
  )
}

const priorityTones: Record<Priority, Tone> = {
  low: 'quiet',
  normal: 'plain',
  high: 'warning',
  emergency: 'bad',
}

export function PriorityText({ priority }: { priority: Priority }) {
  return (
    <StatusBadge tone={priorityTones[priority]}>{useSay()(priorityLabel(priority))}</StatusBadge>
  )
}

type Props = {
  prescription: Shown & { id: string; patient: string }
  /** The statuses that this user may set. */
  maySet: (status: PrescriptionStatus) => boolean
}

/** The status, and all seven to choose from: an unusual step asks first. */
export function PrescriptionStatusMenu({ prescription, maySet }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { id, status, patient } = prescription
  const choices = PRESCRIPTION_STATUSES.filter((to) => to === status || maySet(to))
  if (choices.length < 2) {
    return (
      <div>
        <StatusText status={status} />
        <UnusualMark prescription={prescription} />
      </div>
    )
  }

  async function move(to: PrescriptionStatus) {
    const step = await askStep(prescription, to, say)
    if (!step) return
    const done = await run(
      () => api.prescriptions.setStatus({ id, status: to, reason: step.reason }),
      {
        success: {
          key: 'prescriptions.statusDone',
          values: { patient, status: say(statusLabel(to)) },
        },
      },
    )
    for (const { generic_name, quantity } of done?.missing ?? []) {
      toast.warning(say({ key: 'prescriptions.notHeld', values: { name: generic_name, quantity } }))
    }
  }
  return (
    <div>
      <StatusMenu
        badge={<StatusText status={status} />}
        label={{
          key: 'prescriptions.changeStatus',
          values: { patient, status: say(statusLabel(status)) },
        }}
        pending={pending}
      >
        {choices.map((to) => (
          <Menu.Item
            key={to}
            disabled={to === status}
            // a menu that opens on a disabled item takes no focus, and so no arrow and no Escape
            data-autofocus={to === choices.find((one) => one !== status) || undefined}
            rightSection={to === status && <IconCheck size={14} aria-hidden />}
            onClick={() => void move(to)}
          >
            {say(statusLabel(to))}
          </Menu.Item>
        ))}
      </StatusMenu>
      <UnusualMark prescription={prescription} />
    </div>
  )
}

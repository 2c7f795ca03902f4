import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconLock, IconPencil, IconSignature } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useFormatter, useTimeZone } from 'use-intl'
import { api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import type { Actor } from '~/shared/actor'
import { AppError, type Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { TIME_OF_DAY } from '~/ui/clock'
import { askReason, confirm } from '~/ui/confirm'
import { useDayText } from '~/ui/Day'
import { Moment } from '~/ui/Moment'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import { dayIn } from '~/shared/zone'
import type { ClosedRun } from './closed.server'
import { useRunId } from './run-id'
import { usePeriodName } from './sheet/period-name'
import type { ShownReport } from './reports.server'
import { LIVE, type RunStatus, type Signature, SIGNATURES } from './runs'
import { withSearch } from '~/ui/search'

type Status = RunStatus | 'due' | 'signed'
const tones: Record<Status, Tone> = {
  open: 'plain',
  due: 'warning',
  closed: 'good',
  amended: 'warning',
  signed: 'good',
}

/** What became of a period, in a word. */
export function RunBadge({ status }: { status: Status }) {
  const say = useSay()
  return <StatusBadge tone={tones[status]}>{say(`reports.status_${status}`)}</StatusBadge>
}

export const statusToShow = (report: {
  status: RunStatus
  is_due: boolean
  is_signed: boolean
}): Status => {
  if (report.is_due) return 'due'
  if (report.is_signed && report.status === 'closed') return 'signed'
  return report.status
}

type Props = { report: ShownReport; actor: Actor }

/** The state of a report (open, closed or amended), its signatures, and the next possible steps. */
export function RunPanel({ report, actor }: Props) {
  const { run, runs } = report
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm" align="flex-start">
          <Stack gap={4}>
            <State report={report} />
            {run && <Facts run={run} />}
          </Stack>
          <Group gap="xs" data-print="no">
            <Actions
              key={`${report.code} ${report.period.text} ${report.clinics.map(({ id }) => id).join()}`}
              report={report}
              actor={actor}
            />
          </Group>
        </Group>
        {runs.length > 1 && <Versions report={report} />}
      </Stack>
    </Paper>
  )
}

function statusOf(run: ClosedRun) {
  if (run.number > 1) return 'amended'
  return isSigned(run) ? 'signed' : 'closed'
}

const isSigned = ({ prepared_at, checked_at }: ClosedRun) => Boolean(prepared_at && checked_at)

function State({ report }: { report: ShownReport }) {
  const say = useSay()
  const dayText = useDayText()
  const format = useFormatter()
  const { run, runs, is_closable, is_due, computed_at, closable_on } = report
  const time = format.dateTime(computed_at, TIME_OF_DAY)
  const notClosed: Message = is_due
    ? { key: 'reports.isReady', values: { time } }
    : { key: 'reports.openUntil', values: { time, day: dayText(closable_on) } }
  if (run)
    return (
      <Group gap="xs">
        <RunBadge status={statusOf(run)} />
        <RunWords run={run} />
      </Group>
    )
  return (
    <Group gap="xs">
      <RunBadge status={is_due ? 'due' : 'open'} />
      <Text size="sm">
        {say(
          runs.length > 0 || (is_closable && !is_due)
            ? { key: 'reports.isLive', values: { time } }
            : notClosed,
        )}
      </Text>
    </Group>
  )
}

/** "Closed on 3 Nov 2026 by Amal": the closing or the amendment. */
export function RunWords({ run }: { run: ClosedRun }) {
  const say = useSay()
  const dayText = useDayText()
  const zone = useTimeZone() ?? 'UTC'
  const values = {
    day: dayText(dayIn(new Date(run.closed_at), zone)),
    who: run.closed_by ?? '—',
    number: run.number - 1,
    reason: run.reason ?? '',
  }
  const key = run.number > 1 ? 'reports.amendedBy' : 'reports.closedBy'
  return <Text size="sm">{say({ key, values })}</Text>
}

function Facts({ run }: { run: ClosedRun }) {
  const say = useSay()
  return (
    <>
      <Text size="sm" c="dimmed">
        {say({ key: 'reports.facts', values: { version: run.version, zone: run.zone } })}
      </Text>
      {SIGNATURES.map((as) => (
        <Text key={as} size="sm">
          <Text span c="dimmed">
            {say(`reports.${as}By`)}:{' '}
          </Text>
          <Signed run={run} as={as} />
        </Text>
      ))}
    </>
  )
}

function Signed({ run, as }: { run: ClosedRun; as: Signature }) {
  const say = useSay()
  const at = run[`${as}_at`]
  if (!at) return say('reports.notSigned')
  return (
    <>
      <bdi>{run[`${as}_by`] ?? '—'}</bdi>, <Moment at={at} />
    </>
  )
}

function Versions({ report: { runs, run } }: { report: ShownReport }) {
  const say = useSay()
  return (
    <nav aria-label={say('reports.versions')}>
      <Text size="sm" fw={600}>
        {say('reports.versions')}
      </Text>
      <Stack gap={2} component="ul" m={0} ps="lg">
        {runs.map((each) => (
          <li key={each.id}>
            <LinkAnchor
              to="."
              search={withSearch({ run: each.number })}
              size="sm"
              aria-current={each.id === run?.id ? 'page' : undefined}
              fw={each.id === run?.id ? 600 : undefined}
            >
              <RunWords run={each} />
            </LinkAnchor>
          </li>
        ))}
      </Stack>
    </nav>
  )
}

function Actions({ report, actor }: Props) {
  const say = useSay()
  const { run: act, pending } = useAction()
  const router = useRouter()
  const { run, runs, is_closable, may } = report
  const [runId, renewId] = useRunId(runs)
  const input = {
    code: report.code,
    clinic_ids: report.clinics.map((clinic) => clinic.id),
    period: report.period.text,
  }
  const period = usePeriodName()(report.period.text)

  async function keep(save: () => Promise<unknown>, success: MessageKey) {
    const kept = await act(
      () =>
        save().catch(async (error: unknown) => {
          // what it was refused for is shown, and the next try is another one
          if (error instanceof AppError && error.code === 'conflict') {
            renewId()
            await router.invalidate()
          }
          throw error
        }),
      { success },
    )
    if (kept) renewId()
  }
  async function close() {
    const isSure = await confirm({
      title: { key: 'reports.closeAsks', values: { period } },
      text: 'reports.closeText',
      action: 'reports.close',
    })
    if (isSure) await keep(() => api.reports.close({ ...input, id: runId }), 'reports.closeDone')
  }
  async function amend() {
    const reason = await askReason({
      title: { key: 'reports.amendAsks', values: { period } },
      text: 'reports.amendText',
      action: 'reports.amend',
      reason: { label: 'reports.reason', missing: 'reports.reasonRequired' },
    })
    if (reason !== null)
      await keep(() => api.reports.amend({ ...input, id: runId, reason }), 'reports.amendDone')
  }
  async function sign(id: string, as: Signature) {
    const isSure = await confirm({
      title: `reports.signAsks_${as}`,
      text: 'reports.signText',
      action: `reports.sign_${as}`,
    })
    if (isSure) await act(() => api.reports.sign({ id, as }), { success: 'reports.signDone' })
  }

  const toSign = run && nextSignature(run, actor, may.prepare)
  return (
    <>
      {run ? (
        <LinkAnchor to="." search={withSearch({ run: LIVE })} size="sm">
          {say('reports.showLive')}
        </LinkAnchor>
      ) : (
        runs.length > 0 && (
          <LinkAnchor to="." search={withSearch({ run: undefined })} size="sm">
            {say('reports.showClosed')}
          </LinkAnchor>
        )
      )}
      {run && toSign && (
        <Button
          leftSection={<IconSignature size={16} aria-hidden />}
          loading={pending}
          onClick={() => void sign(run.id, toSign)}
        >
          {say(`reports.sign_${toSign}`)}
        </Button>
      )}
      {runs.length > 0 && (
        <Button
          variant="default"
          leftSection={<IconPencil size={16} aria-hidden />}
          loading={pending}
          onClick={() => void amend()}
        >
          {say('reports.amend')}
        </Button>
      )}
      {is_closable && (
        <Button
          leftSection={<IconLock size={16} aria-hidden />}
          loading={pending}
          onClick={() => void close()}
        >
          {say('reports.close')}
        </Button>
      )}
    </>
  )
}

/** The signature that this user can give: first who prepared, then another person. */
function nextSignature(run: ClosedRun, actor: Actor, mayPrepare: boolean): Signature | null {
  if (!run.prepared_at) return mayPrepare ? 'prepared' : null
  return run.checked_at || run.prepared_by_id === actor.userId ? null : 'checked'
}

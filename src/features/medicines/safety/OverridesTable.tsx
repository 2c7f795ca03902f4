import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { linkOptions } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { LinkAnchor } from '~/client/links'
import { api } from '~/client/api'
import { isReasonInWords } from '~/shared/reason'
import { useSay } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { Dialog } from '~/ui/Dialog'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { warningGravity, LevelBadge } from './LevelBadge'
import type { ListedOverride } from './overrides.server'
import { useWarningText } from './WarningText'

type Props = { rows: readonly ListedOverride[]; pagination: Pagination }

/** Who went past which warning, and why; each is looked at once. */
export function OverridesTable({ rows, pagination }: Props) {
  const say = useSay()
  const textOf = useWarningText()
  const [reviewing, setReviewing] = useState<ListedOverride | null>(null)
  const columns: Column<ListedOverride>[] = [
    {
      key: 'overridden_at',
      card: 'badge',
      label: 'safety.at',
      cell: ({ overridden_at, overridden_by, stage }) => (
        <Stack gap={2}>
          <Moment at={overridden_at} />
          {overridden_by && (
            <span>
              <bdi>{overridden_by}</bdi>
            </span>
          )}
          <Text size="xs" c="dimmed">
            {say(`safety.${stage}`)}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'warning',
      card: 'title',
      label: 'safety.warning',
      cell: ({ warning, reason, reason_code, confirmed_by, is_unconfirmed }) => (
        <Stack gap={4} miw="min(16rem, 100%)">
          <div>
            <LevelBadge gravity={warningGravity(warning)} />
          </div>
          <Text size="sm">{textOf(warning)}</Text>
          <Text size="sm" fw={500}>
            {reason_code === 'emergency' && say('safety.askedLater')}
            {reason_code !== 'emergency' && reason === null && say('safety.arrivedUnseen')}
            {reason_code !== 'emergency' && reason !== null && (
              <>
                {say(`safety.code.${reason_code}`)}: <bdi>{reason}</bdi>
              </>
            )}
          </Text>
          {confirmed_by && (
            <Text size="xs">
              {say({ key: 'safety.confirmedBy', values: { who: confirmed_by } })}
            </Text>
          )}
          {is_unconfirmed && <Text size="xs">{say('safety.notConfirmed')}</Text>}
        </Stack>
      ),
    },
    {
      key: 'patient',
      card: 'badge',
      label: 'safety.patient',
      cell: ({ patient, patient_id, prescription_id, event_id, clinic }) => (
        <Stack gap={2} align="flex-start">
          {patient && patient_id ? (
            <LinkAnchor size="sm" {...recordLink({ prescription_id, event_id, patient_id })}>
              <bdi>{patient}</bdi>
            </LinkAnchor>
          ) : (
            <Nothing />
          )}
          <Text size="xs" c="dimmed">
            <bdi>{clinic}</bdi>
          </Text>
        </Stack>
      ),
    },
    {
      key: 'review',
      label: 'safety.reviewed',
      cell: (override) =>
        override.reviewed_at ? (
          <Stack gap={2}>
            <Moment at={override.reviewed_at} dayOnly />
            {override.reviewed_by && (
              <Text size="xs">
                {say({ key: 'safety.reviewedBy', values: { who: override.reviewed_by } })}
              </Text>
            )}
            {override.is_own_review && <Text size="xs">{say('safety.ownReview')}</Text>}
            {override.review_note && (
              <Text size="xs" c="dimmed" dir="auto">
                {override.review_note}
              </Text>
            )}
          </Stack>
        ) : (
          <Button size="xs" variant="default" onClick={() => setReviewing(override)}>
            {say('safety.review')}
          </Button>
        ),
    },
  ]
  return (
    <>
      <DataTable
        label="safety.overrides"
        columns={columns}
        rows={rows}
        pagination={pagination}
        empty="safety.overridesEmpty"
      />
      {reviewing && <ReviewDialog override={reviewing} onClose={() => setReviewing(null)} />}
    </>
  )
}

type Ids = Pick<ListedOverride, 'prescription_id' | 'event_id'> & { patient_id: string }

/** The record that contains the medicine of the warning. */
const recordLink = (id: Ids) => {
  if (id.prescription_id)
    return linkOptions({
      to: '/app/prescriptions/edit/{-$prescriptionId}',
      params: { prescriptionId: id.prescription_id },
    })
  if (id.event_id)
    return linkOptions({ to: '/app/events/$eventId', params: { eventId: id.event_id } })
  return linkOptions({
    to: '/app/patients/$patientId',
    params: { patientId: id.patient_id },
    search: { tab: 'prescriptions' },
  })
}

function ReviewDialog({ override, onClose }: { override: ListedOverride; onClose: () => void }) {
  const say = useSay()
  const textOf = useWarningText()
  const { run, pending } = useAction()
  const [note, setNote] = useState('')
  const [isAsked, setAsked] = useState(false)
  // in an emergency no reason was given: closing it gives one
  const isEmergency = override.reason_code === 'emergency'
  const given =
    override.reason === null
      ? say('safety.arrivedUnseen')
      : `${say(`safety.code.${override.reason_code}`)}: ${override.reason}`
  const isMissing = isAsked && isEmergency && !isReasonInWords(note)
  async function submit(event: FormEvent) {
    event.preventDefault()
    setAsked(true)
    if (isEmergency && !isReasonInWords(note)) return
    const done = await run(() => api.safety.review({ id: override.id, note }), {
      success: 'safety.reviewedDone',
    })
    if (done) onClose()
  }
  return (
    <Dialog onClose={onClose} title={say('safety.review')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm" dir="auto">
            {textOf(override.warning)}
          </Text>
          <Text size="sm" dir="auto">
            {isEmergency ? say('safety.askedLater') : given}
          </Text>
          {override.is_own && <Text size="sm">{say('safety.ownOverride')}</Text>}
          <Textarea
            label={say(isEmergency ? 'safety.reasonText' : 'safety.reviewNote')}
            error={isMissing && say('safety.emergencyNote')}
            aria-invalid={isMissing || undefined}
            withAsterisk={isEmergency}
            aria-required={isEmergency || undefined}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            rows={3}
            maxLength={1000}
            dir="auto"
            data-autofocus
          />
          <Group gap="sm">
            <Button type="submit" loading={pending}>
              {say('safety.review')}
            </Button>
            <CancelButton onClick={onClose} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

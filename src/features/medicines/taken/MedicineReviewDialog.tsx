import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { api } from '~/client/api'
import { LinkButton } from '~/client/links'
import { useQuery } from '~/client/query'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { askReason } from '~/ui/confirm'
import { useDayText } from '~/ui/Day'
import { useDelete } from '~/ui/delete'
import { Dialog } from '~/ui/Dialog'
import { emptyWords, medicineWords } from './medicine-words'
import type { Reconciliation, ReconciledMedicine } from './reconciliation.server'

export type ReviewProps = {
  patientId: string
  /** Null: outside of a visit. */
  visitId: string | null
}

/** Nothing is said of a medicine that nobody decided about. */
export function MedicineReviewDialog({
  patientId,
  visitId,
  onClose,
}: ReviewProps & { onClose: () => void }) {
  const say = useSay()
  const dayText = useDayText()
  const { data, error } = useQuery('reconciliations.list', { patientId, visitId })
  return (
    <Dialog onClose={onClose} title={say('reconciliations.title')} size="lg">
      <Stack gap="sm">
        <Text size="sm">{say('reconciliations.lead')}</Text>
        {data && data.day < data.today && (
          <Text size="sm">
            {say({ key: 'reconciliations.leadEarlier', values: { day: dayText(data.day) } })}
          </Text>
        )}
        {error !== null && (
          <Text size="sm" fw={600}>
            {say('patientPage.partFailed')}
          </Text>
        )}
        {!data && error === null && <Loader size="sm" />}
        {data && <Listed {...{ data, patientId, visitId }} />}
        <Group>
          <Button variant="default" onClick={onClose}>
            {say('common.close')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

type ListedProps = ReviewProps & { data: Reconciliation }

function Listed({ data, ...of }: ListedProps) {
  const say = useSay()
  const ended = data.decided.filter(
    ({ id }) => !data.rows.some(({ decision }) => decision?.id === id),
  )
  return (
    <>
      {data.of > 0 && (
        <Text size="sm" fw={600} component="output">
          {say({
            key: 'reconciliations.progress',
            values: { asked: data.asked, of: data.of },
          })}
        </Text>
      )}
      {data.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {say(emptyWords(data))}
        </Text>
      )}
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.rows.map((medicine) => (
          <Medicine key={medicine.id} {...of} medicine={medicine} day={data.day} />
        ))}
        {ended.map((decision) => (
          <li key={decision.id}>
            <Text size="sm" fw={500} component="bdi">
              {decision.name}
            </Text>
            <DecisionText decision={decision} />
            <UndoButton decision={decision} />
          </li>
        ))}
      </Stack>
    </>
  )
}

type MedicineProps = ReviewProps & {
  medicine: ReconciledMedicine
  /** The day of the visit, or today. */
  day: string
}

function Medicine({ medicine, day, patientId, visitId }: MedicineProps) {
  const say = useSay()
  const dayText = useDayText()
  const { run, pending } = useAction()
  const { id: line, name, instructions, decision, mayStop, mayChange } = medicine
  // a last day that was assumed is moved by nobody
  const endsLater =
    medicine.kind === 'elsewhere' && medicine.until !== null && medicine.until > day
      ? medicine.until
      : null
  const { title, dose, notes } = medicineWords(medicine, say, dayText)
  const listed = { line, name, dose: instructions, patient_id: patientId, visit_id: visitId }
  const values = { name: title }
  const isOver = decision !== null && decision.decision !== 'keep'
  async function keep() {
    await run(
      () => api.reconciliations.decide({ ...listed, id: newId(), decision: 'keep', reason: null }),
      { success: { key: 'reconciliations.keptDone', values } },
    )
  }
  async function stop() {
    const reason = await askReason({
      title: { key: 'reconciliations.stopOne', values },
      text: { key: 'reconciliations.stopText', values },
      more: endsLater
        ? [
            {
              key: 'reconciliations.stopEarlier',
              values: { until: dayText(endsLater), day: dayText(day) },
            },
          ]
        : [],
      action: 'reconciliations.stop',
      destructive: true,
      reason: { label: 'reconciliations.reason', missing: 'reconciliations.reasonRequired' },
    })
    if (reason === null) return
    await run(
      () =>
        api.reconciliations.decide({
          ...listed,
          id: newId(),
          decision: 'stop',
          reason,
          until: endsLater,
        }),
      { success: { key: 'reconciliations.stoppedDone', values } },
    )
  }
  return (
    <li>
      <Group gap="xs">
        <Text size="sm" fw={500} component="bdi">
          {title}
        </Text>
        {dose && (
          <Text size="sm" component="bdi">
            {dose}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {notes.join(' · ')}
        </Text>
      </Group>
      {decision ? (
        <DecisionText decision={decision} />
      ) : (
        <Text size="sm">{say('reconciliations.notAsked')}</Text>
      )}
      {!isOver && (
        <Group gap="xs" mt={4}>
          {!decision && (
            <Button
              size="compact-sm"
              loading={pending}
              aria-label={say({ key: 'reconciliations.keepOne', values })}
              onClick={() => void keep()}
            >
              {say('reconciliations.keep')}
            </Button>
          )}
          {decision && <UndoButton decision={decision} />}
          {mayStop && (
            <Button
              size="compact-sm"
              variant="default"
              disabled={pending}
              aria-label={say({ key: 'reconciliations.stopOne', values })}
              onClick={() => void stop()}
            >
              {say('reconciliations.stop')}
            </Button>
          )}
          {mayChange && (
            <LinkButton
              size="compact-sm"
              variant="default"
              aria-label={say({ key: 'reconciliations.changeOne', values })}
              to="/app/prescriptions/edit/{-$prescriptionId}"
              params={{ prescriptionId: 'new' }}
              search={{ patientId, visitId: visitId ?? undefined, changes: line }}
            >
              {say('reconciliations.change')}
            </LinkButton>
          )}
          {!mayStop && !mayChange && (
            <Text size="xs" c="dimmed">
              {say('reconciliations.cannotEndHere')}
            </Text>
          )}
        </Group>
      )}
    </li>
  )
}

/** Undoes a decision: of the user, or of others if the user may delete records. */
function UndoButton({ decision }: { decision: Reconciliation['decided'][number] }) {
  const say = useSay()
  const { remove } = useDelete()
  if (!decision.mayUndo) return null
  const values = { name: decision.name }
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="red"
      aria-label={say({ key: 'reconciliations.undoOne', values })}
      onClick={() => void remove('reconciliations', decision.id, values)}
    >
      {say('reconciliations.delete')}
    </Button>
  )
}

/** The decision, its day, who made it and why. */
function DecisionText({ decision }: { decision: Reconciliation['decided'][number] }) {
  const say = useSay()
  const dayText = useDayText()
  const { decided_by, decided_on, reason } = decision
  const values = {
    decision: say(`reconciliations.decision_${decision.decision}`),
    day: dayText(decided_on),
  }
  return (
    <Text size="sm" component="span" display="block">
      {say(
        decided_by === null
          ? { key: 'reconciliations.decidedOnBy', values }
          : { key: 'reconciliations.decidedOn', values: { ...values, name: decided_by } },
      )}
      {reason && (
        <>
          {' · '}
          <bdi>{say({ key: 'reconciliations.because', values: { reason } })}</bdi>
        </>
      )}
    </Text>
  )
}

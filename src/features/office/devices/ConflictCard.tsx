import { Button, Group, Paper, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useId, useState } from 'react'
import { LinkAnchor, LinkButton } from '~/client/links'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import type { PhoneValue as Value } from './device'
import { columnLabel, tableLabel } from './labels'
import { type ValueKind, WireValue } from './WireValue'

type LostValue = {
  id: string
  table_name: string
  column_name: string
  kind: ValueKind
  patient: string | null
  patient_id: string | null
  clinic: string | null
  phone_value: Value
  server_value: Value
  is_deleted: boolean
  is_derived: boolean
  sent_by: string | null
  received_at: Date
  edited_at: Date | null
  changed_by: string | null
  changed_at: Date | null
  may_settle: boolean
  outcome: string | null
  settled_by: string | null
  settled_value: Value
}
export type Choice = { take: 'server' } | { take: 'phone' } | { take: 'other'; value: Value }
type Props = {
  conflict: LostValue
  names: Record<string, string>
  onSettle: (choice: Choice) => void
  pending: boolean
}

/** One value that two users changed, side by side: who, when, and what to do about it. */
export function ConflictCard({ conflict, names, onSettle, pending }: Props) {
  const say = useSay()
  const id = useId()
  const { kind, patient, table_name, column_name, is_deleted } = conflict
  const who = <bdi>{patient ?? say('devices.unknownPatient')}</bdi>
  return (
    <Paper withBorder p="md" component="article" aria-labelledby={id}>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4" id={id}>
            {conflict.patient_id && patient ? (
              <LinkAnchor
                to="/app/patients/$patientId"
                params={{ patientId: conflict.patient_id }}
                inherit
              >
                {who}
              </LinkAnchor>
            ) : (
              who
            )}
          </Title>
          <Text size="sm" c="dimmed" component="div">
            {say(tableLabel(table_name))} · {say(columnLabel(column_name))}
            {conflict.clinic && (
              <>
                {' '}
                · <bdi>{conflict.clinic}</bdi>
              </>
            )}
          </Text>
        </div>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Side
            label={say(is_deleted ? 'devices.rowWasDeleted' : 'devices.here')}
            by={conflict.changed_by}
            at={conflict.changed_at}
          >
            <WireValue value={conflict.server_value} kind={kind} names={names} />
          </Side>
          <Side
            label={say('devices.onPhone')}
            by={conflict.sent_by}
            at={conflict.received_at}
            editedAt={conflict.edited_at}
          >
            <WireValue value={conflict.phone_value} kind={kind} names={names} />
          </Side>
        </SimpleGrid>
        {conflict.outcome ? (
          <Settled conflict={conflict} />
        ) : (
          conflict.may_settle && (
            <Decision conflict={conflict} onSettle={onSettle} pending={pending} />
          )
        )}
      </Stack>
    </Paper>
  )
}

type SideProps = {
  label: string
  by: string | null
  at: Date | null
  editedAt?: Date | null
  children: React.ReactNode
}

function Side({ label, by, at, editedAt, children }: SideProps) {
  const say = useSay()
  return (
    <Paper withBorder component="fieldset" p="sm" m={0} miw={0} aria-label={label}>
      <Text size="xs" fw={600} c="dimmed">
        {label}
      </Text>
      <div>{children}</div>
      <Text size="xs" c="dimmed" component="div">
        {by && <bdi>{by}</bdi>}
        {by && at && ' · '}
        {at && <Moment at={at} />}
        {editedAt && (
          <div>
            {say('devices.phoneEdited')}: <Moment at={editedAt} />
          </div>
        )}
      </Text>
    </Paper>
  )
}

function Settled({ conflict: { outcome, settled_by } }: { conflict: LostValue }) {
  const say = useSay()
  if (outcome === 'superseded') return <Text size="sm">{say('devices.outcome_superseded')}</Text>
  const keyOfOther = outcome === 'other' ? 'devices.outcome_other' : 'devices.outcome_server'
  const key = outcome === 'phone' ? 'devices.outcome_phone' : keyOfOther
  return <Text size="sm">{say({ key, values: { name: settled_by ?? '—' } })}</Text>
}

type KeepServerProps = Pick<Props, 'onSettle' | 'pending'> & {
  label: 'devices.keepServer' | 'devices.acknowledge'
}

function KeepServer({ onSettle, pending, label }: KeepServerProps) {
  const say = useSay()
  return (
    <Button
      size="sm"
      variant="default"
      loading={pending}
      onClick={() => onSettle({ take: 'server' })}
    >
      {say(label)}
    </Button>
  )
}

function Decision({ conflict, onSettle, pending }: Omit<Props, 'names'>) {
  const say = useSay()
  const [isWriting, setWriting] = useState(false)
  const [text, setText] = useState(String(conflict.server_value ?? ''))
  if (conflict.is_deleted) {
    return (
      <Group>
        <KeepServer {...{ onSettle, pending }} label="devices.acknowledge" />
        <LinkButton size="sm" variant="subtle" to="/app/trash">
          {say('devices.openTrash')}
        </LinkButton>
      </Group>
    )
  }
  if (conflict.is_derived) {
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{say('sync.derivedValue')}</Text>
        <KeepServer {...{ onSettle, pending }} label="devices.keepServer" />
      </Stack>
    )
  }
  const isTyped = conflict.kind === 'text' || conflict.kind === 'number'
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <KeepServer {...{ onSettle, pending }} label="devices.keepServer" />
        <Button size="sm" loading={pending} onClick={() => onSettle({ take: 'phone' })}>
          {say('devices.takePhone')}
        </Button>
        {isTyped && !isWriting && (
          <Button size="sm" variant="subtle" onClick={() => setWriting(true)}>
            {say('devices.writeOther')}
          </Button>
        )}
      </Group>
      {isWriting && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            onSettle({ take: 'other', value: conflict.kind === 'number' ? Number(text) : text })
          }}
        >
          <Group gap="xs" align="flex-end">
            <TextInput
              label={say('devices.otherValue')}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
              inputMode={conflict.kind === 'number' ? 'decimal' : undefined}
            />
            <Button size="sm" type="submit" loading={pending}>
              {say('devices.save')}
            </Button>
          </Group>
        </form>
      )}
    </Stack>
  )
}

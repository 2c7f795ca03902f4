import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTimeZone } from 'use-intl'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { momentAt, wallTime } from '~/shared/zone'
import { Dialog } from '~/ui/Dialog'
import { MomentBoxes } from '~/ui/MomentInput'
import type { PhoneValue as Value } from './device'
import { columnLabel, tableLabel } from './labels'
import type { ValueKind } from './WireValue'

type SentValue = { column: string; value: Value; kind: ValueKind }
type QuarantinedRow = {
  id: string
  table_name: string
  operation: string
  reason: MessageKey
  detail: string | null
  sent_by: string | null
  may_settle: boolean
  outcome: string | null
  values: SentValue[]
  /** As the phone sent it, if it has no values to show. */
  text: string | null
  /** The names for the ids among the values. */
  names: Record<string, string>
}
type Props = {
  row: QuarantinedRow
  onClose: () => void
  onApply: (values: Record<string, Value>) => void
  onReject: () => void
  pending: boolean
}

/** A row that a phone sent, column by column, to correct and apply or to dismiss. */
export function RefusedRow({ row, onClose, onApply, onReject, pending }: Props) {
  const say = useSay()
  const [changed, setChanged] = useState<Record<string, Value>>({})
  const isOpen = row.outcome === null && row.may_settle
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={`${say('devices.refusedOne')}: ${say(tableLabel(row.table_name))}`}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onApply(changed)
        }}
      >
        <Stack gap="sm">
          <Alert color="red" variant="light" title={say(row.reason)}>
            {row.detail && <Detail row={row} />}
          </Alert>
          {row.operation === 'delete' && <Text>{say('devices.deleteWanted')}</Text>}
          {row.text !== null && (
            <Textarea
              label={say('devices.sentText')}
              value={row.text}
              readOnly
              autosize
              minRows={1}
              maxRows={8}
              dir="ltr"
            />
          )}
          {row.values.length > 0 && <Text size="sm">{say('devices.correct')}</Text>}
          {row.values.map((sent) => (
            <SentField
              key={sent.column}
              sent={sent}
              name={row.names[String(changed[sent.column] ?? sent.value)]}
              readOnly={!isOpen}
              error={sent.column === row.detail ? say(row.reason) : undefined}
              onChange={(value) => setChanged((all) => ({ ...all, [sent.column]: value }))}
            />
          ))}
          {isOpen && (
            <Group justify="flex-end">
              <Button variant="default" color="red" loading={pending} onClick={onReject}>
                {say('devices.reject')}
              </Button>
              {row.text === null && (
                <Button type="submit" loading={pending}>
                  {say('devices.apply')}
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
    </Dialog>
  )
}

/** The column that is wrong by its name; an id or a rule of the database as it is. */
function Detail({ row: { detail, values } }: { row: QuarantinedRow }) {
  const say = useSay()
  const isColumn = values.some(({ column }) => column === detail)
  return (
    <Text size="sm">
      {say('devices.detail')}: <bdi dir="ltr">{isColumn ? say(columnLabel(detail!)) : detail}</bdi>
    </Text>
  )
}

type FieldProps = {
  sent: SentValue
  name: string | undefined
  readOnly: boolean
  error: string | undefined
  onChange: (value: Value) => void
}

/** One value, asked as its kind. Unreadable values are shown, and sent, as written. */
function SentField({ sent: { column, value, kind }, name, readOnly, error, onChange }: FieldProps) {
  const say = useSay()
  const timeZone = useTimeZone() ?? 'UTC'
  const isMoment = kind === 'moment' && (value === null || typeof value === 'number')
  const [text, setText] = useState(
    isMoment && value !== null ? wallTime(new Date(value), timeZone) : String(value ?? ''),
  )
  const write = (written: string) => {
    setText(written)
    // half a moment is sent as written and refused: null would be an answer of its own
    const moment = momentAt(written, timeZone)?.getTime() ?? (written === '' ? null : written)
    onChange(isMoment ? moment : typed(kind, written))
  }
  const common = {
    label: say(columnLabel(column)),
    description: name && <bdi>{name}</bdi>,
    error,
    value: text,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      write(currentTarget.value),
  }
  if (isMoment)
    return (
      <MomentBoxes
        label={columnLabel(column)}
        value={text}
        onChange={write}
        error={error}
        disabled={readOnly}
      />
    )
  if (kind === 'json')
    return <Textarea {...common} readOnly={readOnly} autosize minRows={1} maxRows={8} dir="ltr" />
  if (kind === 'boolean') {
    const data = [
      { value: '', label: say('common.none') },
      { value: 'true', label: say('common.yes') },
      { value: 'false', label: say('common.no') },
    ]
    return <NativeSelect {...common} disabled={readOnly} data={data} />
  }
  return (
    <TextInput
      {...common}
      readOnly={readOnly}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      dir={column.endsWith('_id') ? 'ltr' : 'auto'}
    />
  )
}

function typed(kind: ValueKind, text: string): Value {
  const written = text.trim()
  if (kind === 'boolean') return written === '' ? null : written === 'true'
  if (kind === 'number') {
    if (written === '') return null
    return Number.isFinite(Number(written)) ? Number(written) : text
  }
  return text
}

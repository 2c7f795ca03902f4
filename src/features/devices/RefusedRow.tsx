import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { WireValue as Value } from './device'
import { columnLabel, tableLabel } from './labels'

export type Refused = {
  id: string
  table_name: string
  operation: string
  reason: MessageKey
  detail: string | null
  sent_by: string | null
  may_settle: boolean
  outcome: string | null
  values: { column: string; value: Value; isJson: boolean }[]
}
type Props = {
  row: Refused
  onClose: () => void
  onApply: (values: Record<string, Value>) => void
  onReject: () => void
  pending: boolean
}

/** What a phone sent, column by column, to be corrected and applied or laid aside. */
export function RefusedRow({ row, onClose, onApply, onReject, pending }: Props) {
  const say = useSay()
  const [changed, setChanged] = useState<Record<string, string>>({})
  const isOpen = row.outcome === null && row.may_settle
  const corrected = () =>
    Object.fromEntries(
      row.values.flatMap(({ column, value }) =>
        column in changed ? [[column, typedAs(value, changed[column]!)]] : [],
      ),
    )
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`${say('devices.refusedOne')}: ${say(tableLabel(row.table_name))}`}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onApply(corrected())
        }}
      >
        <Stack gap="sm">
          <Alert color="orange" title={say(row.reason)}>
            {row.detail && <Detail row={row} />}
          </Alert>
          {row.operation === 'delete' && <Text>{say('devices.deleteWanted')}</Text>}
          {row.values.length > 0 && <Text size="sm">{say('devices.correct')}</Text>}
          {row.values.map(({ column, value, isJson }) => {
            const common = {
              label: say(columnLabel(column)),
              value: changed[column] ?? String(value ?? ''),
              readOnly: !isOpen,
              error: column === row.detail ? say(row.reason) : undefined,
              onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
                setChanged((all) => ({ ...all, [column]: currentTarget.value })),
            }
            return isJson ? (
              <Textarea key={column} {...common} autosize minRows={1} maxRows={8} dir="ltr" />
            ) : (
              <TextInput key={column} {...common} dir={column.endsWith('_id') ? 'ltr' : 'auto'} />
            )
          })}
          {isOpen && (
            <Group justify="flex-end">
              <Button variant="default" color="red" loading={pending} onClick={onReject}>
                {say('devices.reject')}
              </Button>
              <Button type="submit" loading={pending}>
                {say('devices.apply')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Modal>
  )
}

/** The column that is wrong by its name; an id or a rule of the database as it is. */
function Detail({ row: { detail, values } }: { row: Refused }) {
  const say = useSay()
  const isColumn = values.some(({ column }) => column === detail)
  return (
    <Text size="sm">
      {say('devices.detail')}: <bdi dir="ltr">{isColumn ? say(columnLabel(detail!)) : detail}</bdi>
    </Text>
  )
}

/** What was a number or yes or no stays one. */
function typedAs(before: Value, text: string): Value {
  if (typeof before === 'number') return text.trim() === '' ? null : Number(text)
  if (typeof before === 'boolean') return text === 'true'
  return text
}

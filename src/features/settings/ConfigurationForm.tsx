import { Alert, Paper, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { toast } from 'sonner'
import { useFormatter } from 'use-intl'
import type { Field, Option } from '~/fields/field'
import { invalid } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { TIME_OF_DAY, useNow } from '~/ui/clock'
import { confirm } from '~/ui/confirm'
import { FieldForm } from '~/ui/FieldForm'
import { Moment } from '~/ui/Moment'
import { configurationFields, type ConfigurationName, DISABLE_CHECKING, timeZones } from './configuration'
import { saveConfiguration } from './configurations.functions'
import type { Configuration } from './configurations.server'

/** One setting, with a button of its own: each is saved, and refused, by itself. */
export function ConfigurationForm({ name, row }: { name: ConfigurationName; row: Configuration }) {
  const say = useSay()
  const router = useRouter()
  const { id, last_modified } = row
  const field: Field = configurationFields[name]
  const options = useMemo(() => (name === 'system/time-zone' ? zoneOptions() : undefined), [name])
  return (
    <Paper withBorder p="md">
      <FieldForm
        fields={{ value: field }}
        values={{ value: row.value }}
        options={{ value: options }}
        submit="common.save"
        onSubmit={async (answer) => {
          const value = answer.value as string | boolean | null
          const confirmation =
            name === DISABLE_CHECKING && value === true && row.value !== true && (await typedConsent())
          await saveConfiguration({ data: { id, last_modified, value, confirmation: confirmation || undefined } })
          toast.success(say('settings.saved'))
          await router.invalidate()
        }}
        cancel={<LastChange row={row} />}
      />
      <Remark name={name} value={row.value} />
    </Paper>
  )

  /** The sentence, typed as it stands. Throws what the form shows beside the switch when somebody thought better of it. */
  async function typedConsent() {
    const typed = say('settings.disableSentence')
    const isSure = await confirm({
      title: 'settings.disableTitle',
      text: 'settings.disableText',
      action: 'settings.disableAction',
      destructive: true,
      typed,
    })
    if (!isSure) throw invalid({ value: { key: 'settings.disableUnconfirmed' } })
    return typed
  }
}

const zoneOptions = (): Option[] =>
  timeZones().map((zone) => ({ value: zone, label: { text: zone.replaceAll('_', ' ') } }))

/** A name of either script, which leaves the order of the words around it alone. */
const isolated = (name: string) => `\u2068${name}\u2069`

function LastChange({ row }: { row: Configuration }) {
  const say = useSay()
  if (!row.last_modified_by_name) return null
  return (
    <Text size="sm" c="dimmed">
      {say({ key: 'settings.changedBy', values: { name: isolated(row.last_modified_by_name) } })} ·{' '}
      <Moment at={row.last_modified} />
    </Text>
  )
}

/** What follows from the setting as it is now. */
function Remark({ name, value }: { name: ConfigurationName; value: Configuration['value'] }) {
  const say = useSay()
  if (name === 'system/public-origin' && String(value).startsWith('http:')) {
    return (
      <Alert color="yellow" mt="md">
        <Text size="sm">{say('settings.originHttp')}</Text>
      </Alert>
    )
  }
  return name === 'system/time-zone' && typeof value === 'string' ? <TimeThere zone={value} /> : null
}

function TimeThere({ zone }: { zone: string }) {
  const say = useSay()
  const format = useFormatter()
  const now = useNow()
  const time = format.dateTime(now, { timeZone: zone, ...TIME_OF_DAY })
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {say({ key: 'settings.timeZoneNow', values: { time } })}
    </Text>
  )
}

import { Alert, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { use, useMemo } from 'react'
import { toast } from '~/ui/toast'
import { useFormatter } from 'use-intl'
import { api } from '~/client/api'
import type { Option } from '~/fields/field'
import { AppError, invalid } from '~/shared/errors'
import { isolated } from '~/shared/isolated'
import { useSay } from '~/shared/say'
import { confirm } from '~/ui/confirm'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { Moment } from '~/ui/Moment'
import { TIME_OF_DAY, useNow } from '~/ui/clock'
import { StatusBadge } from '~/ui/StatusBadge'
import {
  CONFIGURATION_NAMES,
  configurationFields,
  type ConfigurationName,
  DISABLE_CHECKING,
  configurationName,
  timeZones,
} from './configuration'
import type { Configuration } from './configurations.server'

type SectionOf<Name> = Name extends `${infer Section}/${string}` ? Section : never
/** Every section that a setting names, so that none is left out. */
const SECTIONS = [
  ...new Set(CONFIGURATION_NAMES.map((name) => name.split('/')[0] as SectionOf<typeof name>)),
]
type Value = Configuration['value']
type Rows = readonly Configuration[]

const byName = (rows: Rows) => new Map(rows.map((row) => [configurationName(row), row]))
const configurationValues = (rows: Rows) =>
  Object.fromEntries(rows.map((row) => [configurationName(row), row.value]))

/** All settings with one button: the changes are saved or refused together. */
export function ConfigurationsForm({ configurations }: { configurations: Rows }) {
  const say = useSay()
  const router = useRouter()
  const rows = byName(configurations)
  const options = useMemo(() => ({ 'system/time-zone': zoneOptions() }), [])

  async function save(answers: Record<ConfigurationName, Value>) {
    // the form follows the screen's data, so what differs from it was changed here
    const changed = CONFIGURATION_NAMES.filter(
      (name) => (answers[name] ?? null) !== (rows.get(name)?.value ?? null),
    )
    const turnsOff = changed.includes(DISABLE_CHECKING) && answers[DISABLE_CHECKING] === true
    const confirmation = turnsOff ? await typedConsent() : undefined
    const settings = changed.flatMap((name) => {
      const row = rows.get(name)
      return row
        ? [{ id: row.id, last_modified: row.last_modified, value: answers[name] ?? null }]
        : []
    })
    if (settings.length > 0) {
      await api.configurations.saveAll({ settings, confirmation }).catch((error: unknown) => {
        throw error instanceof AppError ? atTheirFields(error, changed) : error
      })
    }
    toast.success(say('settings.saved'))
    await router.invalidate()
  }

  /** The sentence, typed as shown. Otherwise the switch reports that it was not confirmed. */
  async function typedConsent() {
    const typed = say('settings.disableSentence')
    const isSure = await confirm({
      title: 'settings.disableTitle',
      text: 'settings.disableText',
      action: 'settings.disableAction',
      destructive: true,
      typed,
    })
    if (!isSure) throw invalid({ [DISABLE_CHECKING]: { key: 'settings.disableUnconfirmed' } })
    return typed
  }

  return (
    <FieldForm
      fields={configurationFields}
      values={configurationValues(configurations) as never} // the settings are data, which no type can name
      options={options}
      submit="common.save"
      onSubmit={(answers) => save(answers as Record<ConfigurationName, Value>)}
    >
      {(Field) =>
        SECTIONS.map((namespace) => (
          <Stack
            key={namespace}
            component="section"
            gap="sm"
            aria-label={say(`settings.${namespace}`)}
          >
            <Title order={2}>{say(`settings.${namespace}`)}</Title>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              {CONFIGURATION_NAMES.filter((name) => name.startsWith(`${namespace}/`)).map(
                (name) => {
                  const row = rows.get(name)
                  return (
                    row && (
                      <Paper key={name} withBorder p="md">
                        <Field name={name} />
                        <Group gap="sm" mt="xs">
                          <Unsaved name={name} saved={row.value} />
                          <LastChange row={row} />
                        </Group>
                        <Remark name={name} value={row.value} />
                      </Paper>
                    )
                  )
                },
              )}
            </SimpleGrid>
          </Stack>
        ))
      }
    </FieldForm>
  )
}

/** The error at `settings.0.value` belongs to the first setting that was sent. */
const atTheirFields = (error: AppError, sent: readonly ConfigurationName[]) =>
  new AppError(
    error.code,
    error.text,
    Object.fromEntries(
      Object.entries(error.fields).map(([path, text]) => [
        sent[Number(path.split('.')[1])] ?? path,
        text,
      ]),
    ),
  )

function Unsaved({ name, saved }: { name: ConfigurationName; saved: Value }) {
  const say = useSay()
  const typed = use(FormContext)?.draft[name]
  const isSaved = (typed ?? '') === (saved ?? '')
  return (
    <span aria-live="polite">
      {!isSaved && <StatusBadge tone="warning">{say('permissions.unsaved')}</StatusBadge>}
    </span>
  )
}

const zoneOptions = (): Option[] =>
  timeZones().map((zone) => ({ value: zone, label: { text: zone.replaceAll('_', ' ') } }))

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

/** The consequence of the setting as it is now. */
function Remark({ name, value }: { name: ConfigurationName; value: Configuration['value'] }) {
  const say = useSay()
  if (name === 'system/public-origin' && String(value).startsWith('http:')) {
    return (
      <Alert color="yellow" mt="md">
        <Text size="sm">{say('settings.originHttp')}</Text>
      </Alert>
    )
  }
  return name === 'system/time-zone' && typeof value === 'string' ? (
    <TimeThere zone={value} />
  ) : null
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

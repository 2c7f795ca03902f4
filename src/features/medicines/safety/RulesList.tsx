import { Button, Group, Loader, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useSay, useLanguage } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import { LevelBadge } from './LevelBadge'
import { type PublishedSource, versionText } from './rules/rule'
import type { ListedRule, ListedRules, ListedTable } from './rules.server'
import { OtherLists } from './sources/OtherLists'
import { SourceLink } from './sources/SourceLink'

type Props = {
  /** Undefined while they are being read. */
  rules: ListedRules | undefined
  /** Left out where rules are only read. */
  onSwitch?: (table: ListedTable, rule: ListedRule) => void
}

/**
 * Every rule in force, by table, with its members, its source and the version of its table; found
 * by any of its words.
 */
export function RulesList({ rules, onSwitch }: Props) {
  const say = useSay()
  const language = useLanguage()
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const isWanted = ({ title, members }: ListedRule) =>
    [title[language], ...members].some((text) => text.toLowerCase().includes(wanted))
  const found = (rules?.tables ?? []).map((table) => ({ table, rows: table.rows.filter(isWanted) }))
  const count = found.reduce((sum, { rows }) => sum + rows.length, 0)
  return (
    <Stack gap="md">
      <TextInput
        type="search"
        label={say('safety.rules.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maw={420}
        data-autofocus
      />
      <Text size="sm">{say('safety.rules.unlisted')}</Text>
      {rules ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {count === 0
            ? say({ key: 'safety.rules.none', values: { search: search.trim() } })
            : say({ key: 'safety.rules.count', values: { count } })}
        </Text>
      ) : (
        <Loader size="sm" />
      )}
      {found
        .filter(({ rows }) => rows.length > 0)
        .map(({ table, rows }) => (
          <section key={table.table} aria-label={say(`safety.table.${table.table}`)}>
            <Title order={2} size="h4">
              {say({
                key: 'safety.rules.tableTitle',
                values: {
                  table: capitalized(say(`safety.table.${table.table}`)),
                  version: versionText(table.version),
                },
              })}
            </Title>
            <Text size="sm">{say(`safety.covers.${table.table}`)}</Text>
            <SourceLine source={table.source} />
            <Stack gap="xs" mt="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
              {rows.map((rule) => (
                <Rule
                  key={rule.id}
                  rule={rule}
                  onSwitch={onSwitch && (() => onSwitch(table, rule))}
                />
              ))}
            </Stack>
          </section>
        ))}
      {rules && wanted === '' && <OtherLists lists={rules.otherLists} />}
    </Stack>
  )
}

/** The names of the tables stand within sentences, too. */
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function Rule({ rule, onSwitch }: { rule: ListedRule; onSwitch?: () => void }) {
  const say = useSay()
  const language = useLanguage()
  const { title, level, members, source, off } = rule
  return (
    <Paper component="li" withBorder p="sm">
      <Stack gap={4}>
        <Group gap="xs" justify="space-between" align="flex-start">
          <Text size="sm" fw={600} style={{ flex: '1 1 14rem' }}>
            <bdi>{title[language]}</bdi>
          </Text>
          <Group gap="xs">
            {off && <StatusBadge tone="warning">{say('safety.rules.isOff')}</StatusBadge>}
            {level && <LevelBadge gravity={level} />}
            {onSwitch && (
              <Button
                size="xs"
                variant="default"
                onClick={onSwitch}
                aria-label={`${say(off ? 'safety.rules.on' : 'safety.rules.off')}: ${title[language]}`}
              >
                {say(off ? 'safety.rules.on' : 'safety.rules.off')}
              </Button>
            )}
          </Group>
        </Group>
        {members.length > 0 && (
          <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
            <bdi dir="ltr">{members.join(', ')}</bdi>
          </Text>
        )}
        {source && <SourceLine source={source} />}
        {off && (
          <Text size="sm">
            {say({ key: 'safety.rules.offBy', values: { who: off.by ?? '—' } })}{' '}
            <Moment at={off.at} />: <bdi>{off.reason}</bdi>
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

function SourceLine({ source }: { source: PublishedSource }) {
  const say = useSay()
  return (
    <Text size="xs" c="dimmed">
      {say('safety.source')}: <SourceLink source={source} />
    </Text>
  )
}

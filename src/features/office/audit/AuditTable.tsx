import { List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { OperationResult } from '~/client/api'
import type { MessageKey } from '~/shared/language'
import { useSay, useLanguage } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Changes } from './audit'
import {
  actionWords,
  columnWords,
  isTime,
  plainValue,
  shownChanges,
  tableWords,
  valueWords,
} from './audit-words'
import classes from './AuditTable.module.css'

type Trail = OperationResult<'audit.list'>
type Entry = Trail['rows'][number]
type Props = Trail & { empty: MessageKey; emptyAction?: ReactNode }

/** Who changed what, when, from what to what and by which way in. */
export function AuditTable({ rows, pagination, names, empty, emptyAction }: Props) {
  const say = useSay()
  const columns: Column<Omit<Entry, 'id'> & { id: string }>[] = [
    { key: 'at', card: 'badge', label: 'audit.when', cell: ({ at }) => <Moment at={at} seconds /> },
    {
      key: 'user',
      card: 'badge',
      label: 'audit.who',
      cell: ({ user }) => <bdi>{user ?? say('audit.notSignedIn')}</bdi>,
    },
    {
      key: 'action',
      card: 'title',
      label: 'audit.action',
      cell: (entry) => <Action {...entry} />,
    },
    { key: 'via', label: 'audit.how', cell: ({ via }) => say(`audit.via_${via}`) },
    {
      key: 'clinic',
      label: 'clinics.one',
      cell: ({ clinic }) => (clinic ? <bdi>{clinic}</bdi> : <Nothing />),
    },
    {
      key: 'changes',
      label: 'audit.changes',
      cell: ({ changes, table_name }) => (
        <ChangeList changes={changes} table={table_name} names={names} />
      ),
    },
  ]
  return (
    <DataTable
      label="audit.title"
      columns={columns}
      rows={rows.map((row) => ({ ...row, id: String(row.id) }))}
      pagination={pagination}
      empty={empty}
      emptyAction={emptyAction}
    />
  )
}

/** The operation, and the kind of record. */
function Action({ action, table_name }: Pick<Entry, 'action' | 'table_name'>) {
  const say = useSay()
  const [done, kind] = [actionWords(action), tableWords(table_name)]
  return (
    <>
      <Text size="sm">{done ? say(done) : <bdi>{action}</bdi>}</Text>
      {kind && (
        <Text size="xs" c="dimmed">
          {say(kind)}
        </Text>
      )}
    </>
  )
}

type Named = { names: Record<string, string> }

function ChangeList({ changes, table, names }: { changes: Changes; table: string } & Named) {
  const say = useSay()
  const language = useLanguage()
  const columnName = (column: string) => {
    const words = columnWords(table, column)
    return words ? say(words) : column
  }
  const shownAs = (column: string, value: Value) => {
    if (isTime(value)) return <Moment at={value} seconds />
    const words = valueWords(table, column, value, language)
    return <LongText text={words ? say(words) : plainValue(value, names, table, say)} />
  }
  return (
    <List size="xs" listStyleType="none" className={classes.changes}>
      {shownChanges(changes).map(([name, [before, after]]) => (
        <List.Item key={name}>
          <Text span size="xs" c="dimmed">
            {columnName(name)}:{' '}
          </Text>
          {before !== null && (
            <>
              <Text span size="xs" td="line-through" c="dimmed">
                {shownAs(name, before)}
              </Text>{' '}
            </>
          )}
          {shownAs(name, after)}
        </List.Item>
      ))}
    </List>
  )
}

/** Characters of a value, such as the definition of a form, before the rest is opened by the user. */
const SHOWN = 200

function LongText({ text }: { text: string }) {
  const characters = [...text]
  if (characters.length <= SHOWN) return <bdi>{text}</bdi>
  return (
    <details>
      <summary>
        <bdi>{characters.slice(0, SHOWN).join('')}…</bdi>
      </summary>
      <bdi>{characters.slice(SHOWN).join('')}</bdi>
    </details>
  )
}

type Value = Changes[string][0]

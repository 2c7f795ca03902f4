import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { OperationResult } from '~/client/api'
import { type Sayable, useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import { AccountSection } from './AccountSection'
import { EndSession } from './EndSession'

type Session = OperationResult<'sessions.list'>[number]

const deviceLabel = ({ browser, system }: Session): Sayable => {
  if (browser && system) return { key: 'sessions.deviceOn', values: { browser, system } }
  const one = browser ?? system
  return one ? { text: one } : 'sessions.unknownDevice'
}

const columns: Column<Session>[] = [
  { key: 'device', label: 'sessions.device', cell: (session) => <Device session={session} /> },
  { key: 'address', label: 'sessions.address', cell: ({ address }) => <bdi>{address}</bdi> },
  {
    key: 'created_at',
    label: 'sessions.created',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    key: 'last_seen_at',
    label: 'sessions.lastSeen',
    cell: ({ last_seen_at }) => <Moment at={last_seen_at} />,
  },
  {
    key: 'end',
    card: 'action',
    label: 'sessions.end',
    cell: (session) => <End session={session} />,
  },
]

/** The user's sessions, each with a button to end it. */
export function SessionsTable({ sessions }: { sessions: Session[] }) {
  const say = useSay()
  const [isEnding, setEnding] = useState(false)
  const endOthers = (
    <Button variant="default" size="compact-sm" onClick={() => setEnding(true)}>
      {say('sessions.endOthers')}
    </Button>
  )
  return (
    <AccountSection title="sessions.list" lead={say('sessions.listText')} aside={endOthers}>
      <DataTable
        label="sessions.table"
        columns={columns}
        rows={sessions}
        empty="sessions.notFound"
      />
      {isEnding && (
        <EndSession id={null} title={say('sessions.endOthers')} onClose={() => setEnding(false)} />
      )}
    </AccountSection>
  )
}

function Device({ session }: { session: Session }) {
  const say = useSay()
  return (
    <>
      {say(deviceLabel(session))}
      <Text size="xs" c="dimmed">
        {say(`sessions.kind_${session.kind}`)}
      </Text>
    </>
  )
}

function End({ session }: { session: Session }) {
  const say = useSay()
  const [isEnding, setEnding] = useState(false)
  if (session.isCurrent) return <StatusBadge tone="good">{say('sessions.thisOne')}</StatusBadge>
  const title = say({ key: 'sessions.endOne', values: { device: say(deviceLabel(session)) } })
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={title}
        onClick={() => setEnding(true)}
      >
        {say('sessions.end')}
      </Button>
      {isEnding && <EndSession id={session.id} title={title} onClose={() => setEnding(false)} />}
    </>
  )
}

import { Alert, Group, Paper, Text, Title } from '@mantine/core'
import { use, useDeferredValue } from 'react'
import { LinkAnchor } from '~/client/links'
import { isOldCopy } from '~/features/office/backups/copy-age'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useNow } from '~/ui/clock'
import { Moment } from '~/ui/Moment'
import type { CareFacts } from './administration.server'
import { type Coming, Failed, ListLink } from './Part'

const TWO_DAYS_MS = 2 * 86_400_000

/** Problems to fix; empty if there are none. */
export function Care({ coming }: { coming: Coming<CareFacts> }) {
  const say = useSay()
  const now = useNow()
  const { data } = use(useDeferredValue(coming))
  const backup = data?.backups && backupTrouble(data.backups, now)
  const count = (data?.refusedRows ?? 0) + (data?.lostValues ?? 0)
  if (!data) return <Unknown />
  const copies = data.backups?.copies
  const isCopyOld = copies != null && isOldCopy(copies, now)
  const emergencies = data.frequentEmergencies
  const { askedLater, checks, disk } = data
  const waiting = count + data.movedIn + askedLater.count + emergencies.length
  const isFine = !disk && !checks && !backup && !isCopyOld && waiting === 0
  if (isFine && !data.isTrailUnprotected) return null
  const lastBackupAt = data.backups?.lastBackupAt
  return (
    <Alert
      color={isCopyOld || disk?.isFull ? 'red' : 'yellow'}
      variant="light"
      title={
        <Text inherit c="var(--mantine-color-text)">
          {say('dashboard.care')}
        </Text>
      }
    >
      {disk && (
        <Group gap="xs">
          <Text size="sm">{say(diskTrouble(disk))}</Text>
          <ListLink to="/app/help/install">{say('dashboard.freeSpace')}</ListLink>
        </Group>
      )}
      {backup && (
        <Group gap="xs">
          <Text size="sm">
            {say(backup)}
            {lastBackupAt && (
              <>
                {' · '}
                {say('dashboard.lastBackup')}: <Moment at={lastBackupAt} />
              </>
            )}
          </Text>
          <ListLink to="/app/settings/backups">{say('dashboard.openBackups')}</ListLink>
        </Group>
      )}
      {isCopyOld && (
        <Group gap="xs">
          <Text size="sm">
            {say('dashboard.oldCopy')}
            {copies.madeAt && (
              <>
                {' · '}
                {say('dashboard.lastCopy')}: <Moment at={copies.madeAt} />
              </>
            )}
          </Text>
          <ListLink to="/app/settings/backups">{say('dashboard.openBackups')}</ListLink>
        </Group>
      )}
      {emergencies.map(({ userId, user, count: times }) => (
        <Group gap="xs" key={userId}>
          <Text size="sm">
            {say({ key: 'dashboard.emergencies', values: { name: user, count: times } })}
          </Text>
          <ListLink to="/app/patients/access">{say('dashboard.reviewEmergencies')}</ListLink>
        </Group>
      ))}
      {askedLater.count > 0 && (
        <Group gap="xs">
          <Text size="sm">{say({ key: 'dashboard.askedLater', values: askedLater })}</Text>
          <LinkAnchor size="sm" to="/app/prescriptions/overrides" search={{ state: 'emergency' }}>
            {say('dashboard.openEmergencies')}
          </LinkAnchor>
        </Group>
      )}
      {checks && <Text size="sm">{say(checksNotice(checks))}</Text>}
      {data.isTrailUnprotected && (
        <Group gap="xs">
          <Text size="sm">{say('dashboard.trailUnprotected')}</Text>
          <ListLink to="/app/help/install">{say('dashboard.protectTrail')}</ListLink>
        </Group>
      )}
      {data.movedIn > 0 && (
        <Group gap="xs">
          <Text size="sm">
            {say({ key: 'dashboard.movedIn', values: { count: data.movedIn } })}
          </Text>
          <ListLink to="/app/patients/moved-in">{say('dashboard.openMovedIn')}</ListLink>
        </Group>
      )}
      {count > 0 && (
        <Group gap="xs">
          <Text size="sm">{say({ key: 'dashboard.fromPhones', values: { count } })}</Text>
          <ListLink to={data.refusedRows > 0 ? REFUSED_ROWS : LOST_VALUES}>
            {say('dashboard.settle')}
          </ListLink>
        </Group>
      )}
    </Alert>
  )
}

/** Nothing shown here means that all is well: what could not be read must not look like that. */
function Unknown() {
  const say = useSay()
  return (
    <Paper withBorder p="md" component="section" aria-label={say('dashboard.care')}>
      <Title order={2} mb="sm">
        {say('dashboard.care')}
      </Title>
      <Failed />
    </Paper>
  )
}

const REFUSED_ROWS = '/app/settings/quarantine'
const LOST_VALUES = '/app/settings/conflicts'

function diskTrouble({ free, isFull }: NonNullable<CareFacts['disk']>): Message {
  if (isFull) return { key: 'dashboard.diskFull' }
  return { key: 'dashboard.diskLow', values: { megabytes: Math.floor((free ?? 0) / 1024 ** 2) } }
}

function checksNotice({ checked, waiting, isStuck }: NonNullable<CareFacts['checks']>): Message {
  if (isStuck) return { key: 'dashboard.checksStuck', values: { count: waiting } }
  return { key: 'dashboard.checking', values: { checked, total: checked + waiting } }
}

function backupTrouble(
  { lastBackupAt, lastFailureAt }: NonNullable<CareFacts['backups']>,
  now: Date,
): MessageKey | null {
  if (lastFailureAt && (!lastBackupAt || lastFailureAt > lastBackupAt))
    return 'dashboard.failedBackup'
  if (!lastBackupAt) return 'dashboard.noBackup'
  return now.getTime() - lastBackupAt.getTime() > TWO_DAYS_MS ? 'dashboard.oldBackup' : null
}

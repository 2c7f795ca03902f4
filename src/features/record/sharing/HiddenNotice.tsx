import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconEyeOff } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useFormatter } from 'use-intl'
import { api } from '~/client/api'
import { ReasonDialog } from '~/features/people/patients/ReasonDialog'
import { type Actor, isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { TIME_OF_DAY } from '~/ui/clock'
import { EmergencyDialog } from './EmergencyDialog'
import type { HiddenHistory } from './openings.server'

type Props = { hidden: HiddenHistory; patient: { id: string; name: string }; actor: Actor }

/** What the record does not show and how to open it, the banner of emergency access, and what was opened until when. */
export function HiddenNotice({ hidden, patient, actor }: Props) {
  const say = useSay()
  const format = useFormatter()
  const [asking, setAsking] = useState<'open' | 'emergency' | null>(null)
  const { total, kinds, recordedBy, clinics, medicines, emergencyUntil, isShared } = hidden
  const opened = isAdmin(actor) ? [] : clinics.filter(({ until }) => until !== null)
  // the button that opened the records goes away with the notice around it
  const newest = useRef<HTMLDivElement>(null)
  const isOpened = useRef(false)
  const hasNewest = opened.length > 0 || emergencyUntil !== null
  useEffect(() => {
    // the record is read again after the dialog has closed
    if (asking || !hasNewest || !isOpened.current) return
    isOpened.current = false
    newest.current?.focus()
  }, [asking, hasNewest])
  return (
    <>
      {emergencyUntil && (
        <Alert
          color="red.9"
          variant="filled"
          icon={<IconAlertTriangle aria-hidden />}
          ref={newest}
          tabIndex={-1}
        >
          {say({
            key: 'sharing.emergencyBanner',
            values: { time: format.dateTime(emergencyUntil, TIME_OF_DAY) },
          })}
        </Alert>
      )}
      {total > 0 && (
        <Alert
          color="gray"
          icon={<IconEyeOff size={18} aria-hidden />}
          title={say('sharing.hiddenTitle')}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Stack gap="xs">
            <Text size="sm">
              {format.list(
                kinds.map(({ kind, count }) =>
                  say({ key: `sharing.hidden_${kind}`, values: { count } }),
                ),
              )}
            </Text>
            <Text size="sm">
              {say({ key: 'sharing.hiddenBy', values: { clinics: format.list(recordedBy) } })}
            </Text>
            <Text size="sm">
              {say({
                key: 'sharing.neverHidden',
                values: {
                  medicines:
                    medicines.length > 0 ? format.list(medicines) : say('sharing.noMedicines'),
                },
              })}
            </Text>
            <Group gap="xs" data-print="no">
              {clinics.length > 0 && (
                <Button size="xs" onClick={() => setAsking('open')}>
                  {say('sharing.open')}
                </Button>
              )}
              {clinics.length === 0 && actor.role === 'provider' && (
                <Button size="xs" variant="default" onClick={() => setAsking('emergency')}>
                  {say('sharing.emergency')}
                </Button>
              )}
            </Group>
          </Stack>
        </Alert>
      )}
      {opened.length > 0 && (
        <div ref={emergencyUntil ? undefined : newest} tabIndex={-1}>
          {opened.map(({ id, name, until }) => (
            <Text key={id} size="sm" c="dimmed">
              {say({
                key: 'sharing.openUntil',
                values: { clinic: name, date: format.dateTime(until!, { dateStyle: 'medium' }) },
              })}
            </Text>
          ))}
        </div>
      )}
      {isShared && (
        <Text size="sm" c="dimmed">
          {say('sharing.sharedNote')}
        </Text>
      )}
      {asking === 'open' && (
        <OpenDialog
          patientId={patient.id}
          clinics={clinics}
          onOpened={() => (isOpened.current = true)}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'emergency' && (
        <EmergencyDialog
          patientId={patient.id}
          name={patient.name}
          onOpened={() => (isOpened.current = true)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

type OpenProps = {
  patientId: string
  clinics: HiddenHistory['clinics']
  onOpened: () => void
  onClose: () => void
}

function OpenDialog({ patientId, clinics, onOpened, onClose }: OpenProps) {
  const say = useSay()
  const closed = clinics.filter(({ until }) => until === null)
  const [clinicId, setClinicId] = useState(closed[0]?.id ?? clinics[0]!.id)
  return (
    <ReasonDialog
      title="sharing.openTitle"
      text="sharing.openText"
      submit="sharing.open"
      saved="sharing.opened"
      before={
        closed.length > 1 && (
          <NativeSelect
            mb="md"
            label={say('sharing.clinic')}
            value={clinicId}
            onChange={(event) => setClinicId(event.currentTarget.value)}
            data={closed.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )
      }
      onSave={async (given) => {
        await api.openings.start({ ...given, patientId, clinicId })
        onOpened()
      }}
      onClose={onClose}
    />
  )
}

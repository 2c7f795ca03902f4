import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import type { UnseenWarning } from './overrides.server'
import { WarningList } from './WarningList'

/** Warnings about what the patient takes that no user has seen: after a new allergy, or from a phone. */
export function NewWarnings({ unseen }: { unseen: readonly UnseenWarning[] }) {
  const say = useSay()
  if (unseen.length === 0) return null
  const prescriptions = [...new Set(unseen.flatMap(({ prescription_id }) => prescription_id ?? []))]
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} aria-hidden />} role="note">
      <Stack gap="sm">
        <Text size="sm" fw={600}>
          {say('safety.unseenTitle')}
        </Text>
        <WarningList
          warnings={[...new Map(unseen.map(({ warning }) => [warning.key, warning])).values()]}
        />
        {prescriptions.map((id) => (
          <LinkAnchor
            key={id}
            size="sm"
            to="/app/prescriptions/edit/{-$prescriptionId}"
            params={{ prescriptionId: id }}
          >
            {say('safety.openPrescription')}
          </LinkAnchor>
        ))}
      </Stack>
    </Alert>
  )
}

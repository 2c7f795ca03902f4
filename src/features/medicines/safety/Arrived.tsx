import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import type { Warning } from './rules/warning'
import { WarningList } from './WarningList'

type Props = {
  /** Kept when the medicines arrived; unseen. */
  unseen: readonly Warning[]
  /** The check of what arrived is still to come. */
  isUnchecked: boolean
}

/** What is to be known about medicines that came past the screens: from a phone, a program or an import. */
export function Arrived({ unseen, isUnchecked }: Props) {
  const say = useSay()
  if (unseen.length === 0 && !isUnchecked) return null
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} aria-hidden />} role="note">
      <Stack gap="sm">
        <Text size="sm" fw={600}>
          {say(isUnchecked ? 'safety.arrivedUnchecked' : 'safety.arrivedTitle')}
        </Text>
        <WarningList warnings={unseen} />
      </Stack>
    </Alert>
  )
}
